package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/process"
	"goalpost/backend/verify/fileio"
)

// checkRunnerSummary looks at what the test runners of a check said. A pass counts only if
// each of them came to its end: whatever runs in their process can end it with 0
// before. What they printed is counted, and compared with what ran before the start.
func (h CheckRunner) checkRunnerSummary(ctx context.Context, c indexedCheck, out process.Output, r attempt) attempt {
	list, before, err := h.expectedSummaries(ctx, c)
	if err != nil {
		return retryableError(err)
	}
	text := stripColor(out)
	for _, want := range list {
		e, ok := summaryByName(want.Runner)
		if !ok { // of a newer version
			continue
		}
		said := e.parse(text)
		for _, n := range said {
			r.Tests += n
		}
		if r.Outcome != goal.Pass {
			continue
		}
		if len(said) < want.Times {
			return errorVerdict(r, want.missingText())
		}
		if e.silentFiles != nil {
			if file := h.firstSilentFile(c, e.silentFiles(text)); file != "" {
				return errorVerdict(r, fmt.Sprintf("%s ended with 0 before %s had run one of the tests in it, so they decided nothing", file, want.Runner))
			}
		}
	}
	whole := out.Bytes <= int64(len(out.Stdout)+len(out.Stderr))
	if len(list) == 0 || r.Outcome != goal.Pass || !whole {
		return r
	}
	r.Detail += fmt.Sprintf(", %s ran", goal.FormatCount(r.Tests, "test"))
	switch {
	case before > 0 && r.Tests == 0:
		r.Outcome, r.Detail = goal.Fail, fmt.Sprintf("it ended with 0, but no test ran; before the goal began it was %d", before)
	case r.Tests < before:
		r.Fewer = before - r.Tests
		r.Detail += fmt.Sprintf(", and %d before the goal began: look where the others are", before)
	}
	return r
}

func errorVerdict(r attempt, detail string) attempt {
	r.Outcome, r.Detail, r.again = goal.CheckErr, detail, false
	return r
}

// expectedSummaries is what must be heard when a check passes, and how many tests ran before
// the start. In pre-flight nothing is frozen yet, and it is looked for.
func (h CheckRunner) expectedSummaries(ctx context.Context, c indexedCheck) (list []expectedSummary, before int, err error) {
	if h.World == nil {
		if c.n >= 0 || !c.location(h.Dir).decides {
			return nil, 0, nil
		}
		f, err := scanChecks(ctx, protectOptions{Dir: h.Dir, Criterion: goal.Criterion{Checks: []goal.Check{c.Check}}})
		if err != nil {
			return nil, 0, err
		}
		return f.endings, 0, nil
	}
	g := h.World.guard()
	for _, k := range g.heard {
		if k.Check == c.n {
			list = append(list, k)
		}
	}
	if c.n >= 0 && c.n < len(g.tests) {
		before = g.tests[c.n]
	}
	return list, before, nil
}

var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// stripColor is what a program printed, without colours.
func stripColor(out process.Output) string {
	text := string(out.Stdout) + "\n" + string(out.Stderr)
	return strings.ReplaceAll(colours.ReplaceAllString(text, ""), "\r\n", "\n")
}

// testDeclaration are calls by which a file names tests whatever happens: not indented.
var testDeclaration = regexp.MustCompile(`(?m)^(?:await |void )?(?:test|it|describe|suite)(?:\.\w+)*\s*\(`)

// firstSilentFile is the first of these files of tests that would have named some, "" if none.
func (h CheckRunner) firstSilentFile(c indexedCheck, files []string) string {
	root, err := os.OpenRoot(h.Dir)
	if err != nil {
		return "" // the check says so itself
	}
	defer func() { _ = root.Close() }()
	for _, file := range files {
		at := file
		if !filepath.IsAbs(at) {
			at = filepath.Join(h.Dir, c.Dir, at)
		}
		at, err := filepath.Rel(h.Dir, at)
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

// withGoTestVerbose is a check's command with -v where it runs go test by itself: without it
// go says "ok" of a package whatever became of its tests. Nothing else is different.
func withGoTestVerbose(command string, at lineLocation) string {
	if !at.decides {
		return command
	}
	calls := parseLine(command, at).calls
	for i := len(calls) - 1; i >= 0; i-- {
		k := calls[i].unwrapped()
		if flags, _ := goFlags(k); k.decides && goTest(k) && !isVerboseGoTest(flags) {
			command = command[:k.spoken] + " -v" + command[k.spoken:]
		}
	}
	return command
}
