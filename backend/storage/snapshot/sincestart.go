package snapshot

import (
	"context"

	"goalpost/backend/domain/goal"
)

// ChangesSinceStart returns what differs from the first snapshot: what Compare lists, in the words of the goal.
func (a *Archive) ChangesSinceStart(ctx context.Context) (goal.FolderChanges, error) {
	c, err := a.Compare(ctx, 0)
	if err != nil {
		return goal.FolderChanges{}, err
	}
	var out goal.FolderChanges
	for _, one := range c.Files() {
		out.List = append(out.List, goal.FolderChange{
			Path:      one.Path,
			Was:       one.Before.side(),
			Is:        one.After.side(),
			IsIgnored: one.IsIgnored(),
			ReadStart: func() ([]byte, error) { return a.Content(one.Before, MaxTextBytes) },
		})
	}
	for _, e := range c.LeftOut {
		out.LeftOut = append(out.LeftOut, goal.LeftOut{Path: string(e.Path), Reason: e.LeftOut})
	}
	return out, nil
}

func (e *Entry) side() *goal.FolderEntry {
	if e == nil {
		return nil
	}
	return &goal.FolderEntry{Mode: e.Mode, Size: e.Size, SHA256: e.SHA256, Target: string(e.Target)}
}
