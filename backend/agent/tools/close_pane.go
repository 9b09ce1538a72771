package tools

import (
	"context"

	"goalpost/backend/domain/goal"
)

type closePaneArgs struct {
	Pane string `json:"pane"`
}

func closePane(r Deps) (Tool, error) {
	return defineTool("close_pane", readEffect, func(ctx context.Context, a closePaneArgs) goal.Result {
		return okUnless(r.Panes.Close(ctx, a.Pane), "closed pane %s", a.Pane)
	})
}
