package tools

import (
	"context"
	"errors"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserSelectArgs struct {
	Pane    string   `json:"pane"`
	Target  string   `json:"target"`
	Options []string `json:"options"`
}

func browserSelect(r Deps) (Tool, error) {
	return defineTool("browser_select", func(ctx context.Context, a browserSelectArgs) (policy.Effect, error) {
		if len(a.Options) == 0 {
			return policy.Effect{}, errors.New("options is empty; name the option to choose")
		}
		return r.actionEffect(ctx, a.Pane, a.Target, false)
	}, func(ctx context.Context, a browserSelectArgs) goal.Result {
		return r.doAction(ctx, a.Pane,
			func(p Browser) (pane.ActionResult, error) { return p.Forms.Select(ctx, a.Target, a.Options) })
	})
}
