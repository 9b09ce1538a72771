package tools

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserCheckArgs struct {
	Pane   string `json:"pane"`
	Target string `json:"target"`
	Off    bool   `json:"off,omitempty"`
}

func browserCheck(r Deps) (Tool, error) {
	return defineTool("browser_check", func(ctx context.Context, a browserCheckArgs) (policy.Effect, error) {
		return r.actionEffect(ctx, a.Pane, a.Target, false)
	}, func(ctx context.Context, a browserCheckArgs) goal.Result {
		return r.doAction(ctx, a.Pane, func(p Browser) (pane.ActionResult, error) {
			return p.Forms.Check(ctx, a.Target, !a.Off)
		})
	})
}
