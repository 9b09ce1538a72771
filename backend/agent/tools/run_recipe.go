package tools

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

type runRecipeArgs struct {
	Name   string           `json:"name,omitempty"`
	Values []parameterValue `json:"values,omitempty"`
	From   int              `json:"from,omitempty"`
}

type parameterValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func runRecipe(r Deps) (Tool, error) {
	return defineTool("run_recipe", func(_ context.Context, a runRecipeArgs) (policy.Effect, error) {
		if a.Name == "" {
			return viewEffect()
		}
		_, calls, err := a.calls(r.Recipes)
		if err != nil {
			return policy.Effect{}, err
		}
		// Each step has its own effect, which the policy judges when the step runs.
		return policy.Effect{
			Risk:      policy.ReadOnly,
			Delegates: true,
			Reason:    fmt.Sprintf("starts %d steps, each judged separately", len(calls)),
		}, nil
	}, func(ctx context.Context, a runRecipeArgs) goal.Result {
		if a.Name == "" {
			return listRecipes(r.Recipes)
		}
		recipe, calls, err := a.calls(r.Recipes)
		if err != nil {
			return failedResult("%s", err)
		}
		run, inRun := goal.RunOf(ctx)
		executor, ok := run.Control.(nestedExecutor)
		if !inRun || !ok {
			return failedResult("a recipe can only run in a goal")
		}
		return runCalls(ctx, executor, recipe, calls, max(a.From, 1))
	})
}

// calls returns the calls of the recipe from the requested step on.
func (rra runRecipeArgs) calls(r Recipes) (goal.Recipe, []goal.Call, error) {
	if err := goal.ValidateRecipeName(rra.Name); err != nil {
		return goal.Recipe{}, nil, err
	}
	recipe, err := r.Get(rra.Name)
	if err != nil {
		return recipe, nil, err
	}
	values := map[string]string{}
	for _, v := range rra.Values {
		values[v.Name] = v.Value
	}
	calls, err := recipe.Fill(values)
	if err != nil {
		return recipe, nil, err
	}
	if rra.From < 0 || rra.From > len(calls) {
		return recipe, nil, fmt.Errorf("the recipe %s has %d steps; there is no step %d", rra.Name, len(calls), rra.From)
	}
	return recipe, calls, nil
}

const maxShownResult = 1200 // bytes of a step's result; the journal has all of it

// runCalls executes the calls one after the other until one fails.
func runCalls(
	ctx context.Context, executor nestedExecutor, recipe goal.Recipe, calls []goal.Call, from int,
) goal.Result {
	var lines []string
	stop := func(format string, a ...any) goal.Result {
		return failedResult("%s", strings.Join(append(lines, fmt.Sprintf(format, a...)), "\n"))
	}
	for i := from - 1; i < len(calls); i++ {
		if calls[i].Tool == "run_recipe" || calls[i].Tool == "save_recipe" {
			return stop("step %d calls %s, which is not allowed in a recipe", i+1, calls[i].Tool)
		}
		n, r, err := executor.ExecuteNested(ctx, calls[i])
		if err != nil {
			return stop("it stopped before step %d, %s: %s", i+1, calls[i].Tool, err)
		}
		word := "ok"
		if !r.OK {
			word = "failed"
		}
		lines = append(lines, fmt.Sprintf("%d. %s %s (step:%d): %s", i+1, calls[i].Tool, word, n,
			closeQuotes(text.TruncateBytes(r.Text, maxShownResult))))
		if !r.OK && recipe.Steps[i].OnFail != "continue" {
			return stop("it stopped at step %d; fix the problem, then run it from there", i+1)
		}
	}
	r := okResult("the recipe %s is done\n%s", recipe.Name, strings.Join(lines, "\n"))
	r.Budget = 2 * defaultResultBytes
	return r
}

// closeQuotes closes a quotation that truncation left open.
func closeQuotes(s string) string {
	if strings.Count(s, "<output from=") > strings.Count(s, "\n</output>") {
		return s + "\n</output>"
	}
	return s
}

func listRecipes(r Recipes) goal.Result {
	list, err := r.List()
	if err != nil && len(list) == 0 {
		return failedResult("%s", err)
	}
	if len(list) == 0 {
		return okResult("There are no recipes; save_recipe makes one from your steps.")
	}
	var b strings.Builder
	for _, one := range list {
		fmt.Fprintf(&b, "%s: %s (%d steps)\n", one.Name, one.Description, len(one.Steps))
		for _, p := range one.Parameters {
			fmt.Fprintf(&b, "  %s: %s", p.Name, p.Description)
			if p.Default != nil {
				fmt.Fprintf(&b, " (default %q)", text.TruncateBytes(*p.Default, 100))
			}
			b.WriteByte('\n')
		}
	}
	return goal.Result{OK: true, Text: wrapOutside("the recipes", b.String())}
}
