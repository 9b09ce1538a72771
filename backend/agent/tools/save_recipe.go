package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

type saveRecipeArgs struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	From        int               `json:"from_step"`
	To          int               `json:"to_step"`
	Parameters  []recipeParameter `json:"parameters,omitempty"`
}

type recipeParameter struct {
	Name        string `json:"name"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
}

func saveRecipe(r Deps) (Tool, error) {
	t, err := defineTool("save_recipe", func(_ context.Context, a saveRecipeArgs) (policy.Effect, error) {
		switch err := goal.ValidateRecipeName(a.Name); {
		case err != nil:
			return policy.Effect{}, err
		case isBlank(a.Description) || len(a.Description) > 500:
			return policy.Effect{},
				fmt.Errorf("the description has %d bytes; say in one sentence what the recipe does", len(a.Description))
		case a.From < 1 || a.To < a.From:
			return policy.Effect{}, fmt.Errorf("steps %d to %d are not a range; steps count from 1", a.From, a.To)
		}
		return policy.Effect{
			Risk:       policy.WriteLocal,
			Persistent: true,
			Delegates:  true,
			Reason:     "saves the recipe " + a.Name + " for other goals",
		}, nil
	}, func(ctx context.Context, a saveRecipeArgs) goal.Result {
		recipe, err := a.recipe(ctx, r.Recipes)
		if err == nil {
			err = r.Recipes.Save(recipe)
		}
		return okUnless(err, "the recipe %s is saved, %d steps; run_recipe repeats them", a.Name, len(recipe.Steps))
	})
	return withPreview(t, err, func(ctx context.Context, a saveRecipeArgs) string {
		recipe, err := a.recipe(ctx, r.Recipes)
		if err != nil {
			return ""
		}
		preview, err := json.MarshalIndent(recipe, "", "  ")
		if err != nil {
			return ""
		}
		return string(preview)
	})
}

// recipe makes the recipe from the executed steps.
func (s saveRecipeArgs) recipe(ctx context.Context, r Recipes) (goal.Recipe, error) {
	calls, err := r.Steps(ctx, s.From, s.To)
	if err != nil {
		return goal.Recipe{}, fmt.Errorf("reading the steps: %w", err)
	}
	var parameters []goal.Parameter
	for _, p := range s.Parameters {
		parameters = append(parameters, goal.Parameter{Name: p.Name, Description: p.Description, Default: &p.Value})
	}
	return goal.RecipeFromCalls(s.Name, s.Description, calls, parameters)
}
