package tools

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

type namePaneArgs struct {
	Pane  string `json:"pane"`
	Title string `json:"title"`
}

func namePane(r Deps) (Tool, error) {
	return defineTool("name_pane", func(_ context.Context, a namePaneArgs) (policy.Effect, error) {
		if err := validateTitle(a.Title); err != nil {
			return policy.Effect{}, err
		}
		return viewEffect()
	}, func(_ context.Context, a namePaneArgs) goal.Result {
		return okUnless(r.Panes.Name(a.Pane, a.Title), "pane %s is called %q", a.Pane, a.Title)
	})
}
