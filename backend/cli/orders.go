package cli

import (
	"github.com/spf13/cobra"

	"goalpost/backend/api"
	"goalpost/backend/app"
)

// orderCommands act on goals that exist.
type orderCommands struct{ Program }

// orderCommand is a command that sends an instruction to one goal.
func (p orderCommands) orderCommand(name, short string, do func(*api.GoalAPI, string) (bool, error)) *cobra.Command {
	return &cobra.Command{
		Use: name + " ID", Short: short,
		RunE: p.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			_, err := do(a.GoalAPI(c.Context()), args[0])
			return err
		}),
	}
}

func (p orderCommands) steer() *cobra.Command {
	return &cobra.Command{
		Use: "steer ID TEXT", Short: "Send a note to an active goal",
		RunE: p.runWithApp(func(c *cobra.Command, a *app.App, args []string) error {
			_, err := a.GoalAPI(c.Context()).Steer(args[0], args[1])
			return err
		}),
	}
}
