package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

// acp serves the Agent Client Protocol to an editor, on standard input and output.
func (p Program) acp() *cobra.Command {
	var risk, engine string
	c := &cobra.Command{
		Use:   "acp",
		Short: "Run Goalpost as an agent in an editor (Agent Client Protocol on stdio)",
		Long: "Run Goalpost as an agent of the Agent Client Protocol on standard input and output, for an editor such as " +
			"Zed. A prompt becomes a goal. Its checks come from lines that begin with /check, or from .goalpost/done.yaml " +
			"of the folder after you have accepted it in the editor. /worktree lets it work in a new git worktree, /risk " +
			"lowers what it may do. Calls that need an approval ask in the editor. Cancelling pauses the goal; the next " +
			"prompt continues it as a note, and a prompt with /check begins another.\n" +
			"When the editor ends this program, its goals are paused as interrupted and can be resumed.",
		Example: "  " + p.Name + " acp --risk network_get",
		RunE: func(c *cobra.Command, _ []string) error {
			maxRisk := policy.Risk(risk)
			if !maxRisk.IsValid() {
				return fault.Invalid("risk", fmt.Sprintf("unknown risk %q", risk), "use one of "+policy.RiskNames())
			}
			return p.withApp(c.Context(), app.Options{Stays: true}, func(a *app.App) error {
				return p.serveEditor(c.Context(), a, maxRisk, engine)
			})
		},
	}
	c.Flags().StringVar(&risk, "risk", string(policy.WriteLocal), "maximum risk level of goals: "+policy.RiskNames())
	c.Flags().StringVar(&engine, "engine", "",
		"what drives the goals: model, or an agent that engines lists (default: the one set there)")
	return c
}

func (p Program) serveEditor(ctx context.Context, a *app.App, risk policy.Risk, engine string) error {
	if err := p.recover(ctx, a); err != nil {
		return err
	}
	p.announceClient("an editor")
	return p.serveUntilSignal(ctx, func(ctx context.Context) error {
		return a.ServeEditor(answeredByPage(ctx), risk, engine, p.Stdin, p.Stdout)
	}, func(context.Context) error { return nil })
}
