package judge

import (
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/core/verify/baseline"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Evidence formats the evidence that the host has about a claim: the checks' verdicts, the agent's last
// steps, and the changes in its folder.
func (m *Material) Evidence(
	verdicts []goal.Verdict, changes string, files []baseline.FileEvidence, steps []goal.Step,
) string {
	var b strings.Builder
	b.WriteString("Verdicts of the checks that the host ran:\n")
	b.WriteString(formatVerdicts(verdicts, m.Budget))
	b.WriteString("\nFiles of the goal's folder, compared with the start by the host:\n" +
		WrapData("changed files", changes, m.Text))
	b.WriteString("\nThe files that the question names, and those that changed, read by the host:\n" +
		m.formatFiles(files))
	b.WriteString("\nThe agent's last steps, oldest first, as the host recorded them:\n" + formatSteps(steps, m.Budget))
	return b.String()
}

func formatVerdicts(verdicts []goal.Verdict, w Budget) string {
	if len(verdicts) == 0 {
		return "(none)\n"
	}
	var b strings.Builder
	for _, v := range verdicts {
		fmt.Fprintf(&b, "- %s: %s, %s\n", v.Outcome, v.Type, text.SanitizeLine(v.Name, 500))
		b.WriteString(WrapData(fmt.Sprintf("of check %d", v.Check+1), v.Detail+"\n"+v.Tail, w.Text))
		if v.Outcome == goal.Pass && v.AssuranceReason != "" {
			b.WriteString("The host doubts this pass:\n" +
				WrapData(fmt.Sprintf("doubt about check %d", v.Check+1), v.AssuranceReason, w.Text))
		}
		if len(v.Changes) > 0 {
			b.WriteString("Files that this check used and that are new or changed since the start:\n" +
				WrapData(fmt.Sprintf("files of check %d", v.Check+1), formatFileChanges(v.Changes), w.Text))
		}
	}
	return b.String()
}

func formatFileChanges(list []goal.FileChange) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s (%s, %s), used by %s\n", c.Path, c.Change, c.Role, text.SanitizeLine(c.By, 200))
	}
	return b.String()
}

// formatFiles shows files whole while they fit. Of the others it shows the difference from the start, or a part if the
// question names them.
func (m *Material) formatFiles(files []baseline.FileEvidence) string {
	if len(files) == 0 {
		return "(none)\n"
	}
	var b strings.Builder
	space, diff, left := m.files, m.files/2, 0
	for _, f := range files {
		name := text.SanitizeLine(f.Path, 300)
		heading := name
		if f.Change != "" {
			heading += ", " + f.Change
		}
		switch {
		case f.IsText && len(f.Text) <= space:
			space -= len(f.Text)
			b.WriteString(WrapData("file", heading+", whole:\n"+f.Text, len(heading)+len(f.Text)+20))
		case f.IsText && f.Named:
			size := max(space, m.Text/2)
			space -= size
			b.WriteString(m.Decisive("file", name, heading+":\n"+f.Text, size))
		case f.IsTooLong && f.Named:
			b.WriteString(m.missing("file", name, heading, int(f.Size)))
		case f.Diff != "" && diff > 0:
			size := min(len(f.Diff), diff)
			diff -= size
			b.WriteString(WrapData("file", heading+", as a diff from the start:\n"+f.Diff, len(heading)+size+40))
		case f.Named:
			b.WriteString(WrapData("file", fmt.Sprintf("%s: %d bytes, which are not shown: not text", heading, f.Size), m.Text))
		default:
			left++
		}
	}
	if left > 0 {
		fmt.Fprintf(&b, "(%s not shown: not text, or together they would be too long)\n", goal.FormatCount(left, "file"))
	}
	return b.String()
}

// maxWords and maxClaims limit how much of a goal's background a judge sees.
const (
	maxWords  = 20
	maxClaims = 10
)

// Background formats what the user said, the agent's plan and notes, and the earlier claims; "" if there is none of it.
func (m *Material) Background(k goal.Background) string {
	var b strings.Builder
	if words := newest(k.Words, maxWords); len(words) > 0 {
		b.WriteString("What the user said to the agent, oldest first:\n")
		for _, w := range words {
			if w.Question != "" {
				b.WriteString(WrapData("what the user was asked", w.Question, m.Text/4))
			}
			b.WriteString(WrapData("the user's word", w.Text, m.Text/2))
		}
	}
	if len(k.Plan) > 0 {
		var lines []string
		for i, t := range k.Plan {
			lines = append(lines, t.Line(i+1))
		}
		b.WriteString("The agent's plan:\n" + WrapData("plan", strings.Join(lines, "\n"), m.Text/2))
	}
	if len(k.Notes) > 0 {
		var lines []string
		for _, n := range k.Notes {
			lines = append(lines, n.Text)
		}
		b.WriteString("What the agent noted:\n" + WrapData("notes", strings.Join(lines, "\n"), m.Text/2))
	}
	if claims := newest(k.Claims, maxClaims); len(claims) > 0 {
		b.WriteString("The earlier claims, oldest first, each with the host's answer:\n")
		for _, c := range claims {
			b.WriteString(WrapData(fmt.Sprintf("claim %d", c.N), c.Rationale, m.Text/8))
			if c.Answer != "" {
				b.WriteString(WrapData(fmt.Sprintf("why claim %d failed", c.N), c.Answer, m.Text/4))
			}
		}
	}
	return b.String()
}

// newest returns the last elements of a list.
func newest[T any](list []T, limit int) []T { return list[max(0, len(list)-limit):] }

// formatSteps formats the newest steps that fit, at least one.
func formatSteps(steps []goal.Step, w Budget) string {
	if len(steps) == 0 {
		return "(none)\n"
	}
	var lines []string
	free := w.steps
	for _, s := range slices.Backward(steps) {
		one := fmt.Sprintf("Step %d, %s, %s\n", s.N, text.SanitizeLine(s.Tool, 100), s.Outcome) +
			WrapData("arguments", s.Arguments, w.step) + WrapData("result", s.Result, w.step)
		if free -= len(one); free < 0 && len(lines) > 0 {
			lines = append(lines,
				fmt.Sprintf("(the %d before are left out: there is no space for them)\n", len(steps)-len(lines)))
			break
		}
		lines = append(lines, one)
	}
	slices.Reverse(lines)
	return strings.Join(lines, "")
}
