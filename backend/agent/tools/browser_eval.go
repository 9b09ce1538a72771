package tools

import (
	"context"
	"errors"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

type browserEvalArgs struct {
	Pane   string `json:"pane"`
	Script string `json:"script"`
}

func browserEval(r Deps) (Tool, error) {
	return defineTool("browser_eval", func(ctx context.Context, a browserEvalArgs) (policy.Effect, error) {
		if isBlank(a.Script) {
			return policy.Effect{}, errors.New("the script is empty")
		}
		e, err := r.scriptEffect(ctx, a.Pane)
		e.Script = true
		if len(e.Hosts) > 0 && e.Pane == "" {
			e.Reason = "runs a script in a page of " + e.Hosts[0]
		}
		return e, err
	}, func(ctx context.Context, a browserEvalArgs) goal.Result {
		return r.act(ctx, a.Pane, func(p Browser) (goal.Result, error) {
			value, err := p.Actions.Eval(ctx, a.Script)
			return goal.Result{OK: true, Text: wrapOutside("a script in pane "+a.Pane, value), Budget: maxPageTextBytes}, err
		})
	})
}
