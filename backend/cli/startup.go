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

	"goalpost/backend/api"
	"goalpost/backend/app"
	"goalpost/backend/config"
	"goalpost/backend/store"
)

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

// withConfig runs a command with the settings.
func (p Program) withConfig(do func(*config.Config) error) (err error) {
	c, err := p.config()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return do(c)
}

// demoPace is slow enough to follow the demonstration in a terminal.
const demoPace = 30 * time.Millisecond
