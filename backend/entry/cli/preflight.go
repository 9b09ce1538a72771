package cli

import (
	"strings"
	"sync/atomic"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
)

// maxPreflightFiles limits the deciding files that are listed at the start of a goal. maxPreflightMissing limits the
// missing files: if there are more, they are only places where a program looks for its settings.
const (
	maxPreflightFiles   = 12
	maxPreflightMissing = 3
)

// preflightPrinter prints the results of pre-flight until stop: later ones are about goals that the agent starts.
type preflightPrinter struct {
	program Program

	isLimited bool // the user names what the agent may change
	started   atomic.Bool
}

func (p *preflightPrinter) stop() { p.started.Store(true) }

// preflightSilence is how long pre-flight runs before the user reads why it takes long.
const preflightSilence = 3 * time.Second

// announceSlow says what pre-flight does if it takes long. end prevents that.
func (p *preflightPrinter) announceSlow() (end func() bool) {
	return time.AfterFunc(preflightSilence, func() {
		p.program.errorf("pre-flight: each check runs once now, for at most its time limit (2 m unless set); " +
			"Ctrl+C ends it\n")
	}).Stop
}

// print shows how a check ends before the goal, its output, and the files that decide it. It may be called
// concurrently.
func (p *preflightPrinter) print(check goal.Check, out api.TryOutput) {
	if p.started.Load() {
		return
	}
	p.program.errorf("pre-flight: %s: %s\n", oneLine(check.Name()), oneLine(out.Detail))
	for line := range strings.Lines(strings.TrimRight(out.Output, " \t\r\n")) {
		p.program.errorf("  | %s\n", singleLine(strings.TrimRight(line, "\r\n")))
	}
	if out.Trace == nil {
		return
	}
	t := out.Trace
	if t.Stopped != "" {
		p.program.errorf("  it ended early: %s is missing; what it would use later was not observed\n", oneLine(t.Stopped))
	}
	if t.Incomplete != "" {
		p.program.errorf("  these lists are incomplete: %s\n", oneLine(t.Incomplete))
	}
	if t.Decides.Total > 0 {
		p.program.errorf("  these files decide and are protected (--protect '!FILE' leaves one out):\n%s",
			indentLines(formatTracedFiles(t.Decides, maxPreflightFiles)))
	}
	switch n := t.Missing.Total; {
	case n > maxPreflightMissing:
		p.program.errorf("  looked for but not found: %s (%s trace -- COMMAND lists them)\n", goal.FormatCount(n, "file"),
			p.program.Name)
	case n > 0:
		p.program.errorf("  looked for but not found:\n%s", indentLines(formatTracedFiles(t.Missing, n)))
	}
	if t.Read.Total > 0 {
		p.program.errorf("  also read: %s\n", goal.FormatCount(t.Read.Total, "file"))
	}
	if proposal := describeProposal(t); proposal != "" && !p.isLimited {
		p.program.errorf("  %s", proposal)
	}
}
