package runner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Limits of one request to the critic, in bytes.
const (
	maxCriticBytes = 10 << 10
	minCriticBytes = 2 << 10 // less does not show enough of the steps
	maxCriticLine  = 200     // of a note, a claim, the arguments or the outcome of a step
)

// minCriticSteps is how many steps the critic sees even if it has seen them before: a repetition is visible only in a
// row of steps.
const minCriticSteps = 10

// criticView is what one request shows to the critic: what was done and said, in short, and no contents of files.
type criticView struct {
	objective, criterion string
	background           goal.Background
	steps                []goal.Step    // the newest, oldest first
	said                 map[int]string // by the agent before a step; before step 0: after the newest one
	looked               int            // the newest step that the critic has seen
	comment              string         // its last one
}

// format returns the view in about the given bytes.
func (cv criticView) format(bytes int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The goal: %s\nThe host decides by this: %s\n",
		text.TruncateMiddle([]byte(cv.objective), bytes/4), text.Truncate(cv.criterion, bytes/8))
	writeList(&b, "What the user said since. Only this is the user's word", cv.formatWords(), bytes/8)
	writeList(&b, "The agent's plan", cv.formatPlan(), bytes/8)
	writeList(&b, "What the agent noted", cv.formatNotes(), bytes/8)
	writeList(&b, "The agent's claims, each with the host's answer", cv.formatClaims(), bytes/8)
	if cv.comment != "" {
		fmt.Fprintf(&b, "Your comment up to step %d: %s\n", cv.looked, cv.comment)
	}
	writeList(&b, "What the agent did and said", cv.formatSteps(), bytes-b.Len()-100)
	return b.String()
}

// writeList writes the newest lines that fit, at least one, marked as data.
func writeList(b *strings.Builder, heading string, lines []string, bytes int) {
	if len(lines) == 0 {
		return
	}
	start := len(lines) - 1
	for bytes -= len(lines[start]); start > 0 && len(lines[start-1]) < bytes; start-- {
		bytes -= len(lines[start-1]) + 1
	}
	if start > 0 {
		heading += fmt.Sprintf(" (%s before are left out)", goal.FormatCount(start, "line"))
	}
	fmt.Fprintf(b, "%s:\n%s\n", heading, text.WrapUntrusted("lines", strings.Join(lines[start:], "\n")))
}

func (cv criticView) formatWords() []string {
	var lines []string
	for _, w := range cv.background.Words {
		line := text.SanitizeLine(w.Text, maxCriticLine)
		if w.Question != "" {
			line = fmt.Sprintf("to the question %q: %s", text.SanitizeLine(w.Question, maxCriticLine), line)
		}
		lines = append(lines, line)
	}
	return lines
}

func (cv criticView) formatPlan() []string {
	var lines []string
	for i, t := range cv.background.Plan {
		lines = append(lines, text.SanitizeLine(t.Line(i+1), maxCriticLine))
	}
	return lines
}

func (cv criticView) formatNotes() []string {
	var lines []string
	for _, n := range cv.background.Notes {
		lines = append(lines, text.SanitizeLine(n.Text, maxCriticLine))
	}
	return lines
}

func (cv criticView) formatClaims() []string {
	var lines []string
	for _, c := range cv.background.Claims {
		line := fmt.Sprintf("claim %d: %s", c.N, text.SanitizeLine(c.Rationale, maxCriticLine))
		if c.Answer != "" {
			line += " → failed: " + text.SanitizeLine(c.Answer, maxCriticLine)
		}
		lines = append(lines, line)
	}
	return lines
}

// formatSteps returns a line for each step since the critic last looked and for what the agent said before it; with
// fewer than minCriticSteps, also earlier ones.
func (cv criticView) formatSteps() []string {
	start := slices.IndexFunc(cv.steps, func(s goal.Step) bool { return s.N > cv.looked })
	if start < 0 {
		start = len(cv.steps)
	}
	var lines []string
	say := func(step int) {
		if said := cv.said[step]; said != "" {
			lines = append(lines, "the agent said: "+text.SanitizeLine(said, maxCriticLine))
		}
	}
	last := 0 // the step before the next line
	for _, s := range cv.steps[max(0, min(start, len(cv.steps)-minCriticSteps)):] {
		for last = cmp.Or(last, s.N-1) + 1; last < s.N; last++ { // the steps between are claims and the like
			say(last)
		}
		say(s.N)
		lines = append(lines, fmt.Sprintf("step %d: %s %s → %s: %s", s.N, text.SanitizeLine(s.Tool, 100),
			text.SanitizeLine(s.Arguments, maxCriticLine), s.Outcome,
			text.SanitizeLine(text.FirstLine(s.Result), maxCriticLine)))
	}
	for _, n := range slices.Sorted(maps.Keys(cv.said)) {
		if n > last {
			say(n)
		}
	}
	say(0)
	return lines
}
