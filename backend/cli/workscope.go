package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"goalpost/backend/api"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

// addWorkFlags adds what limits the agent's programs in the goal's folder.
func addWorkFlags(fl *pflag.FlagSet, in *api.StartInput) {
	fl.StringArrayVar(&in.Work, "work", nil,
		"a file or folder, relative to --dir, that the agent may change; everything else there is then read-only")
	fl.StringVar(&in.CheckDir, "check-dir", "",
		"a folder that only the checks read, as $GOALPOST_CHECK_DIR; the agent and the models do not")
}

// printWork prints what the agent may change, where the user named it.
func (p Program) printWork(in api.StartInput) {
	if len(in.Work) == 0 {
		return
	}
	names := make([]string, 0, len(in.Work))
	for _, w := range in.Work {
		if rounded := policy.RoundGlob(w); rounded != w {
			w = rounded + " (for " + w + ": folders and existing files can be granted, not patterns)"
		}
		names = append(names, oneLine(w))
	}
	p.errorf("the agent may change: %s; everything else in the folder is read-only\n", strings.Join(names, ", "))
}

// describeScope says in a line each what the agent may change in the folder and what it does not read, "" if nothing
// is limited.
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

// confirmRunOutside warns of checks that run outside of the sandbox, and asks for a confirmation at a terminal. Without
// one the start is refused.
func (p Program) confirmRunOutside(in *api.StartInput) {
	if in.RunOutside || !slices.ContainsFunc(in.Checks, func(c goal.Check) bool { return c.Where == "host" }) ||
		!isTerminal(os.Stdin) {
		return
	}
	p.errorf("%s\n", goal.RunOutsideWarning)
	in.RunOutside = p.confirmAtTerminal("Run it outside of the sandbox? [y/N] ")
}
