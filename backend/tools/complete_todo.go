package tools

import (
	"context"

	"goalpost/backend/goal"
)

type completeTodoArgs struct {
	Number int `json:"number" jsonschema:"the todo's place in the plan, counting from 1"`
}

func completeTodo() (Tool, error) {
	return defineControl("complete_todo", nil,
		func(ctx context.Context, run goal.RunControl, a completeTodoArgs) goal.Result {
			return okUnless(run.CompleteTodo(ctx, a.Number), "todo %d is done", a.Number)
		})
}
