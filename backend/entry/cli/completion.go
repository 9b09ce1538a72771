package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

// maxCompletions limits the goals that a shell offers, newest first.
const maxCompletions = 50

// addCompletions makes shells complete goal ids, folders and the values of flags that have a fixed list. A completion
// reads the journal only: it creates no data folder and starts nothing.
func (p Program) addCompletions(root *cobra.Command) {
	values := map[string][]string{
		"check-output": {"exit", "names", "full"},
		"on-ask":       {"park", "deny", "allow"},
		"require":      {"strong", "tested", "weakened", "judged", "claimed"},
		"risk":         strings.Split(policy.RiskNames(), ", "),
	}
	walkCommands(root, func(c *cobra.Command) {
		if takesGoal(c) {
			c.ValidArgsFunction = p.completeGoal
		}
		for name, list := range values {
			completeFlag(c, name, cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp))
		}
		completeFlag(c, "after", p.completeGoal)
		for _, name := range []string{"dir", "check-dir"} {
			completeFlag(c, name, completeFolder)
		}
	})
}

// takesGoal reports whether the arguments of a command begin with the id of a goal.
func takesGoal(c *cobra.Command) bool {
	words := strings.Fields(c.Use)
	return c.Parent() != nil && !c.Parent().HasParent() && len(words) > 1 && strings.Trim(words[1], "[]") == "ID"
}

func completeFlag(c *cobra.Command, name string, complete cobra.CompletionFunc) {
	if c.Flags().Lookup(name) == nil {
		return
	}
	if err := c.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err) // a flag has one completion, and this one exists
	}
}

func completeFolder(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// completeGoal offers the ids of goals with state and objective. Arguments after the first are files.
func (p Program) completeGoal(c *cobra.Command, args []string, part string) ([]cobra.Completion,
	cobra.ShellCompDirective,
) {
	if len(args) > 0 && takesGoal(c) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var found []cobra.Completion
	err := p.withReadOnlyStore(c.Context(), func(g *calls.GoalAPI, _ *store.Store) error {
		list, err := g.List(calls.ListInput{Limit: maxCompletions})
		for _, card := range list.Goals {
			id := goal.ID(card.ID)
			names := []string{id.Short(), card.ID}
			i := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, strings.ToLower(part)) })
			if i >= 0 {
				state := strings.TrimSuffix(string(card.Status)+"/"+string(card.Exit), "/")
				found = append(found, cobra.CompletionWithDesc(names[i], state+": "+oneLine(card.Objective)))
			}
		}
		return err
	})
	if err != nil { // a shell shows no error here; the command itself will
		return nil, cobra.ShellCompDirectiveError | cobra.ShellCompDirectiveNoFileComp
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
