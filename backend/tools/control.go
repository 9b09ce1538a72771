package tools

import (
	"context"
	"errors"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

// defineControl makes a control tool: no risk level applies to it, and it belongs to the run in its context. Outside
// a run it returns an error and does nothing. check refuses arguments that fit the schema but are empty; it may be
// nil.
func defineControl[A any](
	name string, check func(A) error, do func(context.Context, goal.RunControl, A) goal.Result,
) (Tool, error) {
	return defineTool(name, func(_ context.Context, a A) (policy.Effect, error) {
		if check != nil {
			if err := check(a); err != nil {
				return policy.Effect{}, err
			}
		}
		return policy.Effect{Control: true}, nil
	}, func(ctx context.Context, a A) goal.Result {
		run, inRun := goal.RunOf(ctx)
		if !inRun {
			return failedResult(`{"success":false,"message":"%s called outside an active goal run."}`, name)
		}
		return do(ctx, run.Control, a)
	})
}

// okUnless returns a success, or a failure if the run refused.
func okUnless(err error, format string, a ...any) goal.Result {
	if err != nil {
		return failedResult("%s", err)
	}
	return ok(format, a...)
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

type claimCompleteArgs struct {
	Rationale string `json:"rationale" jsonschema:"why the goal is reached, briefly, with what you saw"`
	Result    string `json:"result,omitempty" jsonschema:"what the user asked for, if it is an answer"`
}

func claimComplete(Deps) (Tool, error) {
	return defineControl("claim_complete", nil,
		func(_ context.Context, run goal.RunControl, a claimCompleteArgs) goal.Result {
			run.Claim(a.Rationale, a.Result)
			return ok("the host verifies the claim now")
		})
}

type abortWithReportArgs struct {
	Reason  string `json:"reason" jsonschema:"why it cannot be done"`
	Learned string `json:"what_was_learned" jsonschema:"what the next try should know"`
}

func abortWithReport(Deps) (Tool, error) {
	return defineControl("abort_with_report", func(a abortWithReportArgs) error {
		if isBlank(a.Reason) {
			return errors.New("the reason is empty; say why it cannot be done")
		}
		return nil
	}, func(_ context.Context, run goal.RunControl, a abortWithReportArgs) goal.Result {
		run.GiveUp(a.Reason, a.Learned)
		return ok("the run ends with this report")
	})
}
