package summary

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/fileio"
	"goalpost/backend/goal"
	"goalpost/backend/process"
)

// Expectation is what a passing check must show of its test runners.
type Expectation struct {
	Dir      string // the goal's folder, absolute
	CheckDir string // where the check runs, relative to Dir
	// Before is pre-flight, nil where nobody could observe it, and Tests how many tests ran then, 0 if that is not known.
	Before *goal.Observation
	Tests  int
}

// Confirm looks at what the test runners of an observed check printed, counts the tests, and notes which runners came
// to their end. A pass counts only if those that did so in pre-flight do so again: whatever runs in their process can
// end it with 0 before.
func (x Expectation) Confirm(v goal.Verdict, out process.Output) goal.Verdict {
	if v.Observation == nil {
		return v
	}
	text := stripColor(out)
	isCounted := false
	for _, runner := range v.Observation.Runners {
		parse := parsers[runner]
		if parse == nil { // of a newer version
			continue
		}
		ends := parse(text)
		for _, n := range ends {
			v.Tests += n
		}
		if len(ends) > 0 {
			v.Observation.Ended, isCounted = append(v.Observation.Ended, runner), true
		}
		if v.Outcome != goal.Pass {
			continue
		}
		if len(ends) == 0 && x.Before != nil && slices.Contains(x.Before.Ended, runner) {
			v.Outcome, v.Detail = goal.CheckErr, fmt.Sprintf("it ended with 0, but %s did not come to its end: what it always "+
				"prints there is missing. Something that it ran ended it early (an exit with 0 in the work or in a test), so "+
				"the tests decided nothing", runner)
			return v
		}
		if file := x.findSilentFile(text); runner == "node --test" && file != "" {
			v.Outcome, v.Detail = goal.CheckErr, fmt.Sprintf("%s ended with 0 before %s had run one of the tests in it, so "+
				"they decided nothing", file, runner)
			return v
		}
	}
	whole := out.Bytes <= int64(len(out.Stdout)+len(out.Stderr))
	if !isCounted && x.Tests == 0 || v.Outcome != goal.Pass || !whole {
		return v
	}
	v.Detail += fmt.Sprintf(", %s ran", goal.FormatCount(v.Tests, "test"))
	switch {
	case x.Tests > 0 && v.Tests == 0:
		v.Outcome, v.Detail = goal.Fail,
			fmt.Sprintf("it ended with 0, but no test ran; before the goal began it was %d", x.Tests)
	case v.Tests < x.Tests:
		v.Fewer = x.Tests - v.Tests
		v.Detail += fmt.Sprintf(", and %d before the goal began: look where the others are", x.Tests)
	}
	return v
}

var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// stripColor is what a program printed, without colours.
func stripColor(out process.Output) string {
	text := string(out.Stdout) + "\n" + string(out.Stderr)
	return strings.ReplaceAll(colours.ReplaceAllString(text, ""), "\r\n", "\n")
}

var (
	// silentFile matches files that node counts as one test, because they named none.
	silentFile = regexp.MustCompile(`(?m)^(?:ok \d+ - |✔ )(\S.*?\.[cm]?[jt]s)(?: \([\d.]+ms\))?$`)
	// testDeclaration are calls by which a file names tests whatever happens: not indented.
	testDeclaration = regexp.MustCompile(`(?m)^(?:await |void )?(?:test|it|describe|suite)(?:\.\w+)*\s*\(`)
)

// findSilentFile is the first file that node counted as one test and that would have named some, "" if none.
func (x Expectation) findSilentFile(output string) string {
	root, err := os.OpenRoot(x.Dir)
	if err != nil {
		return "" // the check says so itself
	}
	defer func() { _ = root.Close() }()
	for _, m := range silentFile.FindAllStringSubmatch(output, -1) {
		at := m[1]
		if !filepath.IsAbs(at) {
			at = filepath.Join(x.Dir, x.CheckDir, at)
		}
		at, err := filepath.Rel(x.Dir, at)
		if err != nil || !filepath.IsLocal(at) {
			continue
		}
		text, _, err := fileio.Read(root, at, 1<<20)
		if err == nil && strings.Contains(string(text), "node:test") && testDeclaration.Match(text) {
			return at
		}
	}
	return ""
}
