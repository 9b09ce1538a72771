package tools

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserDragArgs struct {
	Pane string `json:"pane"`
	From string `json:"from"`
	To   string `json:"to"`
}

func browserDrag(r Deps) (Tool, error) {
	return defineTool("browser_drag", func(ctx context.Context, a browserDragArgs) (policy.Effect, error) {
		return r.scriptEffect(ctx, a.Pane)
	}, func(ctx context.Context, a browserDragArgs) goal.Result {
		return r.doAction(ctx, a.Pane, func(p Browser) (pane.ActionResult, error) { return p.Mouse.Drag(ctx, a.From, a.To) })
	})
}
