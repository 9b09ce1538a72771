package tools

import (
	"context"

	"goalpost/backend/domain/goal"
)

// Recipes stores the recipes of all goals, and returns the steps of this goal for new ones.
type Recipes interface {
	List() ([]goal.Recipe, error)
	Get(name string) (goal.Recipe, error)
	Save(r goal.Recipe) error
	// Steps returns the successful calls of the goal from one step to another, without control tools.
	Steps(ctx context.Context, from, to int) ([]goal.Call, error)
}

// nestedExecutor is a run that can execute further calls while one of its tools runs.
type nestedExecutor interface {
	// ExecuteNested executes one call like a call of the model, with policy, approval and journal, and returns its
	// step. An error says why no further call is possible now.
	ExecuteNested(ctx context.Context, c goal.Call) (step int, r goal.Result, err error)
}
