package tools

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserHoverArgs struct {
	Pane   string `json:"pane"`
	Target string `json:"target"`
}

func browserHover(r Deps) (Tool, error) {
	return defineTool("browser_hover", func(_ context.Context, a browserHoverArgs) (policy.Effect, error) {
		return r.passiveFetchEffect(a.Pane)
	}, func(ctx context.Context, a browserHoverArgs) goal.Result {
		return r.doAction(ctx, a.Pane, func(p Browser) (pane.ActionResult, error) { return p.Mouse.Hover(ctx, a.Target) })
	})
}
