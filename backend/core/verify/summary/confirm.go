package summary

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// Expectation is what a passing check must show about its test runners.
type Expectation struct {
	Dir      string // the goal's folder, absolute
	CheckDir string // where the check runs, relative to Dir
	// Before is pre-flight, nil if it was not observed. Tests is how many tests ran then, 0 if unknown.
	Before *goal.Observation
	Tests  int
}

// Confirm reads what the test runners of an observed check printed, counts the tests, and records which runners
// printed their summary. A pass counts only if the runners that did so in pre-flight do so again: code in a
// runner's process can end it early with 0.
func (e Expectation) Confirm(v goal.Verdict, out process.Output) goal.Verdict {
	if v.Observation == nil {
		return v
	}
	text := stripColor(out)
	isCounted := false
	for _, runner := range v.Observation.Runners {
		parse := parsers[runner]
		if parse == nil { // from a newer version
			continue
		}
		ends := parse(text)
		ran := 0
		for _, n := range ends {
			ran += n
		}
		v.Tests += ran
		v.Observation.Tests = append(v.Observation.Tests, names(runner, text, ran)...)
		if len(ends) > 0 {
			isCounted = true
			if runner != "node --test" || !silentFile.MatchString(text) { // such a file may have ended early
				v.Observation.Ended = append(v.Observation.Ended, runner)
			}
		}
		if v.Outcome != goal.Pass {
			continue
		}
		if len(ends) == 0 && e.Before != nil && slices.Contains(e.Before.Ended, runner) {
			v.Outcome, v.Detail = goal.CheckErr, fmt.Sprintf("it exited with 0, but %s did not finish: its summary is "+
				"missing. Something that it ran ended it early (an exit with 0 in the work or in a test), so "+
				"the tests decided nothing", runner)
			return v
		}
		if file := e.findSilentFile(text); runner == "node --test" && file != "" {
			v.Outcome, v.Detail = goal.CheckErr, fmt.Sprintf("%s exited with 0 before %s had run any of its tests, so "+
				"they decided nothing", file, runner)
			return v
		}
	}
	isComplete := out.Bytes <= int64(len(out.Stdout)+len(out.Stderr))
	if !isCounted && e.Tests == 0 || v.Outcome != goal.Pass || !isComplete {
		return v
	}
	v.Detail += fmt.Sprintf(", %s ran", goal.FormatCount(v.Tests, "test"))
	switch {
	case e.Tests > 0 && v.Tests == 0:
		v.Outcome, v.Detail = goal.Fail,
			fmt.Sprintf("it exited with 0, but no test ran; %d ran before the goal began", e.Tests)
	case v.Tests < e.Tests:
		v.Fewer = e.Tests - v.Tests
		v.Detail += fmt.Sprintf(", but %d ran before the goal began: find out why the others did not", e.Tests)
	}
	return v
}

var colorCodes = text.NewPattern(`\x1b\[[0-9;]*m`)

// stripColor returns a program's output without colors and carriage returns.
func stripColor(out process.Output) string {
	text := string(out.Stdout) + "\n" + string(out.Stderr)
	return strings.ReplaceAll(colorCodes.ReplaceAllString(text, ""), "\r\n", "\n")
}

var (
	// silentFile matches files that node counts as one test because they declared none.
	silentFile = text.NewPattern(`(?m)^(?:ok \d+ - |✔ )(\S.*?\.[cm]?[jt]s)(?: \([\d.]+ms\))?$`)
	// testDeclaration matches calls that declare tests unconditionally, because they are not indented.
	testDeclaration = text.NewPattern(`(?m)^(?:await |void )?(?:test|it|describe|suite)(?:\.\w+)*\s*\(`)
)

// findSilentFile returns the first file that node counted as one test although it declares some, "" if there is
// none.
func (e Expectation) findSilentFile(output string) string {
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return "" // the check reports this itself
	}
	defer func() { _ = root.Close() }()
	for _, m := range silentFile.FindAllStringSubmatch(output, -1) {
		at := m[1]
		if !filepath.IsAbs(at) {
			at = filepath.Join(e.Dir, e.CheckDir, at)
		}
		at, err := filepath.Rel(e.Dir, at)
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
