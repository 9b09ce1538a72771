package session

import (
	"context"
	"fmt"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// goalRecipes gives one goal's tools access to the recipes.
type goalRecipes struct {
	cfg   *config.Config
	store *store.Store
	goal  goal.ID
}

func (g goalRecipes) List() ([]goal.Recipe, error)         { return g.cfg.Recipes() }
func (g goalRecipes) Get(name string) (goal.Recipe, error) { return g.cfg.Recipe(name) }
func (g goalRecipes) Save(recipe goal.Recipe) error        { return g.cfg.SaveRecipe(recipe) }

func (g goalRecipes) Steps(ctx context.Context, from, to int) ([]goal.Call, error) {
	return StepsToKeep(ctx, g.store, g.goal, from, to)
}

// StepsToKeep returns the successful calls in a range of a goal's steps, for a recipe. It leaves out control tools and
// the tools that save or run recipes.
func StepsToKeep(ctx context.Context, s *store.Store, id goal.ID, from, to int) ([]goal.Call, error) {
	if to-from >= 10*goal.MaxRecipe {
		return nil, fmt.Errorf("steps %d to %d are too many; a recipe may have at most %d", from, to, goal.MaxRecipe)
	}
	steps, err := s.History.Steps(ctx, id, from-1, to-from+1)
	if err != nil {
		return nil, fmt.Errorf("the steps: %w", err)
	}
	var calls []goal.Call
	for _, st := range steps {
		if st.N > to || st.Outcome != event.OK || st.Risk == string(policy.Risk("")) || st.Tool == "save_recipe" ||
			st.Tool == "run_recipe" {
			continue
		}
		calls = append(calls, goal.Call{Tool: st.Tool, Arguments: st.Arguments})
	}
	return calls, nil
}
