package cli

import (
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
)

// orderCommands act on goals that exist.
type orderCommands struct{ program Program }

// orderCommand makes a command that sends an instruction to one goal.
func (o orderCommands) orderCommand(name, short string, do func(*calls.GoalAPI, string) (bool, error)) *cobra.Command {
	return &cobra.Command{
		Use: name + " ID", Short: short,
		RunE: o.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			_, err := do(a.GoalAPI(c.Context()), args[0])
			return err
		}),
	}
}

func (o orderCommands) steer() *cobra.Command {
	return &cobra.Command{
		Use: "steer ID TEXT", Short: "Send a note to an active goal",
		RunE: o.program.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			_, err := a.GoalAPI(c.Context()).Steer(args[0], args[1])
			return err
		}),
	}
}

func (o orderCommands) prune() *cobra.Command {
	var status string
	var older time.Duration
	var yes bool
	c := &cobra.Command{
		Use: "prune", Short: "Delete ended goals with all their data",
		Long: "Delete ended goals with all their data: journal, evidence, pictures. Their folders stay. Active goals are " +
			"never deleted.",
		RunE: o.program.runWithApp(func(c *cobra.Command, a *app.App, _ []string) error {
			in := api.PruneInput{Status: goal.Status(status), OlderThanMS: older.Milliseconds()}
			return o.pruneGoals(a.GoalAPI(c.Context()), in, yes)
		}),
	}
	c.Flags().StringVar(&status, "status", "", "only goals with this status: completed, failed, aborted")
	c.Flags().DurationVar(&older, "older-than", 0, "only goals that ended longer ago, such as 720h")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

func (o orderCommands) pruneGoals(g *calls.GoalAPI, in api.PruneInput, yes bool) error {
	found, err := g.Prunable(in)
	if err != nil {
		return err
	}
	if found.Goals == 0 {
		return o.program.printf("No goals to prune.\n")
	}
	what := goal.FormatCount(found.Goals, "goal")
	if !yes && !o.program.isTerminal(0) {
		return fault.Invalid("", "prune would delete "+what+" with all their data",
			"pass --yes to confirm")
	}
	if !yes && !o.program.confirmAtTerminal("Delete "+what+" with all their data? [y/N] ") {
		return o.program.printf("Nothing was deleted.\n")
	}
	out, err := g.Prune(in)
	if err != nil {
		return err
	}
	return o.program.printf("%d deleted.\n", out.Goals)
}
