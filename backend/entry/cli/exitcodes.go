package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"goalpost/backend/domain/goal"
)

// Exit codes of the program.
const (
	exitDone        = 0
	exitUsage       = 2
	exitLimit       = 3
	exitStuck       = 4
	exitNeedsUser   = 5
	exitAborted     = 6
	exitError       = 7
	exitInterrupted = 8
	exitPaused      = 9
	exitNotRepeated = 10
)

// exitDescriptions explain each exit code, for users and scripts.
var exitDescriptions = []struct {
	code  exitCode
	words string
}{
	{exitDone, "done: the goal's checks pass, or the command did what it was asked"},
	{exitUsage, "usage: a flag or argument is wrong, or the goal was refused before the start; nothing was started"},
	{exitLimit, "limit_reached: turns, time, tokens or money are used up; resume with a higher limit"},
	{exitStuck, "stuck: the goal made no progress, or one check failed too often"},
	{exitNeedsUser, "needs_user: the goal waits for your answer (approvals lists its requests), or for what its model " +
		"lacks: a key, a quota, a name"},
	{exitAborted, "aborted: the goal was ended, or the agent gave up with a report"},
	{exitError, "error: the machine failed, or receipt --verify found something that no longer holds"},
	{
		exitInterrupted,
		"interrupted: a signal ended this program, or the goal is waiting (parked, daily_limit or waiting) and --no-wait " +
			"was given; resume continues",
	},
	{exitPaused, "paused: a user paused the goal"},
	{exitNotRepeated, "not repeatable: receipt --verify found nothing wrong, but the deciding checks cannot be run again"},
}

// exitCode passes a code through cobra.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// exitCodes builds a page of the help, which is not a command.
func (p Program) exitCodes() *cobra.Command {
	var b strings.Builder
	b.WriteString("Exit codes of run, resume, reopen, accept, reject, approve and deny, which follow the goal until " +
		"it stops, and of all other commands:\n\n")
	for _, e := range exitDescriptions {
		fmt.Fprintf(&b, "  %2d  %s\n", int(e.code), e.words)
	}
	fmt.Fprintf(&b,
		"\n%s sandbox exits with the code of its command, or with 128 plus the signal's number if a signal ended it.\n"+
			"%s serve and the window exit with 0 when a signal ends them; their goals are paused as interrupted.\n"+
			"A second signal ends every command at once, with 8.\n", p.Name, p.Name)
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: strings.TrimSpace(b.String())}
}

// codeOf returns the exit code for the end of a run.
func codeOf(e goal.Exit) exitCode {
	switch e {
	case goal.Done:
		return exitDone
	case goal.LimitReached:
		return exitLimit
	case goal.Stuck:
		return exitStuck
	case goal.NeedsUser:
		return exitNeedsUser
	case goal.AbortedByUser, goal.GaveUp:
		return exitAborted
	case goal.ExitError:
		return exitError
	case goal.Interrupted, goal.WaitingForProvider, goal.DailyLimitReached, goal.WaitingForCondition:
		return exitInterrupted
	case goal.PausedByUser:
		return exitPaused
	}
	return exitError
}
