package tools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"goalpost/backend/agent/tools/commandline"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/text"
)

const (
	commandTimeout    = 120 * time.Second
	maxCommandTimeout = 30 * time.Minute
)

type runCommandArgs struct {
	Command        string `json:"command"`
	Dir            string `json:"dir,omitempty"`
	TimeoutSeconds int    `json:"timeout_seconds,omitempty"`
}

func runCommand(r Deps) (Tool, error) {
	return defineTool("run_command", func(_ context.Context, a runCommandArgs) (policy.Effect, error) {
		if strings.TrimSpace(a.Command) == "" {
			return policy.Effect{}, fmt.Errorf("the command is empty")
		}
		if !filepath.IsLocal(a.Dir) && a.Dir != "" {
			return policy.Effect{}, fmt.Errorf("%s leads out of your folder", a.Dir)
		}
		return r.commandEffect(commandline.Analyze(filepath.Join(r.Dir, a.Dir), a.Command), a.Command), nil
	}, func(ctx context.Context, a runCommandArgs) goal.Result { return doRunCommand(ctx, r, a) })
}

// waitDuration returns how long a model wants to wait, within limits. It limits the seconds first, because a large
// number overflows a Duration.
func waitDuration(seconds int, defaultWait, maxWait time.Duration) time.Duration {
	if seconds <= 0 {
		return defaultWait
	}
	return time.Duration(min(seconds, int(maxWait/time.Second))) * time.Second
}

func doRunCommand(ctx context.Context, r Deps, a runCommandArgs) goal.Result {
	mark := r.markLogs()
	limit := waitDuration(a.TimeoutSeconds, commandTimeout, maxCommandTimeout)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, left, err := process.CaptureLasting(limited, r.Launcher, process.Command{
		Argv: []string{CommandShell(), "-c", a.Command},
		Env:  r.Env,
		Dir:  filepath.Join(r.Dir, a.Dir),
	})
	switch {
	case err != nil && ctx.Err() != nil: // the run stopped during the start; the dispatcher reports why
		return failedResult("the command may already have started")
	case err != nil:
		return failedResult("%s", err)
	}
	head := out.Status.String()
	if out.TimedOut && ctx.Err() == nil {
		head = fmt.Sprintf("killed after %s. For a program that keeps running, use terminal_run.", goal.FormatDuration(limit))
	}
	report, output := head, renderOutput(out.Stdout)
	if output != "" {
		report += "\n" + wrapOutside("the command", output)
	}
	report += r.LeftRunning.add(ctx, left) + r.gitHint(output) + r.readOnlyHint(output) + r.refusedSince(mark) +
		r.privilegeHint(out.Status.Code == 0, output)
	return goal.Result{
		OK:      !out.TimedOut && out.Status.Code == 0,
		Text:    report,
		Preview: commandPreview(a.Command, head),
		Took:    out.Took,
	}
}

// CommandShell returns the path of the shell that runs commands: bash if the machine has it, otherwise sh. Models write
// for bash, and many of their commands fail in other shells.
func CommandShell() string {
	if info, err := os.Stat(bashPath); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
		return bashPath
	}
	return "/bin/sh"
}

const bashPath = "/bin/bash"

// commandPreview describes a command that has ended: its outcome and its beginning.
func commandPreview(command, outcome string) string {
	const maxBytes = 100 // bytes
	return outcome + ": " + text.TruncateBytes(strings.Join(strings.Fields(command), " "), maxBytes)
}
