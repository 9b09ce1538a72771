package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/entry/hostsocket"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/secret"
)

// The annotation of a command that runs in the host process, and its values: what happens if none runs.
const (
	hostAnnotation = "goalpost_host"
	startHost      = "start" // one is started, because what the command begins is to outlive it
	useHost        = "use"   // the command has the data folder for itself until it ends
)

const noHostFlag = "no-host"

// inHost makes a command one that acts on goals: it runs in the host process, with the folder, the environment and the
// terminal of its caller. See docs/how-to/add-a-command.md.
func inHost(c *cobra.Command, whenNone string) *cobra.Command {
	c.Annotations = map[string]string{hostAnnotation: whenNone}
	c.Flags().Bool(noHostFlag, false, "run in this process alone, which then has the data folder for itself")
	if whenNone == useHost {
		_ = c.Flags().MarkHidden(noHostFlag) // the flag exists
	} else {
		setGroup(c.Flags(), goal.ProcessFlags, noHostFlag)
	}
	return c
}

// ownSignals marks a command that handles every signal itself, as a conversation, in which each stops an answer.
const ownSignals = "goalpost_own_signals"

// flagAnnotation names the flag without which a command only reads, and does not need the host.
const flagAnnotation = "goalpost_host_flag"

// inHostWith makes a command run in the host if it is called with a flag.
func inHostWith(flag string, c *cobra.Command, whenNone string) *cobra.Command {
	inHost(c, whenNone).Annotations[flagAnnotation] = flag
	return c
}

// hosting returns what a command that is called with flags does if no host runs, and whether it belongs there.
func hosting(c *cobra.Command) (whenNone string, isHosted bool) {
	whenNone, isHosted = c.Annotations[hostAnnotation]
	flag := c.Annotations[flagAnnotation]
	return whenNone, isHosted && (flag == "" || c.Flags().Changed(flag))
}

// hostCaller is the program for which this process, the host, runs a command.
type hostCaller struct {
	*hostsocket.Caller
	app *app.App
}

// beforeRun runs a command in the host if it belongs there. Otherwise the command runs here next.
func (p Program) beforeRun(c *cobra.Command, _ []string) error {
	whenNone, isHosted := hosting(c)
	switch {
	case p.caller != nil && !isHosted:
		return fault.New(fault.Refused, c.CommandPath()+" does not run in the host process", "use the same version of both")
	case p.caller != nil || !isHosted:
		return nil
	}
	isAlone, err := c.Flags().GetBool(noHostFlag)
	switch {
	case err != nil:
		return fmt.Errorf("--%s: %w", noHostFlag, err)
	case isAlone:
		err = p.refuseHost(c.Context())
	default:
		err = p.runInHost(c.Context(), whenNone, c.Annotations[ownSignals] != "")
	}
	if !errors.Is(err, hostsocket.ErrNone) {
		return err
	}
	return p.withConfig(func(cfg *config.Config) (err error) {
		p.own.place, err = hostsocket.Alone(c.Context(), cfg.State(), isAlone)
		return err
	})
}

// refuseHost returns hostsocket.ErrNone, unless a host process runs.
func (p Program) refuseHost(ctx context.Context) error {
	return hostCommands{p}.withHost(func(client *hostsocket.Client) error {
		s, err := client.Status(ctx)
		if err != nil {
			return err
		}
		return fault.New(fault.Conflict, fmt.Sprintf("the host process %d has this data folder", s.PID),
			"leave out --"+noHostFlag+", or end the host process with "+p.Name+" host stop")
	})
}

// ownedFolder is the data folder while this process has it for itself.
type ownedFolder struct {
	place        *hostsocket.Place
	saidSettings bool // the errors of its settings file have been printed
}

func (o *ownedFolder) close() error {
	if o.place == nil {
		return nil
	}
	return o.place.Close()
}

// runInHost runs this program's command in the host, and returns its exit code as an error.
func (p Program) runInHost(ctx context.Context, whenNone string, handlesAll bool) error {
	return hostCommands{p}.withHost(func(client *hostsocket.Client) error {
		client, err := p.findHost(ctx, client, whenNone)
		if err != nil {
			return err
		}
		dir, err := os.Getwd()
		if err != nil {
			return fmt.Errorf("the working folder: %w", err)
		}
		// The reader of the output may close it, as head does. The goal is to pause then, before this process ends.
		pipeErrors := make(chan os.Signal, 1)
		signal.Notify(pipeErrors, syscall.SIGPIPE)
		defer signal.Stop(pipeErrors)
		code, err := client.Run(ctx, hostsocket.Command{
			Name: p.Name, Args: p.args, Dir: dir, Env: os.Environ(),
			IsTerminal: [3]bool{p.isTerminal(0), p.isTerminal(1), p.isTerminal(2)},
		}, hostsocket.Console{
			Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr, Passphrase: p.askPassphrase(),
			Signals: func() <-chan os.Signal { return passSignals(handlesAll) },
		})
		if err != nil {
			return err
		}
		return exitCode(code)
	})
}

