package tools

import (
	"context"
	"errors"

	"goalpost/backend/domain/goal"
)

type verifyStepArgs struct {
	Number      int    `json:"step_number"`
	Passed      bool   `json:"passed"`
	Observation string `json:"observation"`
	NextAction  string `json:"next_action,omitempty"`
}

func verifyStep(Deps) (Tool, error) {
	return defineControl("verify_step", func(a verifyStepArgs) error {
		if isBlank(a.Observation) {
			return errors.New("the observation is empty; say what you saw")
		}
		return nil
	}, func(_ context.Context, run goal.RunControl, a verifyStepArgs) goal.Result {
		err := run.VerifyStep(goal.StepObservation{
			Number:      a.Number,
			Passed:      a.Passed,
			Observation: a.Observation,
			NextAction:  a.NextAction,
		})
		if a.Passed {
			return okUnless(err, "step %d is closed as passed", a.Number)
		}
		return okUnless(err, "step %d is closed as not passed; find out why before the next one", a.Number)
	})
}
