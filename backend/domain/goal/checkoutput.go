package goal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/lib/text"
)

// CheckOutput limits what the agent and the models of a goal read of a failing check's output. The journal keeps
// all of it for the user.
type CheckOutput string

// The levels. The default is full, or exit for a goal whose checks read a folder that the agent must not see.
const (
	CheckOutputDefault CheckOutput = ""
	CheckOutputExit    CheckOutput = "exit"  // passed or failed, with the exit code
	CheckOutputNames   CheckOutput = "names" // also the names of failed tests
	CheckOutputFull    CheckOutput = "full"
)

// CheckOutputs lists the levels that a user can choose.
func CheckOutputs() []CheckOutput {
	return []CheckOutput{CheckOutputExit, CheckOutputNames, CheckOutputFull}
}

// ShownCheckOutput returns the goal's level, never the default.
func (g Goal) ShownCheckOutput() CheckOutput {
	switch {
	case g.Options.CheckOutput != CheckOutputDefault:
		return g.Options.CheckOutput
	case g.Policy.CheckDir != "":
		return CheckOutputExit
	}
	return CheckOutputFull
}

// LimitVerdicts returns copies of the verdicts with what the goal's agent and models may read. It limits only
// checks that run a command, because others reveal nothing of a hidden folder.
func (g Goal) LimitVerdicts(list []Verdict) []Verdict {
	level := g.ShownCheckOutput()
	if level == CheckOutputFull {
		return list
	}
	out := slices.Clone(list)
	for i, v := range out {
		if v.Check >= len(g.Criterion.Checks) { // the review
			continue
		}
		if g.Criterion.Checks[v.Check].RunsCommand() {
			out[i] = v.limited(level)
		}
	}
	return out
}

func (v Verdict) limited(level CheckOutput) Verdict {
	text := cmp.Or(string(v.Output), v.Tail)
	v.Tail, v.Output, v.Evidence, v.Bytes = "", nil, "", 0
	switch v.Outcome {
	case Pass:
		v.Detail = "it passed"
	case CheckErr:
		v.Detail = fmt.Sprintf("it could not be decided (exit %d); only the user sees why", v.ExitCode)
	case Fail:
		v.Detail = fmt.Sprintf("it failed (exit %d); the user hides its output from you", v.ExitCode)
	default: // it was not run
		return v
	}
	if names := failedNames(text); level == CheckOutputNames && v.Outcome == Fail && len(names) > 0 {
		v.Detail = fmt.Sprintf("it failed (exit %d); the user shows you only the names of failed tests: %s",
			v.ExitCode, strings.Join(names, ", "))
	}
	return v
}

// failedLine matches the lines in which common test runners name a failed test; the group is the name.
var failedLine = text.NewPattern(`(?m)^\s*(?:--- FAIL: (\S+)|(?:FAILED|ERROR) (\S+::\S+)|` +
	`(?:FAIL|ERROR): (\w+ \([\w.]+\))|test (\S+) \.\.\. FAILED|not ok \d+ - (.+?)(?: # .*)?|` +
	`● (.+)|✕ (.+?)(?: \(\d+ m?s\))?|× (.+?)(?: \d+ms)?)\s*$`)

// failedNames lists the failed tests in order, without repeats.
func failedNames(output string) (names []string) {
	const maxNames, maxNameBytes = 50, 200
	for line := range strings.Lines(output) {
		if at := strings.Index(line, " - "); strings.HasPrefix(line, "FAILED ") && at > 0 { // pytest adds the reason
			line = line[:at]
		}
		if strings.HasPrefix(strings.TrimSpace(line), "--- FAIL: ") {
			line, _, _ = strings.Cut(line, " (")
		}
		found := failedLine.FindStringSubmatch(line)
		for _, name := range found[min(1, len(found)):] {
			if name != "" && len(name) <= maxNameBytes && !slices.Contains(names, name) && len(names) < maxNames {
				names = append(names, name)
			}
		}
	}
	return names
}
