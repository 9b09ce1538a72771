package tools

import (
	"context"
	"errors"

	"goalpost/backend/goal"
)

type askOperatorArgs struct {
	Question string `json:"question" jsonschema:"what the person must decide or do, in one or two sentences, with what you tried"`
}

func askOperator() (Tool, error) {
	return defineControl("ask_operator", func(a askOperatorArgs) error {
		if blank(a.Question) {
			return errors.New("the question is empty; say what the person must decide or do")
		}
		return nil
	}, func(_ context.Context, run goal.Control, a askOperatorArgs) goal.Result {
		run.Ask(a.Question)
		return ok("the run pauses until the person answers; the answer comes as a message")
	})
}
