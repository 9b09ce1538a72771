package protect

import (
	"io/fs"
	"path/filepath"
	"slices"

	"goalpost/backend/goal"
)

// Kind says how a file is protected.
type Kind string

// The kinds. A locked file stays as it was; of a monitored one a part must, and the rest is free; a forbidden one may
// not come to be.
const (
	KindLocked       Kind = "held"
	KindMonitored    Kind = "compared"
	KindForbiddenNew Kind = "appears"
)

// Protected is one thing that decides a check and that the agent must not change.
type Protected struct {
	Path string `json:"path"` // relative to the goal's folder
	Kind Kind   `json:"kind"`
	// Part is what of a monitored file counts, "" all of it.
	Part   string `json:"part,omitempty"`
	Why    string `json:"why"`
	Checks []int  `json:"checks"` // indices of the checks that it decides
}

// Original is what a file was at the start.
type Original struct {
	Content []byte
	Mode    fs.FileMode
	SHA256  string // "" if that is not known
}

// Options say what of a folder must not change, and where its copies are kept.
type Options struct {
	Dir string // the goal's folder, absolute
	// Criterion, Protect and NoProtect say what must not change, see Find.
	Criterion          goal.Criterion
	Protect, NoProtect []string

	Private string // where copies are kept, out of the goal's reach; made if missing
	// Hidden are folders that the agent does not see, absolute. Their files are neither compared nor protected: the
	// agent cannot change them, and nobody but the user reads of them.
	Hidden []string
	// Tests says how many tests the gates' runners ran before the first turn, by check.
	Tests []int
	// Observations are what the checks did before the first turn, by check.
	Observations []*goal.Observation
}

// HiddenNames are the hidden folders that are in Dir, relative to it.
func (o Options) HiddenNames() (list []string) {
	for _, at := range o.Hidden {
		if rel, err := filepath.Rel(o.Dir, at); err == nil && filepath.IsLocal(rel) {
			list = append(list, filepath.ToSlash(rel))
		}
	}
	return list
}

// freePatterns name what is not protected.
func (o Options) freePatterns() []string {
	free := slices.Clone(o.NoProtect)
	for _, name := range o.HiddenNames() {
		free = append(free, name+"/**")
	}
	return free
}

// observation is what a check did in pre-flight, nil where nobody could observe it.
func (o Options) observation(check int) *goal.Observation {
	if check < 0 || check >= len(o.Observations) {
		return nil
	}
	return o.Observations[check]
}
