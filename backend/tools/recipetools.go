package tools

import (
	"context"

	"goalpost/backend/goal"
)

// Recipes are the recipes stored for every goal, and the steps of this one that new ones can be made of.
type Recipes interface {
	List() ([]goal.Recipe, error)
	Get(name string) (goal.Recipe, error)
	Save(r goal.Recipe) error
	// Steps are the successful calls of the goal from one step to another, without control tools.
	Steps(ctx context.Context, from, to int) ([]goal.Call, error)
}

// nestedExecutor is a run that dispatches further calls while one of its tools runs.
type nestedExecutor interface {
	// ExecuteNested makes one call as the model would, with policy, approval and journal, and returns its step. An
	// error says why no further call can be made now.
	ExecuteNested(ctx context.Context, c goal.Call) (step int, r goal.Result, err error)
}
