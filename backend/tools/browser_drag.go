package tools

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
)

type browserDragArgs struct {
	Pane string `json:"pane" jsonschema:"the browser pane"`
	From string `json:"from" jsonschema:"what to drag: a ref, css=SELECTOR, visible text, or a point of the viewport such as at=120,340"`
	To   string `json:"to" jsonschema:"where to drop it, named likewise"`
}

func browserDrag(r Deps) (Tool, error) {
	return defineTool("browser_drag", func(ctx context.Context, a browserDragArgs) (policy.Effect, error) {
		return r.scriptEffect(ctx, a.Pane)
	}, func(ctx context.Context, a browserDragArgs) goal.Result {
		return r.doAction(a.Pane, func(p Browser) (pane.ActionResult, error) { return p.Mouse.Drag(ctx, a.From, a.To) })
	})
}
