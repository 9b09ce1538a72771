package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"goalpost/backend/agent/tools/commandline"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

const (
	defaultRunWait = 15 * time.Second
	maxRunWait     = 10 * time.Minute
)

// TerminalRun is the result of a command in a terminal pane.
type TerminalRun struct {
	Output   string
	Exit     int
	Finished bool // false if it is still running
}

// TerminalText is text from the screen or the scrollback of a terminal pane.
type TerminalText struct {
	Text    string
	From    int64 // of its first byte in the scrollback
	Next    int64 // where the next page begins
	End     int64 // the current end of the scrollback
	Lost    int64 // requested bytes that were discarded
	Row     int   // of the cursor on a screen, from 1
	Col     int
	Full    bool // a full-screen program is running
	Running bool // the shell is running
	Busy    bool // a command is running, or it is unknown whether one is
}

// Terminal is one pane in a list.
type Terminal struct {
	Pane, Title, Dir string
	Command          string // the running command, "" if there is none or it is unknown
	Shared           bool   // it belongs to the user
	Running          bool
	Exit             int // exit code of its program after its end
}

// TerminalWaitCondition holds the conditions of a wait. The wait ends when one of them is met or the pane's program
// ends.
type TerminalWaitCondition struct {
	Pattern *regexp.Regexp
	Since   int64 // where the search for the pattern begins; below 0 means after the last typed text
	Prompt  bool
	Exit    bool
	Quiet   time.Duration
}

// TerminalWaitResult says how a wait ended: pattern, prompt, exit, quiet, ended or time.
type TerminalWaitResult struct {
	Why   string
	Match string
	Exit  int
	Next  int64
	Text  string // the end of the output
	Busy  bool   // a command is still running, or it is unknown whether one is
}

type terminalOpenArgs struct {
	Dir   string `json:"dir,omitempty"`
	Title string `json:"title,omitempty"`
}

func terminalOpen(r Deps) (Tool, error) {
	return defineTool("terminal_open", func(_ context.Context, a terminalOpenArgs) (policy.Effect, error) {
		if a.Dir != "" && !filepath.IsLocal(a.Dir) {
			return policy.Effect{}, fmt.Errorf("%s leads out of your folder", a.Dir)
		}
		if a.Title != "" {
			if err := validateTitle(a.Title); err != nil {
				return policy.Effect{}, err
			}
		}
		return r.programEffect(), nil
	}, func(ctx context.Context, a terminalOpenArgs) goal.Result {
		pane, err := r.Terminals.Open(ctx, filepath.Join(r.Dir, a.Dir), a.Title)
		if err != nil {
			return failedResult("%s", err)
		}
		return okResult("opened pane %s", pane)
	})
}

type terminalRunArgs struct {
	Pane        string `json:"pane,omitempty"`
	Command     string `json:"command"`
	WaitSeconds int    `json:"wait_seconds,omitempty"`
}

func terminalRun(r Deps) (Tool, error) {
	return defineTool("terminal_run", func(_ context.Context, a terminalRunArgs) (policy.Effect, error) {
		if strings.TrimSpace(a.Command) == "" {
			return policy.Effect{}, fmt.Errorf("the command is empty")
		}
		if strings.ContainsAny(a.Command, "\n\r") {
			return policy.Effect{},
				fmt.Errorf("the command has several lines; join them with && or write a script with write_file")
		}
		if a.Pane == "" { // of a new pane
			return r.commandEffect(commandline.Analyze(r.Dir, a.Command), a.Command), nil
		}
		return r.typingEffect(a.Pane, a.Command+"\n")
	}, func(ctx context.Context, a terminalRunArgs) goal.Result { return r.runInTerminal(ctx, a) })
}

// runInTerminal types a command into a pane, a new one if none is named.
func (d Deps) runInTerminal(ctx context.Context, a terminalRunArgs) goal.Result {
	wait := waitDuration(a.WaitSeconds, defaultRunWait, maxRunWait)
	mark := d.markLogs()
	opened := ""
	if a.Pane == "" {
		var err error
		if a.Pane, err = d.Terminals.Open(ctx, d.Dir, ""); err != nil {
			return failedResult("%s", err)
		}
		opened = " (opened pane " + a.Pane + ")"
	}
	d.PendingInput.Record(a.Pane, a.Command+"\n")
	run, err := d.Terminals.Run(ctx, a.Pane, a.Command, wait)
	if err != nil {
		return failedResult("%s%s", err, opened)
	}
	output := wrapOutside("pane "+a.Pane, run.Output) + d.readOnlyHint(run.Output) + d.refusedSince(mark)
	if !run.Finished {
		return okResult("still running after %s%s; terminal_wait waits for it, terminal_read shows what it prints\n%s",
			goal.FormatDuration(wait), opened, output)
	}
	return goal.Result{
		OK:   run.Exit == 0,
		Text: fmt.Sprintf("exit %d%s\n%s", run.Exit, opened, output+d.privilegeHint(run.Exit == 0, run.Output)),
	}
}

// typingEffect returns the effect of typing text into a pane.
func (d Deps) typingEffect(pane, text string) (policy.Effect, error) {
	confined, err := d.Terminals.IsConfined(pane)
	if err != nil {
		return policy.Effect{}, err
	}
	text = commandline.NormalizeNewlines(text)
	if confined {
		s := d.PendingInput.Analyze(d.assumedDir(), pane, text)
		return d.commandEffect(s, strings.TrimSuffix(commandline.AsShellReads(text), "\n")), nil
	}
	e := d.PendingInput.UnconfinedEffect(pane, text)
	e.CommandLine = strings.TrimSuffix(e.CommandLine, "\n")
	e.Reason = "what is typed into your pane " + pane + " runs with your permissions, outside the sandbox"
	return e, nil
}

// Terminals are the terminal panes of one goal.
type Terminals interface {
	TerminalTyping
	TerminalReading
	Open(ctx context.Context, dir, title string) (pane string, err error)
}

// TerminalTyping types into a pane.
type TerminalTyping interface {
	// IsConfined reports whether the program that reads a pane's input runs in the goal's sandbox.
	IsConfined(pane string) (bool, error)
	// Run types a command and waits for its end or for the given time.
	Run(ctx context.Context, pane, command string, wait time.Duration) (TerminalRun, error)
	// Type types text like a paste, followed by Enter if enter is set.
	Type(ctx context.Context, pane, text string, enter bool) error
	// Keys presses keys one after the other. If it returns an error, it has pressed none.
	Keys(ctx context.Context, pane string, keys []string) error
}

// TerminalReading reads panes.
type TerminalReading interface {
	Screen(ctx context.Context, pane string) (TerminalText, error)
	// Read returns about max bytes of plain text: from a byte of the scrollback on, or a page, counted from the newest,
	// which is 1.
	Read(ctx context.Context, pane string, from int64, page, max int) (TerminalText, error)
	// Wait waits at most the given time; a timeout is not an error.
	Wait(ctx context.Context, pane string, until TerminalWaitCondition, wait time.Duration) (TerminalWaitResult, error)
	List(ctx context.Context) ([]Terminal, error)
}