// findHost returns the client for a command. A host of another version runs it, too, if it can.
func (p Program) findHost(
	ctx context.Context, client *hostsocket.Client, whenNone string,
) (found *hostsocket.Client, err error) {
	if whenNone == startHost {
		err = p.connect(ctx, client)
	} else {
		_, err = client.Find(ctx)
	}
	other := client.JoinOther(err)
	if other == nil {
		return client, err
	}
	f := fault.Of(err)
	p.errorf("%s: %s; that version runs this command\n  %s\n", p.Name, f.Message, f.Hint)
	return other, nil
}

// passSignals receives the signals for the host. The second one ends this process at once, unless the command handles
// all.
func passSignals(handlesAll bool) <-chan os.Signal {
	const buffer = 2
	all, passed := make(chan os.Signal, buffer), make(chan os.Signal, 1)
	signal.Notify(all, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	if handlesAll {
		return all
	}
	go func() {
		passed <- <-all
		<-all
		os.Exit(exitInterrupted)
	}()
	return passed
}

// runFor runs a command of another program in this process, the host.
func (h hostCommands) runFor(a *app.App) func(context.Context, *hostsocket.Caller) int {
	return func(ctx context.Context, c *hostsocket.Caller) int {
		a.HideEnvironment(c.Env)
		ctx = environ.With(ctx, c.Env)
		ctx = api.WithCaller(ctx, api.Caller{IsAttended: c.IsTerminal[0], AskPassphrase: c.AskPassphrase})
		p := Program{
			Name: c.Name, Version: h.program.Version, Getenv: func(name string) string { return environ.Get(ctx, name) },
			Stdin: c, Stdout: c.Stdout(), Stderr: c.Stderr(), Closing: h.program.Closing, caller: &hostCaller{c, a},
		}
		return p.Run(ctx, c.Args)
	}
}

// answeredByPage returns the context of a command whose caller is a program that speaks a protocol: a page answers
// approvals, and asks for the passphrase.
func answeredByPage(ctx context.Context) context.Context {
	return api.WithCaller(ctx, api.Caller{
		IsAttended:    true,
		AskPassphrase: func(context.Context) (string, error) { return "", secret.ErrLocked },
	})
}

// isTerminal reports whether standard input (0), output (1) or error (2) of the caller is a terminal.
func (p Program) isTerminal(descriptor int) bool {
	if p.caller != nil {
		return p.caller.IsTerminal[descriptor]
	}
	f, ok := []any{p.Stdin, p.Stdout, p.Stderr}[descriptor].(*os.File)
	return ok && isTerminal(f)
}

// absolute returns the path that the caller means by a path.
func (p Program) absolute(path string) (string, error) {
	if p.caller != nil && !filepath.IsAbs(path) {
		return filepath.Join(p.caller.Dir, path), nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("the path %s: %w", path, err)
	}
	return abs, nil
}

// signals receives the signals of the caller until stop is called.
func (p Program) signals() (signals <-chan os.Signal, stop func()) {
	if p.caller != nil {
		return p.caller.Signals(), func() {}
	}
	const buffer = 2
	all := make(chan os.Signal, buffer)
	signal.Notify(all, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	return all, func() { signal.Stop(all) }
}

// gone is closed when the caller does not wait any more; goals then keep running. It is nil in the caller itself.
func (p Program) gone() <-chan struct{} {
	if p.caller == nil {
		return nil
	}
	return p.caller.Gone()
}

// withCaller returns a context that also ends when the caller does not wait any more.
func (p Program) withCaller(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-p.gone():
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// readLine reads what the user enters at the terminal.
func (p Program) readLine() (string, error) {
	var line strings.Builder
	for b := make([]byte, 1); ; {
		n, err := p.Stdin.Read(b)
		switch {
		case n == 1 && b[0] == '\n', errors.Is(err, io.EOF) && line.Len() > 0:
			return line.String(), nil
		case err != nil:
			return "", fmt.Errorf("read from the terminal: %w", err)
		}
		line.Write(b[:n])
	}
}
