// Package cli has the subcommands of goalpost and goalctl, which work without a window. Goals that it starts appear
// in a window on the same data folder, and vice versa.
package cli

import (
	"context"
	"errors"
	"syscall"

	"github.com/spf13/cobra"

	"goalpost/backend/api"
)

// Run executes args and returns the exit code. An error is printed with a hint about what to do next.
func (p Program) Run(ctx context.Context, args []string) int {
	root := p.root() //nolint:contextcheck // the commands use the context that cobra passes to them
	root.SetArgs(args)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	c, err := root.ExecuteContextC(ctx)
	var code exitCode
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, syscall.EPIPE): // the reader of the output has closed it
		return exitInterrupted
	}
	return p.printError(c, args, err)
}

func (p Program) root() *cobra.Command {
	root := &cobra.Command{
		Use: p.Name, Short: "Goalpost: an agent pursues a goal until a check that it cannot edit passes",
		SilenceErrors: true, SilenceUsage: true, Version: p.Version,
		RunE: func(c *cobra.Command, _ []string) error {
			if p.Window != nil {
				return exitCode(p.Window(""))
			}
			return c.Help()
		},
	}
	reading, resuming, serving := readCommands{p}, resumeCommands{p}, serveCommands{p}
	orders, approvals := orderCommands{p}, approvalCommands{p}
	changes := changeCommands{p}
	root.AddCommand(
		runCommand{p}.run(), reading.list(), reading.show(), reading.events(), reading.report(),
		receiptCommand{p}.receipt(), p.recording(), changes.diff(), changes.undo(), changes.commit(), changes.worktree(),
		spendCommand{p}.spend(), suggestCommand{p}.suggest(),
		resuming.resume(), resuming.reopen(), resuming.accept(), resuming.reject(),
		orders.orderCommand("pause", "Pause a running goal after its current call", (*api.GoalAPI).Pause),
		orders.orderCommand("abort", "End a goal at once", (*api.GoalAPI).Abort),
		orders.orderCommand("delete", "Delete a goal with all its data; an active goal is aborted first",
			(*api.GoalAPI).Delete),
		orders.steer(), orders.prune(),
		approvals.approvals(), approvals.approve(), approvals.deny(), approvals.revoke(),
		providerCommands{p}.providers(), p.engines(), mcpCommands{p}.mcp(), p.acp(),
		recipeCommands{p}.recipe(), secretCommands{p}.secrets(),
		webSearchCommands{p}.webSearch(),
		sandboxCommand{p}.sandbox(), traceCommand{p}.trace(), p.doctor(),
		serving.serve(), serving.static(), p.version(), p.exitCodes(), p.manual(),
	)
	if p.Window != nil {
		root.AddCommand(p.open())
	}
	p.wrapUsageErrors(root)
	p.addCompletions(root)
	return root
}
