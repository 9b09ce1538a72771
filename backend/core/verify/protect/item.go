package protect

import (
	"io/fs"
	"path/filepath"
	"slices"

	"goalpost/backend/domain/goal"
)

// Kind says how a file is protected.
type Kind string

// The kinds. A locked file cannot be changed; a monitored one is compared; a forbidden one must not be created.
const (
	KindLocked       Kind = "held"
	KindMonitored    Kind = "compared"
	KindForbiddenNew Kind = "appears"
)

// Item is a file or an installed tree that decides a check and that the agent must not change.
type Item struct {
	Path string `json:"path"` // relative to the goal's folder, with slashes
	Kind Kind   `json:"kind"`
	Why  string `json:"why"` // why it decides, as a clause
	// Role is what the check uses it for, "" if the user chose the file.
	Role   goal.FileRole `json:"role,omitempty"`
	Checks []int         `json:"checks"` // indices of the checks that it decides
}

// Original is a file at the goal's start.
type Original struct {
	Content []byte
	Mode    fs.FileMode
	SHA256  string // "" if unknown
}

// Options say what in a folder must not change, and where its copies are stored.
type Options struct {
	Dir string // the goal's folder, absolute
	// Criterion, Protect and NoProtect say what must not change, see Find.
	Criterion          goal.Criterion
	Protect, NoProtect []string

	Private string // for copies, out of the goal's reach; created if missing
	// Hidden are absolute paths of folders that the agent does not see. Their files are neither compared nor
	// protected: the agent cannot change them, and only the user may read them.
	Hidden []string
	// Tests is the number of tests that each check's test runners ran before the first turn, by check.
	Tests []int
	// Observations are what the checks did before the first turn, by check.
	Observations []*goal.Observation
}

// HiddenNames returns the hidden folders inside Dir, relative to it.
func (o Options) HiddenNames() (list []string) {
	for _, at := range o.Hidden {
		if rel, err := filepath.Rel(o.Dir, at); err == nil && filepath.IsLocal(rel) {
			list = append(list, filepath.ToSlash(rel))
		}
	}
	return list
}

// freePatterns matches what is not protected.
func (o Options) freePatterns() []string {
	free := slices.Clone(o.NoProtect)
	for _, name := range o.HiddenNames() {
		free = append(free, name+"/**")
	}
	return free
}

// observation returns what a check did in pre-flight, nil if it was not observed.
func (o Options) observation(check int) *goal.Observation {
	if check < 0 || check >= len(o.Observations) {
		return nil
	}
	return o.Observations[check]
}
