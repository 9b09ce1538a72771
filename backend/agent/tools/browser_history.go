package tools

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserHistoryArgs struct {
	Pane string `json:"pane"`
	Go   string `json:"go"`
}

func browserHistory(r Deps) (Tool, error) {
	return defineTool("browser_history", func(ctx context.Context, a browserHistoryArgs) (policy.Effect, error) {
		if err := validateChoice("go", a.Go, "back", "forward", "reload"); err != nil {
			return policy.Effect{}, err
		}
		return r.pageEffect(a.Pane, func(p Browser) (policy.Effect, error) {
			address, resubmits, err := p.Navigation.HistoryTarget(ctx, a.Go)
			if err != nil {
				return policy.Effect{}, err
			}
			if !resubmits {
				return knownEffect("the pane goes to ", address, policy.ReadOnly, policy.NetworkGet), nil
			}
			e := knownEffect("the pane goes to ", address, policy.WriteLocal, policy.NetworkWrite)
			if len(e.Hosts) > 0 {
				e.Reason = "sends a form to " + e.Hosts[0] + " again"
			}
			return e, nil
		})
	}, func(ctx context.Context, a browserHistoryArgs) goal.Result {
		return r.doAction(ctx, a.Pane, func(p Browser) (pane.ActionResult, error) { return p.History.GoHistory(ctx, a.Go) })
	})
}
