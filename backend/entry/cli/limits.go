package cli

import (
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// printWork prints what the agent may change, if the user named it with --work.
func (p Program) printWork(in goal.Request) {
	if len(in.Work) == 0 {
		return
	}
	names := make([]string, 0, len(in.Work))
	for _, w := range in.Work {
		if glob := policy.RoundGlob(w); glob != w {
			w = glob + " (for " + w + ": folders and existing files can be granted, not patterns)"
		}
		names = append(names, oneLine(w))
	}
	p.errorf("the agent may change: %s; everything else in the folder is read-only\n", strings.Join(names, ", "))
}

// describeScope describes, a line each, what the agent may change and what only the checks may read, "" if neither is
// limited.
func describeScope(work, checkDir string) (lines string) {
	if work != "" {
		lines = "the agent may change only " + oneLine(work) + "\n"
	}
	if checkDir != "" {
		lines += "only the checks read " + oneLine(checkDir) + "\n"
	}
	return lines
}

// indentLines puts two spaces before each line.
func indentLines(text string) string {
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// confirmRunOutside warns of checks that run outside the sandbox, and asks for a confirmation at a terminal. Without
// one the start is refused.
func (p Program) confirmRunOutside(in *goal.Request) {
	if in.RunOutside || !slices.ContainsFunc(in.Checks, func(c goal.Check) bool { return c.Where == "host" }) ||
		!p.isTerminal(0) {
		return
	}
	p.errorf("%s\n", goal.RunOutsideWarning)
	in.RunOutside = p.confirmAtTerminal("Run it outside the sandbox? [y/N] ")
}
