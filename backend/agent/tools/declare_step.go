package tools

import (
	"context"
	"errors"

	"goalpost/backend/domain/goal"
)

type declareStepArgs struct {
	Number          int    `json:"step_number"`
	Title           string `json:"title"`
	Action          string `json:"action"`
	SuccessCriteria string `json:"success_criteria"`
}

func declareStep(Deps) (Tool, error) {
	return defineControl("declare_step", func(a declareStepArgs) error {
		switch {
		case a.Number < 1:
			return errors.New("step_number counts from 1")
		case isBlank(a.Title) || isBlank(a.Action) || isBlank(a.SuccessCriteria):
			return errors.New("title, action and success_criteria must each say something")
		}
		return nil
	}, func(_ context.Context, run goal.RunControl, a declareStepArgs) goal.Result {
		err := run.DeclareStep(goal.StepDeclaration{
			Number:          a.Number,
			Title:           a.Title,
			Action:          a.Action,
			SuccessCriteria: a.SuccessCriteria,
		})
		return okUnless(err, "step %d is open; act, look at the result, then call verify_step", a.Number)
	})
}
