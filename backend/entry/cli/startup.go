package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

func (p Program) config() (*config.Config, error) {
	c, err := config.Open(p.Getenv)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return c, nil
}

// withReadOnlyStore runs a command that only reads the journal.
func (p Program) withReadOnlyStore(ctx context.Context, do func(*calls.GoalAPI, *store.Store) error) (err error) {
	dir, err := config.StateDir(p.Getenv)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	s, err := store.OpenReadOnly(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	err = do(calls.NewGoalAPI(ctx, nil, s), s)
	if s.Damage != nil { // what could be read was shown, and an error of the rest says less
		err = s.Damage
	}
	return err
}

// withRescuedStore runs a command that needs only the goals' own folders. It says so if the database cannot be read.
func (p Program) withRescuedStore(ctx context.Context, do func(*calls.GoalAPI, *store.Store) error) (err error) {
	dir, err := config.StateDir(p.Getenv)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	s, problem, err := store.OpenReadOnlyOrRescue(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	p.noteRescue(problem)
	return do(calls.NewGoalAPI(ctx, nil, s), s)
}

// noteRescue says that a command works without the database, unless the problem is nil.
func (p Program) noteRescue(problem error) {
	if problem == nil {
		return
	}
	f := api.ToProblem(problem)
	p.errorf("%s: %s\n  %s\n  This command uses the goals' own folders. It records nothing in the journal.\n", p.Name,
		f.Message, f.Hint)
}

// withApp runs a command with the running program.
func (p Program) withApp(ctx context.Context, o app.Options, do func(*app.App) error) (err error) {
	if p.caller != nil {
		return do(p.caller.app)
	}
	c, err := p.config()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	p.noteSettings(c)
	o.Config, o.Log, o.Version, o.Page = c, c.Log(), p.Version, p.page()
	if !o.Stays && o.Passphrase == nil { // with Stays, the page asks
		o.Passphrase = p.askPassphrase()
	}
	a := app.New(o)
	if err := a.Open(ctx); err != nil {
		return err
	}
	// The reader of the output may close it, as head does. That must be an error here, and must not end this process
	// before its goals are paused.
	pipeErrors := make(chan os.Signal, 1)
	signal.Notify(pipeErrors, syscall.SIGPIPE)
	defer signal.Stop(pipeErrors)
	defer func() {
		ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), p.closeBy(err, time.Now()))
		defer cancel()
		err = errors.Join(err, a.Close(ctx))
	}()
	return do(a)
}

// runWithApp makes the RunE of a command that needs the running program.
func (p Program) runWithApp(
	do func(c *cobra.Command, a *app.App, args []string) error,
) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return p.withApp(c.Context(), app.Options{}, func(a *app.App) error { return do(c, a, args) })
	}
}

// runWithRescue makes the RunE of a command that needs the running program, and works without the database.
func (p Program) runWithRescue(
	do func(c *cobra.Command, a *app.App, args []string) error,
) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return p.withApp(c.Context(), app.Options{Rescue: true}, func(a *app.App) error {
			p.noteRescue(a.DatabaseProblem())
			return do(c, a, args)
		})
	}
}

// runWithStore makes the RunE of a command that only reads the journal.
func (p Program) runWithStore(
	do func(c *cobra.Command, g *calls.GoalAPI, s *store.Store, args []string) error,
) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return p.withReadOnlyStore(c.Context(), func(g *calls.GoalAPI, s *store.Store) error { return do(c, g, s, args) })
	}
}

// runWithRescuedStore makes the RunE of a command that needs only the goals' own folders.
func (p Program) runWithRescuedStore(
	do func(c *cobra.Command, g *calls.GoalAPI, s *store.Store, args []string) error,
) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return p.withRescuedStore(c.Context(), func(g *calls.GoalAPI, s *store.Store) error { return do(c, g, s, args) })
	}
}

// runWithConfig makes the RunE of a command that needs only the settings.
func (p Program) runWithConfig(
	do func(c *cobra.Command, cfg *config.Config, args []string) error,
) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return p.withConfig(func(cfg *config.Config) error { return do(c, cfg, args) })
	}
}

// After a signal everything must end within Closing: goals pause first, and finalWait is left for the child processes.
// Without a signal nobody waits for this process: defaultCloseWait limits a child that does not end at all.
const (
	closeTimeout     = 5 * time.Second
	finalWait        = time.Second
	defaultCloseWait = 30 * time.Second
)

// exitAfterSignal returns the result of a command that a signal ended at a time.
func (p Program) exitAfterSignal(code exitCode, at time.Time) signalExit {
	return signalExit{code, at.Add(cmp.Or(p.Closing, closeTimeout))}
}

// serveUntilSignal serves until its input ends, a signal comes or the caller is gone, and then closes what it serves.
func (p Program) serveUntilSignal(ctx context.Context, serve, closeAll func(context.Context) error) (err error) {
	signals, stop := p.signals()
	defer stop()
	ctx, end := context.WithCancel(ctx)
	defer end()
	go func() {
		defer end()
		select {
		case <-ctx.Done():
		case <-signals:
		case <-p.gone():
		}
	}()
	defer func() {
		ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), p.closeBy(err, time.Now()).Add(-finalWait))
		defer cancel()
		err = errors.Join(err, closeAll(ctx))
	}()
	if err := serve(ctx); err != nil || ctx.Err() == nil {
		return err
	}
	stop() // the second signal ends the process at once
	return p.exitAfterSignal(exitDone, time.Now())
}

// signalExit is the exit code of a command that a signal ended, with the deadline for closing the program.
type signalExit struct {
	code exitCode
	by   time.Time
}

func (s signalExit) Error() string { return s.code.Error() }

func (s signalExit) Unwrap() error { return s.code }

// closeBy returns the deadline for closing the program after a command that ended with err.
func (p Program) closeBy(err error, now time.Time) time.Time {
	var l signalExit
	if errors.As(err, &l) {
		return l.by
	}
	return now.Add(max(p.Closing, defaultCloseWait))
}

// recover continues what the last process left, unless this process is the host, which did so at its start.
func (p Program) recover(ctx context.Context, a *app.App) error {
	if p.caller != nil {
		return nil
	}
	if err := a.Goals.Recover(ctx); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	return nil
}

// withConfig runs a command with the settings.
func (p Program) withConfig(do func(*config.Config) error) (err error) {
	c, err := p.config()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	p.noteSettings(c)
	return do(c)
}

// demoPace is slow enough to follow the demonstration in a terminal.
const demoPace = 30 * time.Millisecond
