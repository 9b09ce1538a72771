// Package cli has the subcommands of goalpost and goalctl, which work without a window. Goals that it starts appear
// in a window on the same data folder, and vice versa.
package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/api"
	"goalpost/backend/app"
	"goalpost/backend/config"
	"goalpost/backend/store"
)

// Program has the dependencies of the command line.
type Program struct {
	Name    string // goalpost or goalctl
	Version string
	Assets  fs.FS // the built frontend, for serve
	Getenv  func(string) string
	Stdin   io.ReadCloser // nil is the process's own
	Stdout  io.Writer
	Stderr  io.Writer
	// Window, if set, runs when there is no subcommand.
	Window func() int
	// Closing is how long a signal leaves for pausing goals and ending their programs; 0 is the default of five
	// seconds.
	Closing time.Duration
}

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

// errorf writes to the user. An error of stderr is ignored.
func (p Program) errorf(format string, args ...any) {
	_, _ = io.WriteString(p.Stderr, sanitize(fmt.Sprintf(format, args...)))
}

// printf writes results. An error, such as a closed stdout, ends the command.
func (p Program) printf(format string, args ...any) error {
	if _, err := io.WriteString(p.Stdout, sanitize(fmt.Sprintf(format, args...))); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func (p Program) root() *cobra.Command {
	root := &cobra.Command{
		Use: p.Name, Short: "Goalpost: an agent pursues a goal until a check that it cannot edit passes",
		SilenceErrors: true, SilenceUsage: true, Version: p.Version,
		RunE: func(c *cobra.Command, _ []string) error {
			if p.Window != nil {
				return exitCode(p.Window())
			}
			return c.Help()
		},
	}
	reading, resuming, serving := readCommands{p}, resumeCommands{p}, serveCommands{p}
	orders, approvals := orderCommands{p}, approvalCommands{p}
	root.AddCommand(
		runCommand{p}.run(), reading.list(), reading.show(), reading.events(), reading.report(),
		receiptCommand{p}.receipt(), p.recording(),
		resuming.resume(), resuming.reopen(), resuming.accept(), resuming.reject(),
		orders.orderCommand("pause", "Pause a running goal after its current call", (*api.GoalAPI).Pause),
		orders.orderCommand("abort", "End a goal at once", (*api.GoalAPI).Abort),
		orders.orderCommand("delete", "Delete a goal with all its data; an active goal is aborted first",
			(*api.GoalAPI).Delete),
		orders.steer(), orders.prune(),
		approvals.approvals(), approvals.approve(), approvals.deny(), approvals.revoke(),
		providerCommands{p}.providers(), mcpCommands{p}.mcp(), recipeCommands{p}.recipe(), secretCommands{p}.secrets(),
		sandboxCommand{p}.sandbox(), traceCommand{p}.trace(), p.doctor(),
		serving.serve(), serving.static(), p.version(), p.exitCodes(),
	)
	p.wrapUsageErrors(root)
	return root
}

func (p Program) version() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.printf("%s %s\n", p.Name, p.Version) },
	}
}

func (p Program) config() (*config.Config, error) {
	c, err := config.Open(p.Getenv)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return c, nil
}

// withReadOnlyStore runs a read-only command with the journal: nothing is changed.
func (p Program) withReadOnlyStore(ctx context.Context, do func(*api.GoalAPI, *store.Store) error) (err error) {
	dir, err := config.StateDir(p.Getenv)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	s, err := store.OpenReadOnly(ctx, dir)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return do(api.NewGoalAPI(ctx, nil, s), s)
}

// withApp runs a command with the running program.
func (p Program) withApp(ctx context.Context, o app.Options, do func(*app.App) error) (err error) {
	c, err := p.config()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	o.Config, o.Log, o.Version = c, c.Log(), p.Version
	if !o.Watch { // there the page asks
		o.Passphrase = p.askPassphrase()
	}
	a := app.New(o)
	if err := a.Open(ctx); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	// The reader of the output may close it, as head does. That must be an error here, and must not end this process
	// before its goals are paused.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	defer func() {
		ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), p.closeBy(err, time.Now()))
		defer cancel()
		err = errors.Join(err, a.Close(ctx))
	}()
	return do(a)
}

// After a signal everything has to end within Closing: the children within finalWait, and the pausing of goals within
// the rest before. Without a signal nobody waits for this process to end: unhurried is for a child that does not end
// at all.
const (
	closeTimeout     = 5 * time.Second
	finalWait        = time.Second
	defaultCloseWait = 30 * time.Second
)

// exitAfterSignal is the result of a command after a signal that came at a time.
func (p Program) exitAfterSignal(code exitCode, at time.Time) signalExit {
	return signalExit{code, at.Add(cmp.Or(p.Closing, closeTimeout))}
}

// signalExit is the exit code of a command that a signal ended, with its deadline.
type signalExit struct {
	code exitCode
	by   time.Time
}

func (l signalExit) Error() string { return l.code.Error() }
func (l signalExit) Unwrap() error { return l.code }

// closeBy is the deadline for closing the program after a command that ended with err.
func (p Program) closeBy(err error, now time.Time) time.Time {
	var l signalExit
	if errors.As(err, &l) {
		return l.by
	}
	return now.Add(max(p.Closing, defaultCloseWait))
}
