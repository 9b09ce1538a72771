package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"goalpost/backend/domain/goal"
)

type writeTodosArgs struct {
	Todos []todo `json:"todos,omitempty"`
	Done  []int  `json:"done,omitempty"`
}

type todo struct {
	Text string `json:"text"`
	Done bool   `json:"done,omitempty"`
}

func writeTodos(Deps) (Tool, error) {
	return defineControl("write_todos", func(a writeTodosArgs) error {
		if len(a.Todos) > 0 && len(a.Done) > 0 {
			return errors.New("give either todos to replace the plan, or done to tick off todos")
		}
		return nil
	}, func(ctx context.Context, run goal.RunControl, a writeTodosArgs) goal.Result {
		if len(a.Done) > 0 {
			return tickOffTodos(ctx, run, a.Done)
		}
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

// tickOffTodos marks todos as done, up to the first number that is not in the plan.
func tickOffTodos(ctx context.Context, run goal.RunControl, numbers []int) goal.Result {
	done := make([]string, 0, len(numbers))
	for _, n := range numbers {
		if err := run.CompleteTodo(ctx, n); err != nil {
			return failedResult("%s", err)
		}
		done = append(done, fmt.Sprintf("todo %d is done", n))
	}
	return okResult("%s", strings.Join(done, ", "))
}
