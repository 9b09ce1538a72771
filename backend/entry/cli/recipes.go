package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
	"goalpost/backend/goals/session"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// recipeCommands manage recipes.
type recipeCommands struct{ program Program }

func (rc recipeCommands) recipe() *cobra.Command {
	return newCommandGroup("recipe", "Manage recipes (steps that agents can repeat): list, show, save, remove",
		rc.listRecipes(), rc.showRecipe(), rc.saveRecipe(), rc.removeRecipe())
}

func (rc recipeCommands) listRecipes() *cobra.Command {
	return addJSON(&cobra.Command{
		Use: "list", Short: "List the recipes",
		RunE: rc.program.runWithConfig(func(c *cobra.Command, cfg *config.Config, _ []string) error {
			list, err := cfg.Recipes()
			if isJSON(c) {
				return errors.Join(rc.program.json(list), err)
			}
			if len(list) == 0 && err == nil {
				return rc.program.printf("No recipes. Save steps of a goal as one: %s recipe save NAME GOAL --from N --to M\n",
					rc.program.Name)
			}
			var b strings.Builder
			for _, r := range list {
				fmt.Fprintf(&b, "%-24s %8s  %s\n", r.Name, goal.FormatCount(len(r.Steps), "step"), oneLine(r.Description))
			}
			return errors.Join(rc.program.printf("%s", b.String()), err)
		}),
	})
}

func (rc recipeCommands) showRecipe() *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Print a recipe as YAML", Example: "  " + rc.program.Name + " recipe show log-in",
		RunE: rc.program.runWithConfig(func(_ *cobra.Command, c *config.Config, args []string) error {
			r, err := c.Recipe(args[0])
			if err != nil {
				return err
			}
			text, err := config.MarshalRecipe(r)
			if err != nil {
				return err
			}
			return rc.program.printf("%s", text)
		}),
	}
}

func (rc recipeCommands) removeRecipe() *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Short: "Remove a recipe", Example: "  " + rc.program.Name + " recipe remove log-in",
		RunE: rc.program.runWithConfig(func(_ *cobra.Command, cfg *config.Config, args []string) error {
			return cfg.DeleteRecipe(args[0])
		}),
	}
}

// stepRange holds the steps of a goal that become a recipe, or the file to read it from.
type stepRange struct {
	from, to    int
	description string
	values      []string
	file        string
}

func (rc recipeCommands) saveRecipe() *cobra.Command {
	var s stepRange
	c := &cobra.Command{
		Use: "save NAME [GOAL]", Short: "Save a recipe from a goal's steps or from a YAML file",
		Long: "Save the successful steps --from to --to of GOAL as a recipe; --param name=value replaces each occurrence " +
			"of the value with a parameter.\n" +
			"With --file a YAML file, as printed by show, is saved instead.",
		Example: "  " + rc.program.Name + " recipe save log-in 01k3abcd --from 3 --to 9\n  " + rc.program.Name +
			" recipe save log-in --file recipe.yaml",
		RunE: func(c *cobra.Command, args []string) error {
			if (s.file == "") == (len(args) == 1) {
				return fault.Invalid("", "give either a goal or --file",
					rc.program.Name+" recipe save NAME GOAL --from 3 --to 9, or --file recipe.yaml")
			}
			if s.file != "" {
				return rc.saveFileAsRecipe(args[0], s.file)
			}
			return rc.saveStepsAsRecipe(c.Context(), args[0], args[1], s)
		},
	}
	f := c.Flags()
	f.IntVar(&s.from, "from", 1, "first step")
	f.IntVar(&s.to, "to", 0, "last step")
	f.StringVar(&s.description, "description", "", "what it does, in a sentence")
	f.StringArrayVar(&s.values, "param", nil,
		"name=value: a parameter, and the value that is in the steps now; repeatable")
	f.StringVar(&s.file, "file", "", "a YAML file instead of a goal's steps; - is stdin")
	return c
}

func (rc recipeCommands) saveStepsAsRecipe(ctx context.Context, name, id string, s stepRange) error {
	if s.to < s.from || s.from < 1 {
		return fault.Invalid("to", fmt.Sprintf("steps %d to %d are not a valid range", s.from, s.to),
			"give --from and --to; show GOAL lists the steps")
	}
	var parameters []goal.Parameter
	for _, v := range s.values {
		key, value, ok := strings.Cut(v, "=")
		if !ok {
			return fault.Invalid("param", fmt.Sprintf("%q is not a parameter", v), "write name=value")
		}
		parameters = append(parameters, goal.Parameter{Name: key, Default: &value})
	}
	return rc.program.withReadOnlyStore(ctx, func(_ *calls.GoalAPI, st *store.Store) error {
		row, err := st.Goals.Find(ctx, id)
		if err != nil {
			return fmt.Errorf("recipe: %w", err)
		}
		calls, err := session.StepsToKeep(ctx, st, row.ID, s.from, s.to)
		if err != nil {
			return err
		}
		if s.description == "" {
			s.description = row.Objective
		}
		r, err := goal.RecipeFromCalls(name, s.description, calls, parameters)
		if err != nil {
			return fault.New(fault.Refused, err.Error(), "goalctl recipes show NAME shows how a recipe is written")
		}
		return rc.program.withConfig(func(c *config.Config) error { return c.SaveRecipe(r) })
	})
}

func (rc recipeCommands) saveFileAsRecipe(name, file string) error {
	from := rc.program.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return fmt.Errorf("recipe: %w", err)
		}
		defer func() { _ = f.Close() }()
		from = f
	}
	const maxBytes = 64 << 10
	b, err := io.ReadAll(io.LimitReader(from, maxBytes))
	if err != nil {
		return fmt.Errorf("recipe: %w", err)
	}
	r, err := config.ParseRecipe(b)
	if err != nil {
		return fault.New(fault.Refused, file+": "+err.Error(), "correct the file, then import it again")
	}
	r.Name = name
	return rc.program.withConfig(func(c *config.Config) error { return c.SaveRecipe(r) })
}
