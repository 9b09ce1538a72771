package tools

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

type closePaneArgs struct {
	Pane string `json:"pane" jsonschema:"the pane to close; what runs in it ends"`
}

func closePane(p Panes) (Tool, error) {
	return defineTool("close_pane", func(context.Context, closePaneArgs) (policy.Effect, error) { return viewEffect() },
		func(ctx context.Context, a closePaneArgs) goal.Result {
			return okUnless(p.Close(ctx, a.Pane), "closed pane %s", a.Pane)
		})
}
