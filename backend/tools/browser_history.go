package tools

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
)

type browserHistoryArgs struct {
	Pane string `json:"pane" jsonschema:"the browser pane"`
	Go   string `json:"go" jsonschema:"back, forward or reload"`
}

func browserHistory(b Browsers) (Tool, error) {
	return defineTool("browser_history", func(ctx context.Context, a browserHistoryArgs) (policy.Effect, error) {
		if err := validateChoice("go", a.Go, "back", "forward", "reload"); err != nil {
			return policy.Effect{}, err
		}
		p, err := b.Get(a.Pane)
		if err != nil {
			return policy.Effect{}, err
		}
		address, again, err := p.HistoryTarget(ctx, a.Go)
		if err != nil {
			return policy.Effect{}, err
		}
		local, away := policy.ReadOnly, policy.NetworkGet
		if again {
			local, away = policy.WriteLocal, policy.NetworkWrite
		}
		e, err := addressEffect(address, local, away)
		if err != nil {
			return effectInPane(p.Info())(policy.UnknownEffect("the pane goes to "+address), nil)
		}
		if again && len(e.Hosts) > 0 {
			e.Reason = "sends a form to " + e.Hosts[0] + " again"
		}
		return effectInPane(p.Info())(e, nil)
	}, func(ctx context.Context, a browserHistoryArgs) goal.Result {
		return doAction(b, a.Pane, func(p Browser) (pane.ActionResult, error) { return p.GoHistory(ctx, a.Go) })
	})
}
