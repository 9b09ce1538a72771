package cli

import (
	"strings"
	"sync/atomic"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/goal"
)

// maxPreflightFiles is how many files that decide are listed at the start of a goal, and maxPreflightMissing how many
// that do not exist: more are places in which a program looks for its settings.
const (
	maxPreflightFiles   = 12
	maxPreflightMissing = 3
)

// preflightPrinter prints what pre-flight found out about the checks of the goal that the user starts, and not about
// those of the goals that its agent starts.
type preflightPrinter struct {
	Program

	limited bool // the user names what the agent may change
	started atomic.Bool
}

func (p *preflightPrinter) stop() { p.started.Store(true) }

// preflightSilence is how long pre-flight may run before the user reads what takes so long.
const preflightSilence = 3 * time.Second

// announceSlow says what pre-flight does if that takes long, until end is called.
func (p *preflightPrinter) announceSlow() (end func() bool) {
	return time.AfterFunc(preflightSilence, func() {
		p.errorf("pre-flight: each check runs once now, for at most its time limit (2 m unless set); Ctrl+C ends it\n")
	}).Stop
}

// print says how a check ends now, with its output, and which files decide it. It may be called concurrently.
func (p *preflightPrinter) print(check goal.Check, out api.TryOutput) {
	if p.started.Load() {
		return
	}
	p.errorf("pre-flight: %s: %s\n", oneLine(check.Name()), oneLine(out.Detail))
	for line := range strings.Lines(strings.TrimRight(out.Output, " \t\r\n")) {
		p.errorf("  | %s\n", singleLine(strings.TrimRight(line, "\r\n")))
	}
	if out.Trace == nil {
		return
	}
	t := out.Trace
	if t.Stopped != "" {
		p.errorf("  it ended early: %s is missing; what it would use later was not observed\n", oneLine(t.Stopped))
	}
	if t.Incomplete != "" {
		p.errorf("  these lists are incomplete: %s\n", oneLine(t.Incomplete))
	}
	if t.Decides.Total > 0 {
		p.errorf("  decides, so it is protected (--no-protect leaves a file out):\n%s",
			indentLines(formatTracedFiles(t.Decides, maxPreflightFiles)))
	}
	switch n := t.Missing.Total; {
	case n > maxPreflightMissing:
		p.errorf("  looked for but not found: %s (%s trace -- COMMAND lists them)\n", goal.FormatCount(n, "file"), p.Name)
	case n > 0:
		p.errorf("  looked for but not found:\n%s", indentLines(formatTracedFiles(t.Missing, n)))
	}
	if t.Read.Total > 0 {
		p.errorf("  also read: %s\n", goal.FormatCount(t.Read.Total, "file"))
	}
	if proposal := describeProposal(t); proposal != "" && !p.limited {
		p.errorf("  %s", proposal)
	}
}
