package app

import (
	"context"
	"fmt"

	"goalpost/backend/api"
	"goalpost/backend/goal"
	"goalpost/backend/verify"
)

// Protected lists what of a folder would be protected. A new folder is empty.
func (a *App) Protected(ctx context.Context, in api.ProtectInput) ([]api.ProtectedFile, error) {
	list := []api.ProtectedFile{}
	if in.Dir == "" {
		return list, nil
	}
	dir, err := a.existing(in.Dir)
	if err != nil {
		return nil, err
	}
	found, err := verify.FindProtected(ctx, dir, goal.Criterion{Checks: in.Checks}, in.Protect, in.NoProtect)
	if err != nil {
		return nil, &goal.Refusal{Field: "protect", Reason: fmt.Sprintf("the protected files cannot be listed: %v", err), Hint: "correct the patterns"}
	}
	for _, p := range found {
		list = append(list, api.ProtectedFile{Path: p.Path, Kind: string(p.Kind), Part: p.Part, Why: p.Why})
	}
	return list, nil
}
