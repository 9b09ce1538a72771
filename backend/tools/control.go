package tools

import (
	"context"
	"fmt"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

func control[A any](context.Context, A) (policy.Effect, error) {
	return policy.Effect{Control: true}, nil
}

// outsideRun is what a control tool answers when no run stands behind its context.
func outsideRun(name string) goal.Result {
	return failed(`{"success":false,"message":"%s called outside an active goal run."}`, name)
}

type claimCompleteArgs struct {
	Rationale string `json:"rationale" jsonschema:"why the goal is reached, briefly, with what you saw"`
	Result    string `json:"result,omitempty" jsonschema:"what the person asked for, if it is an answer"`
}

func claimComplete() (Tool, error) {
	const name = "claim_complete"
	return define(name, control[claimCompleteArgs], func(ctx context.Context, a claimCompleteArgs) goal.Result {
		run, inRun := goal.RunOf(ctx)
		if !inRun {
			return outsideRun(name)
		}
		run.Control.Claim(a.Rationale, a.Result)
		return ok("the host verifies the claim now")
	})
}

type abortWithReportArgs struct {
	Reason  string `json:"reason" jsonschema:"why it cannot be done"`
	Learned string `json:"what_was_learned" jsonschema:"what the next try should know"`
}

func abortWithReport() (Tool, error) {
	const name = "abort_with_report"
	return define(name, func(_ context.Context, a abortWithReportArgs) (policy.Effect, error) {
		if a.Reason == "" {
			return policy.Effect{}, fmt.Errorf("the reason is empty; say why it cannot be done")
		}
		return policy.Effect{Control: true}, nil
	}, func(ctx context.Context, a abortWithReportArgs) goal.Result {
		run, inRun := goal.RunOf(ctx)
		if !inRun {
			return outsideRun(name)
		}
		run.Control.GiveUp(a.Reason, a.Learned)
		return ok("the run ends with this report")
	})
}
