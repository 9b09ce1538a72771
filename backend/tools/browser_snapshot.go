package tools

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
)

type browserSnapshotArgs struct {
	Pane string `json:"pane" jsonschema:"the browser pane, as browser_open named it"`
	From int    `json:"from,omitempty" jsonschema:"continue with the last snapshot from this line: its next_cursor"`
	Diff bool   `json:"diff,omitempty" jsonschema:"only what changed since the last snapshot of this page"`
}

func browserSnapshot(r Deps) (Tool, error) {
	return defineTool("browser_snapshot", readEffect, func(ctx context.Context, a browserSnapshotArgs) goal.Result {
		return r.usePage(a.Pane, func(p Browser) (goal.Result, error) {
			s, err := p.Reader.SnapshotPart(ctx, pane.SnapshotOptions{From: a.From, Diff: a.Diff})
			return pageResult(a.Pane, s.Text, s.Next, s.Total), err
		})
	})
}
