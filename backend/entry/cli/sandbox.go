package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"goalpost/backend/app"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/lib/fault"
)

// sandboxCommand runs programs as a goal or a check would.
type sandboxCommand struct{ program Program }

// sandbox runs a command where a goal's programs would run.
func (s sandboxCommand) sandbox() *cobra.Command {
	in := goal.Request{Policy: policy.Policy{Dir: ".", Risk: policy.WriteLocal}}
	var times int
	c := &cobra.Command{
		Use: "sandbox [flags] -- COMMAND…", Short: "Run a command in a goal's sandbox",
		Example: "  " + s.program.Name + " sandbox --dir . -- sh -c 'ls ~; curl example.org'\n  " + s.program.Name +
			" sandbox --times 200 -- true",
		RunE: func(c *cobra.Command, argv []string) error {
			if err := s.program.makePathsAbsolute(&in.Policy); err != nil {
				return err
			}
			if idle := (policy.Policy{Risk: in.Risk, AllowHosts: in.AllowHosts}).UnusedParts(); idle != "" {
				s.program.errorf("%s: %s\n", s.program.Name, idle)
			}
			return s.program.withApp(c.Context(), app.Options{}, func(a *app.App) error {
				return a.OpenTrialSandbox(c.Context(), in.Policy, func(w *goalsandbox.TrialSandbox) error {
					if times > 0 {
						return s.benchmark(c.Context(), w, argv, times)
					}
					return s.runInSandbox(c.Context(), w, argv)
				})
			})
		},
	}
	fl := c.Flags()
	fl.SetInterspersed(false)
	bindFlags(fl, in.Flags(), "dir", "risk", "allow-host", "deny-host", "allow-local", "allow-write", "work", "check-dir",
		"allow-read", "allow-socket")
	fl.IntVar(&times, "times", 0, "run it this many times inside and outside the sandbox, and print the overhead")
	return c
}

// runInSandbox connects the command to this program's own input and output. It has no terminal of its own, so a shell
// in it has no job control.
func (s sandboxCommand) runInSandbox(ctx context.Context, w *goalsandbox.TrialSandbox, argv []string) error {
	child, err := runToEnd(ctx, w, process.Command{
		Argv:  argv,
		Env:   w.Env,
		Dir:   w.Dir,
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr},
	}, "the sandbox has the programs of the system and of the usual toolchains; use --allow-read PATH for others")
	if err != nil {
		return err
	}
	for _, line := range w.RefusedRequests() {
		s.program.errorf("%s: the network refused %s\n", s.program.Name, oneLine(line))
	}
	for _, line := range w.Violations() {
		s.program.errorf("%s: %s\n", s.program.Name, oneLine(line))
	}
	return s.exitWith(child.Status())
}

// exitWith returns the exit code of a command that has ended as that of this program.
func (s sandboxCommand) exitWith(status process.Status) error {
	switch {
	case status.Signal != 0:
		s.program.errorf("%s: %s\n", s.program.Name, status)
		return exitCode(128 + int(status.Signal))
	case status.Code != 0:
		return exitCode(status.Code)
	}
	return nil
}

// runToEnd runs a command in a sandbox and waits until it ends. The error has the hint if the sandbox does not contain
// the program.
func runToEnd(
	ctx context.Context, w *goalsandbox.TrialSandbox, c process.Command, hint string,
) (process.Process, error) {
	child, err := w.Inside.Start(ctx, c)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &fault.Error{Code: fault.NotFound, Message: "the sandbox: " + err.Error(), Hint: hint}
	}
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	select {
	case <-child.Done():
		return child, nil
	case <-ctx.Done():
		return nil, exitCode(exitInterrupted) // the programs end with the sandbox
	}
}

// benchmark prints a row for docs/performance.md: the command inside and outside.
func (s sandboxCommand) benchmark(ctx context.Context, w *goalsandbox.TrialSandbox, argv []string, times int) error {
	in, err1 := measureRuns(ctx, w.Inside, process.Command{Argv: argv, Env: w.Env, Dir: w.Dir}, times)
	out, err2 := measureRuns(ctx, w.Outside, process.Command{Argv: argv, Env: w.OwnEnv, Dir: w.Dir}, times)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	ms := func(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d.Microseconds())/1000) }
	middle, p95 := times/2, times*95/100
	return s.program.printf("| figure | median | p95 | unit | n |\n|---|--:|--:|---|--:|\n| `%s` in the sandbox, from %s "+
		"| %s | %s | ms | %d |\n| – the same without | %s | %s | ms | %d |\n| – more by | %s | %s | ms | |\n",
		strings.Join(argv, " "), s.program.Name, ms(in[middle]), ms(in[p95]), times, ms(out[middle]), ms(out[p95]), times,
		ms(in[middle]-out[middle]), ms(in[p95]-out[p95]))
}

// measureRuns runs a command repeatedly and returns the sorted durations, each from the request to the exit status.
func measureRuns(ctx context.Context, l process.Launcher, c process.Command, times int) ([]time.Duration, error) {
	list := make([]time.Duration, 0, times)
	for range times {
		from := time.Now()
		child, err := l.Start(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		select {
		case <-child.Done():
		case <-ctx.Done():
			return nil, exitCode(exitInterrupted)
		}
		list = append(list, time.Since(from))
	}
	slices.Sort(list)
	return list, nil
}
