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

func browserSnapshot(b Browsers) (Tool, error) {
	return defineTool("browser_snapshot", readEffect[browserSnapshotArgs],
		func(ctx context.Context, a browserSnapshotArgs) goal.Result {
			p, err := b.Get(a.Pane)
			if err != nil {
				return failedResult("%s", err)
			}
			s, err := p.SnapshotPart(ctx, pane.SnapshotOptions{From: a.From, Diff: a.Diff})
			if err != nil {
				return pageError(a.Pane, err)
			}
			return pageResult(a.Pane, s.Text, s.Next, s.Total)
		})
}
