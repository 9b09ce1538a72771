package app

import (
	"context"
	"fmt"
	"path/filepath"

	"goalpost/backend/api"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/verify"
	"goalpost/backend/verify/protect/detect"
)

// Protected lists what of a folder would be protected. A new folder is empty.
func (a *App) Protected(ctx context.Context, in api.ProtectInput) ([]api.ProtectedFile, error) {
	list := []api.ProtectedFile{}
	if in.Dir == "" {
		return list, nil
	}
	dir, err := a.validateExistingDir(in.Dir)
	if err != nil {
		return nil, err
	}
	found, err := detect.FindProtected(ctx, dir, goal.Criterion{Checks: in.Checks}, in.Protect, in.NoProtect)
	if err != nil {
		return nil, &fault.Error{Field: "protect", Message: fmt.Sprintf("the protected files cannot be listed: %v", err), Hint: "correct the patterns"}
	}
	for _, p := range found {
		list = append(list, api.ProtectedFile{Path: p.Path, Kind: string(p.Kind), Part: p.Part, Why: p.Why})
	}
	return list, nil
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
