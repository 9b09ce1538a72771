package engine

// Profiles returns the supported agents.
func Profiles() []Profile {
	return []Profile{opencodeProfile(), claudeProfile(), codexProfile(), geminiProfile()}
}

// FindProfile returns the profile with an id.
func FindProfile(profiles []Profile, id string) (Profile, bool) {
	for _, p := range profiles {
		if p.ID == id {
			return p, true
		}
	}
	return Profile{}, false
}
