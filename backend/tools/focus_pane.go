package tools

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

type focusPaneArgs struct {
	Pane string `json:"pane" jsonschema:"the pane that the user should see"`
}

func focusPane(p Panes) (Tool, error) {
	return defineTool("focus_pane", func(context.Context, focusPaneArgs) (policy.Effect, error) { return viewEffect() },
		func(_ context.Context, a focusPaneArgs) goal.Result {
			return okUnless(p.Focus(a.Pane), "pane %s is in front", a.Pane)
		})
}
