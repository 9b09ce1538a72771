package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
)

// liveView shows a goal while it runs, in this process or another.
type liveView struct{ program Program }

// output says how a followed goal is shown.
type output struct {
	json, deltas bool
	noWait       bool
}

func (o *output) add(fl *pflag.FlagSet) {
	fl.Var(jsonFlag{o}, "json", "one event per line on stdout, progress on stderr; with =deltas also what models stream, "+
		"and network requests")
	fl.Lookup("json").NoOptDefVal = "events"
	fl.BoolVar(&o.noWait, "no-wait", false, "exit if the goal is waiting for its provider instead of showing a countdown")
}

// jsonFlag chooses what is printed as JSON.
type jsonFlag struct{ output *output }

func (jsonFlag) String() string { return "" }
func (jsonFlag) Type() string   { return "events|deltas" }

func (j jsonFlag) Set(text string) error {
	switch text {
	case "events", "true":
		j.output.json = true
	case "deltas":
		j.output.json, j.output.deltas = true, true
	default:
		return fmt.Errorf("there is no %q: use --json or --json=deltas", text)
	}
	return nil
}

// runningGoal is a goal that was started here.
type runningGoal struct {
	id   goal.ID
	last int64     // newest event that is not shown again
	cut  time.Time // when a signal came, zero if none did
}

// startGoal calls start. A signal while start tries the checks cancels it, and no goal is created.
func (l liveView) startGoal(
	ctx context.Context, signals <-chan os.Signal, start func(context.Context) (runningGoal, error),
) (runningGoal, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		runningGoal
		err error
	}
	results := make(chan result, 1)
	go func() {
		s, err := start(ctx)
		results <- result{s, err}
	}()
	select {
	case r := <-results:
		return r.runningGoal, r.err
	case <-l.program.gone():
		cancel()
		r := <-results
		return r.runningGoal, r.err
	case sig := <-signals:
		at := time.Now()
		l.announceSignal(sig, signals, "ending the start of the goal")
		cancel()
		r := <-results
		if r.err != nil {
			l.program.errorf("%s: no goal was started\n", l.program.Name)
			return runningGoal{}, exitCode(exitInterrupted)
		}
		r.cut = at // too late to cancel: the goal runs
		return r.runningGoal, nil
	}
}

// announceSignal reports the signal, and lets a second one end the process at once.
func (l liveView) announceSignal(sig os.Signal, signals <-chan os.Signal, reaction string) {
	l.program.errorf("\n%s: %v: %s; press Ctrl+C again to quit immediately\n", l.program.Name, sig, reaction)
	if l.program.caller == nil { // a caller ends itself
		go func() {
			<-signals
			os.Exit(exitInterrupted)
		}()
	}
}

// exitCodeError returns the exit code of a goal that stopped, nil for a goal that is done or has not stopped.
func exitCodeError(exit goal.Exit) error {
	if exit == "" || exit == goal.Done {
		return nil
	}
	return codeOf(exit)
}

// printMissed shows the events of the journal after the last shown one.
func (l liveView) printMissed(ctx context.Context, a *app.App, id goal.ID, last *int64, o output) (goal.Exit, error) {
	const page = 500
	for {
		events, err := a.Store().History.Events(ctx, id, *last, page)
		if err != nil {
			return "", fmt.Errorf("journal: %w", err)
		}
		for _, e := range events {
			*last = e.Seq
			if exit, err := l.showEvent(e, o); err != nil || exit != "" {
				return exit, err
			}
		}
		if len(events) < page {
			return "", nil
		}
	}
}

// isLossy reports whether an event is shown with --json=deltas only.
func isLossy(b event.Body) bool {
	switch b.(type) {
	case *event.Delta, *event.Egress:
		return true
	}
	return false
}

// showEvent shows one event. It returns an exit if this process exits after the event.
func (l liveView) showEvent(e event.Event, o output) (goal.Exit, error) {
	if o.json {
		if e.Seq > 0 || o.deltas || !isLossy(e.Body) {
			line, err := json.Marshal(e)
			if err != nil {
				return "", fmt.Errorf("event: %w", err)
			}
			if err := l.program.printf("%s\n", plainJSON(line)); err != nil {
				return "", err
			}
		}
	}
	l.printProgress(e)
	var exit goal.Exit
	var report []string
	var account, result string
	switch b := e.Body.(type) {
	case *event.Ended:
		exit, report, account, result = b.Exit, b.Report, b.Account, b.Result
	case *event.Paused:
		exit, report, account, result = b.Exit, b.Report, b.Account, b.Result
	case *event.Queued:
		return b.Left, nil
	default:
		return "", nil
	}
	if exit.IsParked() && !o.noWait {
		return "", nil // it continues automatically
	}
	if !o.json {
		return exit, l.program.printf("%s", resultText(result)+reportText(e.GoalID, exit, report, account))
	}
	return exit, nil
}

// resultText formats the result that the agent hands to the user, "" if there is none. It is shown above the report.
func resultText(result string) string {
	if result = strings.TrimSpace(result); result == "" {
		return ""
	}
	return "\nResult, in the agent's words\n" + indentText(result)
}

// indentText indents each line of a text.
func indentText(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + strings.TrimRight(line, "\r\n") + "\n")
	}
	return b.String()
}

// reportText formats the host's report, followed by the agent's own account.
func reportText(id goal.ID, exit goal.Exit, report []string, account string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nReport of %s (%s)\n", id, exit)
	for _, line := range report {
		b.WriteString(formatBullet(line))
	}
	if account = strings.TrimSpace(account); account != "" {
		b.WriteString("The agent's own account, not checked by the host\n" + indentText(account))
	}
	return b.String()
}

