package tools

import (
	"context"

	"goalpost/backend/goal"
)

// Recipes are those that are kept for every goal, and the steps of this one that
// new ones are made of.
type Recipes interface {
	List() ([]goal.Recipe, error)
	Get(name string) (goal.Recipe, error)
	Save(r goal.Recipe) error
	// Steps are the calls of the goal from one step to another that went well,
	// without control tools.
	Steps(ctx context.Context, from, to int) ([]goal.Call, error)
}

// nestedExecutor is a run that takes further calls through its door while a tool of it works.
type nestedExecutor interface {
	// ExecuteNested makes one call as the model would, with policy, approval and journal,
	// and names its step. An error says why nothing more can be done now.
	ExecuteNested(ctx context.Context, c goal.Call) (step int, r goal.Result, err error)
}

func recipeTools(r Recipes) []maker {
	return []maker{
		func() (Tool, error) { return saveRecipe(r) },
		func() (Tool, error) { return runRecipe(r) },
	}
}
