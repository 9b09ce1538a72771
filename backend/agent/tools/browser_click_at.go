package tools

import (
	"context"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserClickAtArgs struct {
	Pane   string `json:"pane"`
	X      int    `json:"x"`
	Y      int    `json:"y"`
	Button string `json:"button,omitempty"`
	Double bool   `json:"double,omitempty"`
}

func browserClickAt(r Deps) (Tool, error) {
	point := func(a browserClickAtArgs) string { return fmt.Sprintf("at=%d,%d", a.X, a.Y) }
	t, err := defineTool("browser_click_at", func(ctx context.Context, a browserClickAtArgs) (policy.Effect, error) {
		if a.X < 0 || a.Y < 0 || a.X > maxScroll || a.Y > maxScroll {
			return policy.Effect{}, fmt.Errorf("%d,%d is outside the viewport; a snapshot shows its size", a.X, a.Y)
		}
		if err := validateButton(a.Button); err != nil {
			return policy.Effect{}, err
		}
		return r.actionEffect(ctx, a.Pane, point(a), false)
	}, func(ctx context.Context, a browserClickAtArgs) goal.Result {
		return r.doAction(ctx, a.Pane, func(p Browser) (pane.ActionResult, error) {
			return p.Mouse.ClickAt(ctx, a.X, a.Y, pane.ClickOptions{Button: a.Button, Double: a.Double})
		})
	})
	return withPreview(t, err, func(ctx context.Context, a browserClickAtArgs) string {
		return r.describeSubmission(ctx, a.Pane, point(a), false)
	})
}
