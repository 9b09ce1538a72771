// Package cli implements the subcommands of goalpost and goalctl, which work without a window. Goals that they start
// appear in a window on the same data folder, and vice versa.
package cli

import (
	"context"
	"errors"
	"os"
	"syscall"

	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/library"

	"github.com/spf13/cobra"
)

// Run executes args and returns the exit code. An error is printed with a hint about what to do next.
func (p Program) Run(ctx context.Context, args []string) int {
	if p.Stdin == nil {
		p.Stdin = os.Stdin
	}
	p.args, p.own = args, &ownedFolder{}
	root := p.root() //nolint:contextcheck // the commands use the context that cobra passes to them
	root.SetArgs(args)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	c, err := root.ExecuteContextC(ctx)
	if closeErr := p.own.close(); closeErr != nil {
		err = errors.Join(err, closeErr)
	}
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
		Example: "  " + p.Name + " run --demo     a demonstration: scripted, no AI, no network\n  " + p.Name +
			" doctor         what works on this machine\n  " + p.Name +
			" providers add openai --key-env OPENAI_API_KEY\n  " + p.Name +
			" run --dir ~/shop --check 'npm test' 'All tests pass'",
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
	addGroup := func(title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
		for _, c := range commands {
			c.GroupID = title
		}
		root.AddCommand(commands...)
	}
	asking := inHost(chatCommand{p}.chat(), startHost)
	asking.Annotations[ownSignals] = "yes"
	addGroup("Ask", asking)
	addGroup("Start and control goals",
		suggestCommand{p}.suggest(), inHost(runCommand{p}.run(), startHost),
		inHost(raceCommand{p}.race(), startHost), inHost(resuming.resume(), startHost),
		inHost(resuming.reopen(), startHost),
		inHost(orders.orderCommand("pause", "Pause a running goal after its current call", (*calls.GoalAPI).Pause), useHost),
		inHost(orders.orderCommand("abort", "End a goal at once", (*calls.GoalAPI).Abort), useHost),
		inHost(orders.orderCommand("delete", "Delete a goal with all its data; an active goal is aborted first",
			(*calls.GoalAPI).Delete), useHost),
		inHost(orders.steer(), useHost), inHost(orders.prune(), useHost), p.schedule())
	addGroup("Answer goals",
		approvals.approvals(), inHost(approvals.approve(), startHost), inHost(approvals.deny(), startHost),
		inHost(approvals.revoke(), useHost), inHost(resuming.accept(), startHost), inHost(resuming.reject(), startHost))
	addGroup("See what goals did",
		reading.list(), reading.search(), reading.digest(), reading.show(),
		inHostWith(followFlag, reading.events(), startHost), reading.report(),
		inHostWith(verifyFlag, receiptCommand{p}.receipt(), startHost), p.recording(), p.export(),
		spendCommand{p}.spend())
	addGroup("Keep or undo changes", changes.diff(), inHost(changes.undo(), useHost),
		inHost(changes.commit(), useHost), changes.worktree())
	addGroup("Models, tools and secrets",
		providerCommands{p}.providers(), engineCommands{p}.engines(), inHost(mcpCommands{p}.mcp(), startHost),
		recipeCommands{p}.recipe(),
		p.libraryGroup(library.Personas, "how agents work"),
		p.libraryGroup(library.Skills, "what agents load when they need it"),
		p.libraryGroup(library.Templates, "goals that you start again with other values"),
		p.memory(),
		secretCommands{p}.secrets(), webSearchCommands{p}.webSearch(), notifyCommands{p}.notify(),
		settingsCommands{p}.settings())
	addGroup("Try and serve",
		p.doctor(), databaseCommands{p}.database(), sandboxCommand{p}.sandbox(), sandboxCommand{p}.trace(),
		serving.serve(), deviceCommands{p}.device(), hostCommands{p}.host(), inHost(p.acp(), startHost))
	root.AddCommand(serving.static(), p.version(), p.exitCodes(), p.manual())
	if p.Window != nil {
		root.AddCommand(p.open())
	}
	root.PersistentPreRunE = p.beforeRun
	p.wrapUsageErrors(root)
	p.addCompletions(root)
	return root
}
