package judge

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/text"
	"goalpost/backend/verify/workspace"
)

// WrapUntrusted wraps a text from outside. Its mark has 128 random bits, so nobody can write the end of the wrapping
// into the text.
func WrapUntrusted(name, data string, most int) string {
	data = strings.ToValidUTF8(string(text.TruncateMiddle([]byte(data), most)), "\uFFFD")
	if strings.TrimSpace(data) == "" {
		data = "(nothing)"
	}
	mark := newMark()
	return fmt.Sprintf("<<<data %s %s\n%s\n%s data>>>\n", mark, name, data, mark)
}

// newMark is 128 random bits. A machine without random numbers ends the program.
func newMark() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// FormatEvidence is the evidence that the host has of a claim: what the checks said,
// what the agent did last, what is different in its folder.
func FormatEvidence(
	verdicts []goal.Verdict, changed string, files []workspace.FileEvidence, steps []goal.Step, w Budget,
) string {
	var b strings.Builder
	b.WriteString("Verdicts of the checks that the host ran:\n")
	b.WriteString(formatVerdicts(verdicts, w))
	b.WriteString("\nFiles of the goal's folder, compared with the start by the host:\n" +
		WrapUntrusted("changed files", changed, w.Text))
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
		fmt.Fprintf(&b, "- %s: %s, %s\n", v.Outcome, v.Type, text.OneLine(v.Name, 500))
		b.WriteString(WrapUntrusted(fmt.Sprintf("of check %d", v.Check+1), v.Detail+"\n"+v.Tail, w.Text))
		if len(v.Changes) > 0 {
			b.WriteString("Files that this check used and that are new or changed since the start:\n" +
				WrapUntrusted(fmt.Sprintf("files of check %d", v.Check+1), formatFileChanges(v.Changes), w.Text))
		}
	}
	return b.String()
}

func formatFileChanges(list []goal.FileChange) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s (%s, %s), used by %s\n", c.Path, c.Change, c.Role, text.OneLine(c.By, 200))
	}
	return b.String()
}

// formatFiles shows each file whole while it fits, and otherwise how it differs from the start.
func formatFiles(files []workspace.FileEvidence, w Budget) string {
	if len(files) == 0 {
		return "(none)\n"
	}
	var b strings.Builder
	whole, diff := w.files, w.files/2
	for i, f := range files {
		about := text.OneLine(f.Path, 300)
		if f.Change != "" {
			about += ", " + f.Change
		}
		switch {
		case f.IsText && len(f.Text) <= whole:
			whole -= len(f.Text)
			b.WriteString(WrapUntrusted("file", about+", whole:\n"+f.Text, len(about)+len(f.Text)+20))
		case f.Diff != "" && diff > 0:
			size := min(len(f.Diff), diff)
			diff -= size
			b.WriteString(WrapUntrusted("file", about+", as a diff from the start:\n"+f.Diff, len(about)+size+40))
		case f.Named:
			b.WriteString(WrapUntrusted("file", fmt.Sprintf("%s: %d bytes, which are not shown: not text, or too long", about,
				f.Size), w.Text))
		}
		if whole <= 0 && diff <= 0 && i+1 < len(files) {
			fmt.Fprintf(&b, "(%s left out: together they would be too long)\n", goal.FormatCount(len(files)-i-1, "file"))
			break
		}
	}
	return b.String()
}

// formatSteps are the newest steps that fit, and always one.
func formatSteps(steps []goal.Step, w Budget) string {
	if len(steps) == 0 {
		return "(none)\n"
	}
	var shown []string
	free := w.steps
	for _, s := range slices.Backward(steps) {
		one := fmt.Sprintf("Step %d, %s, %s\n", s.N, text.OneLine(s.Tool, 100), s.Outcome) +
			WrapUntrusted("arguments", s.Arguments, w.step) + WrapUntrusted("result", s.Result, w.step)
		if free -= len(one); free < 0 && len(shown) > 0 {
			shown = append(shown,
				fmt.Sprintf("(the %d before are left out: there is no room for them)\n", len(steps)-len(shown)))
			break
		}
		shown = append(shown, one)
	}
	slices.Reverse(shown)
	return strings.Join(shown, "")
}
