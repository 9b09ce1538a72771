package goal

// Grounds are facts that a pass rests on, as they were observed. They are for users: how much a pass proves follows
// from all that was observed.
type Grounds struct {
	// Programs are the installed programs that ran, besides shells, as absolute paths.
	Programs []string `json:"programs,omitempty"`
	// Same are files that decide how the check ends, and that are as at the start.
	Same []KeptFile `json:"same,omitempty"`
	// LostTests are the names of tests that ran before the goal began, and did not run now.
	LostTests []string `json:"lost_tests,omitempty"`
	// Start says how the check ended before the goal began, "" if that is unknown.
	Start         string `json:"start,omitempty"`
	PassedAtStart bool   `json:"passed_at_start,omitempty"`
}

// KeptFile is a file of the goal's folder that has not changed, with its role in a check.
type KeptFile struct {
	Path string   `json:"path"`
	Role FileRole `json:"role"`
}
