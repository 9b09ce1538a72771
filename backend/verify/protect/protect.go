// Package protect keeps what decides the checks of a goal, compares it with what it was, and puts it back.
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

	"goalpost/backend/text"
)

// Open reads what a goal protects, for decisions about it while no run of the goal continues; nil if it protects
// nothing. Accept, Changes and Unprotect are for such a State alone, and not for concurrent use.
func Open(o Options) (*State, error) {
	g, err := Load(o.Dir, o.Private)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return g, err
}

// Version is what a protected file is, by the hash of its content; "" if it is gone.
type Version struct{ Path, SHA256 string }

func (v Version) String() string {
	if v.SHA256 == "" {
		return v.Path + " (gone)"
	}
	return v.Path + " (sha256 " + v.SHA256 + ")"
}

// Accept makes the present versions of the chosen files, or of all changed ones if none are chosen, the protected ones
// and returns them. A file that changed again since the user saw its change is refused with a StaleChangeError, and
// then nothing is accepted.
func (g *State) Accept(ctx context.Context, chosen ...Version) ([]Version, error) {
	if g == nil {
		return nil, nil
	}
	changed, err := g.chooseChanges(chosen)
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	root, err := os.OpenRoot(g.dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
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

// RestoreAll makes the protected files again what they were, but for installed programs. aside is the folder that
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
		return nil, "", fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	aside = filepath.Join(g.private, "aside", time.Now().UTC().Format("20060102-150405.000"))
	for _, d := range changed {
		if slices.Contains(files, d.Path) || len(d.Files) > 0 { // by another part; of an installed tree there is no copy
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
