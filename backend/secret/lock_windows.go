package secret

// lock relies on the rename being atomic; the last of two writers wins.
func lock(string) (unlock func() error, err error) { return func() error { return nil }, nil }
