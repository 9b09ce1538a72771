package session

import (
	"context"
	"fmt"
	"path/filepath"

	"goalpost/backend/goal"
	"goalpost/backend/verify"
	"goalpost/backend/verify/protect/detect"
)

// OpenWorkspace is what the goal can change. What it was at the goal's start is kept
// in a private folder, out of the goal's reach, as long as the goal.
func (reg *Registry) OpenWorkspace(ctx context.Context, g goal.Goal) (*verify.Workspace, error) {
	o := WorkspaceOptions(g, reg.Store.GoalDir(g.ID))
	o.Pages = func(ctx context.Context) (string, error) { return reg.Panes.PagesFingerprint(ctx, g.ID) }
	w, err := verify.OpenWorkspace(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("what the goal can change: %w", err)
	}
	return w, nil
}

// WorkspaceOptions say what of a goal's folder is compared and protected; dir is its private folder.
func WorkspaceOptions(g goal.Goal, dir string) verify.Options {
	return verify.Options{
		Dir: g.Policy.Dir, Private: dir, Criterion: g.Criterion, Protect: g.Options.Protect, NoProtect: g.Options.NoProtect,
		Tests: g.TestsBefore, Observations: g.Observations,
	}
}

// lockedFiles are the files that a goal's programs may read and not write, as long as
// there are not so many that it would be felt when the sandbox is made.
func lockedFiles(dir string, w *verify.Workspace) []string {
	const most = 1000
	var list []string
	for _, p := range w.Protected() {
		if p.Kind == detect.KindLocked && len(list) < most {
			list = append(list, filepath.Join(dir, filepath.FromSlash(p.Path)))
		}
	}
	return list
}

// protectedReasons says of each held file why it is one.
func (r *Session) protectedReasons() map[string]string {
	why := map[string]string{}
	for _, p := range r.workspace.Protected() {
		if p.Kind == detect.KindLocked {
			why[filepath.FromSlash(p.Path)] = p.Why
		}
	}
	return why
}