// printProgress writes an event as a line on stderr, for users.
func (l liveView) printProgress(e event.Event) {
	switch b := e.Body.(type) {
	case *event.Created:
		who := b.Provider + " " + b.Model
		if b.Effort != "" {
			who += ", effort " + b.Effort
		}
		if b.Scripted {
			who = "scripted, no AI"
		}
		l.program.errorf("goal %s · %s · %s\n  done when %s\n  in %s\n", e.GoalID.Short(), b.Risk, who, b.Criterion, b.Dir)
		if b.Persona != "" {
			l.program.errorf("  as %s\n", describePersona(b))
		}
		for _, role := range slices.Sorted(maps.Keys(b.Roles)) {
			l.program.errorf("  %s: %s\n", role, oneLine(b.Roles[role]))
		}
	case *event.Queued:
		if b.Left != "" {
			l.program.errorf("  removed from the queue: %s; %s resume %s continues it\n", oneLine(b.Reason), l.program.Name,
				e.GoalID.Short())
			return
		}
		l.program.errorf("  waiting: %s\n", oneLine(b.Reason))
	case *event.Message:
		if b.Message.Role == goal.Assistant && b.Message.Text != "" {
			l.program.errorf("  %s\n", oneLine(b.Message.Text))
		}
	case *event.StepStarted:
		l.program.errorf("%4d  %-20s %s\n", b.StepID, oneLine(b.Tool), oneLine(mainArgument(b.Arguments)))
	case *event.Step:
		l.program.errorf("      %-8s %s  %s\n", b.Outcome, goal.FormatDuration(time.Duration(b.MS)*time.Millisecond),
			oneLine(b.Preview))
	case *event.Claim:
		l.program.errorf("  claim %d: %s\n", b.N, oneLine(goal.WithOpenTodos(b.Rationale, b.OpenTodos)))
	case *event.Verdict:
		mark := map[goal.Outcome]string{goal.Pass: "✓"}[b.Outcome]
		if mark == "" {
			mark = "✗"
		}
		l.program.errorf("  %s %s  %s\n", mark, oneLine(b.Name), oneLine(b.Detail))
		for line := range strings.Lines(b.Tail) {
			l.program.errorf("      %s\n", strings.TrimRight(line, "\n"))
		}
	case *event.Todos:
		l.program.errorf("  %s\n", oneLine(formatPlan(b)))
	case *event.Critic:
		l.program.errorf("  critic: %s  %s\n", strings.ToLower(string(b.Verdict)), oneLine(b.Reason))
	case *event.Review:
		l.program.errorf("  review: %s  %s\n", reviewWord(b.Review), oneLine(b.Reason))
	case *event.LimitsChanged:
		l.program.errorf("  limits: %s\n", formatLimits(b))
	case *event.ModelChanged:
		l.program.errorf("  model: %s\n", oneLine(b.Describe()))
	case *event.Reopened:
		l.program.errorf("  reopened: %s\n", oneLine(b.Note))
	case *event.Looked:
		l.program.errorf("  look %d: %s\n", b.N, oneLine(b.Text))
	case *event.Resumed:
		if b.Note != "" {
			l.program.errorf("  resumed: %s\n", oneLine(b.Note))
		}
	case *event.ApprovalRequested:
		l.program.errorf("%s",
			approvalCommands(l).formatApprovals([]calls.ApprovalView{calls.NewApprovalView(e.GoalID, b.Approval)}))
	case *event.ApprovalResolved:
		l.program.errorf("  %s %s\n", b.Request, map[bool]string{true: "allowed", false: "denied"}[b.Allowed])
	case *event.VerificationFailed:
		l.program.errorf("  not verified: %s\n", oneLine(b.Detail))
	case *event.Accepted:
		l.program.errorf("  accepted by you: %s\n", oneLine(b.AssuranceReason))
	case *event.ChangesUndone:
		l.program.errorf("  %s restored to %s\n", goal.FormatCount(b.Count, "file"), singleLine(b.To))
	case *event.Taken:
		l.program.errorf("  %s\n", singleLine(b.Describe()))
	case *event.RaceRanked:
		l.program.errorf("  %s\n", singleLine(b.Describe()))
	case *event.Rechecked:
		l.program.errorf("  checks run again: %s\n", goal.DescribeRecheck(b.Verdicts))
	case *event.Warning:
		l.program.errorf("  warning: %s\n", singleLine(b.Text)) // the end of the text says what to do
	case *event.Steered:
		who := ""
		switch b.From {
		case "":
		case goal.ExternalAgent:
			who = " from another agent"
		default:
			who = " from goal " + b.From.Short()
		}
		l.program.errorf("  note%s: %s\n", who, oneLine(b.Text))
	}
}

// mainArgument returns the arguments that identify a call for the user, such as its path, command or address, without
// the JSON around them.
func mainArgument(arguments string) string {
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return arguments
	}
	var words []string
	for _, key := range []string{
		"pane", "path", "dir", "command", "url", "target", "text", "title", "question",
		"rationale", "reason", "old", "new", "content",
	} {
		if s, ok := args[key].(string); ok && s != "" {
			words = append(words, s)
		}
	}
	return strings.Join(words, " · ")
}

// describePersona names a goal's persona, and why it was chosen.
func describePersona(c *event.Created) string {
	if c.PersonaWord == "" {
		return oneLine(c.Persona)
	}
	return fmt.Sprintf("%s, for “%s” in the objective; --persona chooses another", oneLine(c.Persona),
		oneLine(c.PersonaWord))
}
