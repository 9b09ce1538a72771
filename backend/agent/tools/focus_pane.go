package tools

import (
	"context"

	"goalpost/backend/domain/goal"
)

type focusPaneArgs struct {
	Pane string `json:"pane"`
}

func focusPane(r Deps) (Tool, error) {
	return defineTool("focus_pane", readEffect, func(_ context.Context, a focusPaneArgs) goal.Result {
		return okUnless(r.Panes.Focus(a.Pane), "pane %s is in front", a.Pane)
	})
}
