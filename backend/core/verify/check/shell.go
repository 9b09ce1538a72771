package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"goalpost/backend/core/verify/shellline"
	"goalpost/backend/core/verify/summary"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
)

// Errors of checks that run on a machine that is not available.
var (
	errNoOutside = errors.New("checks cannot run outside the sandbox here")
	errNoRemote  = errors.New("checks cannot run on servers here")
)

// runShell runs the command under sh -c and compares its exit code.
func (e Environment) runShell(ctx context.Context, c Item) Result {
	out, err := e.run(ctx, c, true, "-c", e.commandLine(c))
	if err != nil {
		return notStartedResult(err)
	}
	v := Result{Verdict: e.observe(c, out, programVerdict(out))}
	switch {
	case out.TimedOut:
		v.Outcome, v.Detail, v.Retryable = goal.CheckErr,
			fmt.Sprintf("it did not end within %s and was killed", goal.FormatDuration(c.Timeout())), true
	case out.Status.Signal != 0:
		v.Outcome, v.Detail = goal.Fail, fmt.Sprintf("it was %s, expected exit %d", out.Status, c.ExitCode)
	case out.Status.Code == c.ExitCode:
		v.Outcome, v.Detail = goal.Pass, fmt.Sprintf("exit %d", out.Status.Code)
	default:
		v.Outcome, v.Detail = goal.Fail, fmt.Sprintf("exited with %d, expected %d", out.Status.Code, c.ExitCode)
	}
	v.Verdict = summary.Expectation{
		Dir: e.Dir, CheckDir: c.Dir, Before: e.Protected.Observation(c.N), Tests: e.Protected.TestsBefore(c.N),
	}.Confirm(v.Verdict, out)
	return v
}

// commandLine returns the command of a check as sh runs it.
func (e Environment) commandLine(c Item) string {
	if _, remote := c.Server(); remote {
		return c.Command
	}
	return shellline.AddGoTestVerbose(c.Command)
}

// programVerdict returns the part of a verdict that every program fills.
func programVerdict(out process.Output) goal.Verdict {
	v := goal.Verdict{ExitCode: out.Status.Code, Took: out.Took, TookMS: out.Took.Milliseconds(), Tail: OutputTail(out)}
	return attachEvidence(v, joinOutputs(out), out.Bytes)
}

// RunCommand runs sh with args where the check runs.
func (e Environment) RunCommand(ctx context.Context, c Item, args ...string) (process.Output, error) {
	return e.run(ctx, c, false, args...)
}

func (e Environment) run(ctx context.Context, c Item, trace bool, args ...string) (process.Output, error) {
	argv := append([]string{"/bin/sh"}, args...)
	if server, ok := c.Server(); ok {
		return e.remote(ctx, c, server, argv)
	}
	dir, err := e.FolderOf(c)
	if err != nil {
		return process.Output{}, err
	}
	command := process.Command{Argv: argv, Env: e.Env, Dir: dir}
	launcher := e.Launcher
	switch {
	case c.Where == "host":
		launcher = e.Outside
	case e.Sandboxed:
		command.Domain, command.Held = process.DomainCheck, e.overrides(c)
		command.Trace = trace
	}
	if launcher == nil {
		return process.Output{}, errNoOutside
	}
	limited, cancel := context.WithTimeout(ctx, c.Timeout())
	defer cancel()
	out, err := process.Capture(limited, launcher, command, false)
	if err != nil && limited.Err() != nil && ctx.Err() == nil { // it was not started before its timeout
		return process.Output{
			Status:   process.Status{Code: -1, Signal: syscall.SIGKILL},
			TimedOut: true,
			Took:     c.Timeout(),
		}, nil
	}
	if err != nil {
		return out, fmt.Errorf("the check could not be started: %w", err)
	}
	return out, nil
}

// overrides returns StartFiles, and the protected files that are not among them.
func (e Environment) overrides(c Item) []process.FileOverride {
	list := slices.Clone(e.StartFiles)
	for _, o := range e.Protected.Overrides(c.N) {
		if !slices.ContainsFunc(list, func(s process.FileOverride) bool { return s.Path == o.Path }) {
			list = append(list, o)
		}
	}
	return list
}

func (e Environment) remote(ctx context.Context, c Item, server string, argv []string) (process.Output, error) {
	if e.Remote == nil {
		return process.Output{}, errNoRemote
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout())
	defer cancel()
	out, err := e.Remote(ctx, server, argv)
	if err != nil {
		return out, fmt.Errorf("running the check on server %s: %w", server, err)
	}
	return out, nil
}

func (e Environment) FolderOf(c Item) (string, error) {
	if c.Dir == "" {
		return e.Dir, nil
	}
	if !filepath.IsLocal(c.Dir) {
		return "", fmt.Errorf("the check's folder %q is not inside the goal's folder", c.Dir)
	}
	root, err := filepath.EvalSymlinks(e.Dir)
	if err != nil {
		return "", fmt.Errorf("the goal's folder: %w", err)
	}
	// The agent may have put a link there, and the check must stay in the goal's folder.
	dir, err := filepath.EvalSymlinks(filepath.Join(e.Dir, c.Dir))
	if err != nil {
		if _, err := os.Lstat(filepath.Join(e.Dir, c.Dir)); errors.Is(err, fs.ErrNotExist) {
			return "", &MissingFolderError{c.Dir}
		}
		return "", fmt.Errorf("the check's folder: %w", err)
	}
	if !policy.IsWithin(root, dir) {
		return "", fmt.Errorf("the check's folder %q leads out of the goal's folder", c.Dir)
	}
	return dir, nil
}

// MissingFolderError says that a check's folder does not exist. The work is not done yet.
type MissingFolderError struct{ name string }

func (m *MissingFolderError) Error() string { return "its folder " + m.name + " does not exist" }

// notStartedResult returns the result of a command that could not run.
func notStartedResult(err error) Result {
	var missing *MissingFolderError
	if errors.As(err, &missing) {
		return NewResult(goal.Fail, missing.Error())
	}
	return RetryableError(err)
}

func joinOutputs(o process.Output) []byte {
	parts := slices.DeleteFunc([][]byte{o.Stdout, o.Stderr}, func(b []byte) bool { return len(b) == 0 })
	return bytes.Join(parts, []byte("\n--- stderr ---\n"))
}
