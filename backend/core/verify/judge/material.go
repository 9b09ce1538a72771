package judge

import (
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/core/verify/baseline"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// WrapData wraps a text from outside for a judge, without its middle if it has more than limit bytes.
func WrapData(name, data string, limit int) string {
	data = text.ToUTF8(string(text.TruncateMiddle([]byte(data), limit)))
	if strings.TrimSpace(data) == "" {
		data = "(nothing)"
	}
	return text.WrapUntrustedRandomly(name, data)
}

// FormatEvidence formats the evidence that the host has about a claim: the checks' verdicts, the agent's last
// steps, and the changes in its folder.
func FormatEvidence(
	verdicts []goal.Verdict, changes string, files []baseline.FileEvidence, steps []goal.Step, w Budget,
) string {
	var b strings.Builder
	b.WriteString("Verdicts of the checks that the host ran:\n")
	b.WriteString(formatVerdicts(verdicts, w))
	b.WriteString("\nFiles of the goal's folder, compared with the start by the host:\n" +
		WrapData("changed files", changes, w.Text))
	b.WriteString("\nThe files that the question names, and those that changed, read by the host:\n" +
		formatFiles(files, w))
	b.WriteString("\nThe agent's last steps, oldest first, as the host recorded them:\n" + formatSteps(steps, w))
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

// formatFiles shows files whole while they fit, then their differences from the start.
func formatFiles(files []baseline.FileEvidence, w Budget) string {
	if len(files) == 0 {
		return "(none)\n"
	}
	var b strings.Builder
	space, diff := w.files, w.files/2
	for i, f := range files {
		heading := text.SanitizeLine(f.Path, 300)
		if f.Change != "" {
			heading += ", " + f.Change
		}
		switch {
		case f.IsText && len(f.Text) <= space:
			space -= len(f.Text)
			b.WriteString(WrapData("file", heading+", whole:\n"+f.Text, len(heading)+len(f.Text)+20))
		case f.Diff != "" && diff > 0:
			size := min(len(f.Diff), diff)
			diff -= size
			b.WriteString(WrapData("file", heading+", as a diff from the start:\n"+f.Diff, len(heading)+size+40))
		case f.Named:
			b.WriteString(WrapData("file", fmt.Sprintf("%s: %d bytes, which are not shown: not text, or too long", heading,
				f.Size), w.Text))
		}
		if space <= 0 && diff <= 0 && i+1 < len(files) {
			fmt.Fprintf(&b, "(%s left out: together they would be too long)\n", goal.FormatCount(len(files)-i-1, "file"))
			break
		}
	}
	return b.String()
}

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
