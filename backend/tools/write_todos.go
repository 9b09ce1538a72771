package tools

import (
	"context"

	"goalpost/backend/goal"
)

type writeTodosArgs struct {
	Todos []todo `json:"todos" jsonschema:"the whole plan in order, 3 to 7 entries"`
}

type todo struct {
	Text string `json:"text" jsonschema:"what is to be done, in a few words"`
	Done bool   `json:"done,omitempty" jsonschema:"true if it is already done"`
}

func writeTodos() (Tool, error) {
	return defineControl("write_todos", nil, func(ctx context.Context, run goal.RunControl, a writeTodosArgs) goal.Result {
		plan, open := make([]goal.Todo, len(a.Todos)), 0
		for i, t := range a.Todos {
			plan[i] = goal.Todo(t)
			if !t.Done {
				open++
			}
		}
		return okUnless(run.WriteTodos(ctx, plan), "the plan is saved: %d todos, %d open", len(plan), open)
	})
}
