package tools

import (
	"context"
	"errors"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

type browserEvalArgs struct {
	Pane   string `json:"pane" jsonschema:"the browser pane"`
	Script string `json:"script" jsonschema:"a JavaScript expression; a promise is awaited. Its value comes back as JSON"`
}

func browserEval(b Browsers) (Tool, error) {
	return defineTool("browser_eval", func(ctx context.Context, a browserEvalArgs) (policy.Effect, error) {
		if isBlank(a.Script) {
			return policy.Effect{}, errors.New("the script is empty")
		}
		e, err := scriptEffect(ctx, b, a.Pane)
		e.Script = true
		if len(e.Hosts) > 0 && e.Pane == "" {
			e.Reason = "runs a script in a page of " + e.Hosts[0]
		}
		return e, err
	}, func(ctx context.Context, a browserEvalArgs) goal.Result {
		p, err := b.Get(a.Pane)
		if err != nil {
			return failedResult("%s", err)
		}
		value, err := p.Eval(ctx, a.Script)
		if err != nil {
			return pageError(a.Pane, err)
		}
		return goal.Result{OK: true, Text: wrapOutside("a script in pane "+a.Pane, value), Budget: maxPageTextBytes}
	})
}
