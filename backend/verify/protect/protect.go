// Package protect keeps what decides the checks of a goal, compares it with what it was,
// and puts it back.
package protect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"goalpost/backend/goal"
	"goalpost/backend/verify/fileio"
)

// Protection is what a goal holds of its protected files, for decisions about them
// while no run of the goal continues. A nil one, of a goal that holds nothing, knows of
// no change. Not for concurrent use.
type Protection struct {
	guard   *State
	options Options
}

// Open reads what is held. It keeps nothing that was not kept before.
func Open(o Options) (*Protection, error) {
	g, err := Load(o.Dir, o.Private)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Protection{g, o}, nil
}

// Observation is what a check did before the first turn; nil where nobody could observe it.
func (p *Protection) Observation(check int) *goal.Observation {
	if p == nil {
		return nil
	}
	return p.guard.Observation(check)
}

// Undecided names the changed files whose change the user was not shown when the goal
// paused for its protected files.
func (p *Protection) Undecided(ctx context.Context) ([]string, error) {
	if p == nil {
		return nil, nil
	}
	return p.guard.Undecided(ctx)
}

// PutBack makes the protected files again what they were; see State.RestoreAll.
func (p *Protection) PutBack(ctx context.Context) (files []string, aside string, err error) {
	if p == nil {
		return nil, "", nil
	}
	return p.guard.RestoreAll(ctx)
}

// Version is what a protected file is, by the hash of its content; "" if it is gone.
type Version struct{ Path, SHA256 string }

func (v Version) String() string {
	if v.SHA256 == "" {
		return v.Path + " (gone)"
	}
	return v.Path + " (sha256 " + v.SHA256 + ")"
}

// Accept makes the present versions of the chosen files, or of all changed ones if none are chosen, the protected
// ones and returns them. A file that changed again
// since the user saw its change is refused with a StaleChangeError, and then nothing is accepted.
func (p *Protection) Accept(ctx context.Context, chosen ...Version) ([]Version, error) {
	if p == nil {
		return nil, nil
	}
	g := p.guard
	root, err := os.OpenRoot(g.dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", fileio.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	changed, err := g.chooseChanges(ctx, root, chosen)
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	files := pathsOf(changed)
	total := int64(0)
	// All parts of a file are taken again: one copy is put back for all of them.
	for i := range g.list {
		h := &g.list[i]
		if !slices.Contains(files, h.Path) {
			continue
		}
		if h.Kind == KindForbiddenNew {
			h.Kind = KindMonitored
		}
		h.Missing, h.SHA256, h.Mode, h.Accepted = false, "", 0, true
		if err := g.record(root, h, &total); err != nil {
			return nil, err
		}
	}
	accepted := make([]Version, 0, len(files))
	for _, f := range files {
		at := slices.IndexFunc(g.list, func(h protectedItem) bool { return h.Path == f })
		accepted = append(accepted, Version{f, g.list[at].SHA256})
	}
	return accepted, errors.Join(g.save(), g.forgetShown())
}

func pathsOf(changed []mismatch) []string {
	files := make([]string, 0, len(changed))
	for _, d := range changed {
		files = append(files, d.Path)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// RestoreAll makes the protected files again what they were. aside is the folder that
// the changed versions were moved to, "" if there was none to keep.
func (g *State) RestoreAll(ctx context.Context) (files []string, aside string, err error) {
	if g == nil {
		return nil, "", nil
	}
	changed, err := g.diff(-1)
	if err != nil || len(changed) == 0 {
		return nil, "", err
	}
	root, err := os.OpenRoot(g.dir)
	if err != nil {
		return nil, "", fmt.Errorf("the goal's folder: %w", fileio.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	aside = filepath.Join(g.private, "aside", time.Now().UTC().Format("20060102-150405.000"))
	for _, d := range changed {
		if slices.Contains(files, d.Path) { // by another part: what is there now is the held version
			continue
		}
		if err := g.restoreItem(root, d, aside); err != nil {
			return files, aside, fmt.Errorf("putting %s back: %w", d.Path, err)
		}
		files = append(files, d.Path)
	}
	if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
		aside = ""
	}
	return files, aside, g.forgetShown()
}
