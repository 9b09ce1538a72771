package tools

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserClickArgs struct {
	Pane   string `json:"pane"`
	Target string `json:"target"`
	Button string `json:"button,omitempty"`
	Double bool   `json:"double,omitempty"`
}

func browserClick(r Deps) (Tool, error) {
	t, err := defineTool("browser_click", func(ctx context.Context, a browserClickArgs) (policy.Effect, error) {
		if err := validateButton(a.Button); err != nil {
			return policy.Effect{}, err
		}
		return r.actionEffect(ctx, a.Pane, a.Target, false)
	}, func(ctx context.Context, a browserClickArgs) goal.Result {
		return r.doAction(ctx, a.Pane, func(p Browser) (pane.ActionResult, error) {
			return p.Mouse.ClickWith(ctx, a.Target, pane.ClickOptions{Button: a.Button, Double: a.Double})
		})
	})
	return withPreview(t, err, func(ctx context.Context, a browserClickArgs) string {
		return r.describeSubmission(ctx, a.Pane, a.Target, false)
	})
}

// validateButton returns an error for an unknown mouse button.
func validateButton(name string) error {
	return validateChoice("button", name, "", "left", "right", "middle")
}
