package config

// ownGround has nothing to look at here.
func ownGround(string) error { return nil }

// suitable has nothing to look at: folders in a profile are the user's own.
func suitable(string) error { return nil }
