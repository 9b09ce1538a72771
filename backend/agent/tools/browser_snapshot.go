package tools

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
)

type browserSnapshotArgs struct {
	Pane string `json:"pane"`
	From int    `json:"from,omitempty"`
	Diff bool   `json:"diff,omitempty"`
}

func browserSnapshot(r Deps) (Tool, error) {
	return defineTool("browser_snapshot", readEffect, func(ctx context.Context, a browserSnapshotArgs) goal.Result {
		return r.usePage(a.Pane, func(p Browser) (goal.Result, error) {
			s, err := p.Reader.SnapshotPart(ctx, pane.SnapshotOptions{From: a.From, Diff: a.Diff})
			return pageResult(a.Pane, s.Text, s.Next, s.Total), err
		})
	})
}
