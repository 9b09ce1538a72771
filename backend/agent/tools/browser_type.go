package tools

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserTypeArgs struct {
	Pane   string `json:"pane"`
	Target string `json:"target"`
	Text   string `json:"text"`
	Clear  bool   `json:"clear,omitempty"`
	Submit bool   `json:"submit,omitempty"`
}

func browserType(r Deps) (Tool, error) {
	t, err := defineTool("browser_type", func(ctx context.Context, a browserTypeArgs) (policy.Effect, error) {
		return r.actionEffect(ctx, a.Pane, a.Target, a.Submit)
	}, func(ctx context.Context, a browserTypeArgs) goal.Result {
		return r.doAction(ctx, a.Pane, func(p Browser) (pane.ActionResult, error) {
			return p.Forms.Type(ctx, a.Target, a.Text, a.Submit, a.Clear)
		})
	})
	return withPreview(t, err, func(ctx context.Context, a browserTypeArgs) string {
		return r.describeSubmission(ctx, a.Pane, a.Target, a.Submit)
	})
}
