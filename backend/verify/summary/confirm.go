package summary

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/process"
	"goalpost/backend/verify/fileio"
	"goalpost/backend/verify/shellline"
)

// Expectation is what must be heard of a check's runners.
type Expectation struct {
	Dir       string // the goal's folder, absolute
	CheckDir  string // where the check runs, relative to Dir
	Summaries []Expected
	Before    int // how many tests ran before the goal began, 0 if that is not known
}

// Confirm looks at what the test runners of a check said. A pass counts only if
// each of them came to its end: whatever runs in their process can end it with 0
// before. What they printed is counted, and compared with what ran before the start.
func (x Expectation) Confirm(v goal.Verdict, out process.Output) goal.Verdict {
	text := stripColor(out)
	for _, want := range x.Summaries {
		e, ok := summaryByName(want.Runner)
		if !ok { // of a newer version
			continue
		}
		said := e.parse(text)
		for _, n := range said {
			v.Tests += n
		}
		if v.Outcome != goal.Pass {
			continue
		}
		if len(said) < want.Times {
			return errorVerdict(v, want.missingText())
		}
		if e.silentFiles != nil {
			if file := x.firstSilentFile(e.silentFiles(text)); file != "" {
				return errorVerdict(v,
					fmt.Sprintf("%s ended with 0 before %s had run one of the tests in it, so they decided nothing", file,
						want.Runner))
			}
		}
	}
	whole := out.Bytes <= int64(len(out.Stdout)+len(out.Stderr))
	if len(x.Summaries) == 0 || v.Outcome != goal.Pass || !whole {
		return v
	}
	v.Detail += fmt.Sprintf(", %s ran", goal.FormatCount(v.Tests, "test"))
	switch {
	case x.Before > 0 && v.Tests == 0:
		v.Outcome, v.Detail = goal.Fail,
			fmt.Sprintf("it ended with 0, but no test ran; before the goal began it was %d", x.Before)
	case v.Tests < x.Before:
		v.Fewer = x.Before - v.Tests
		v.Detail += fmt.Sprintf(", and %d before the goal began: look where the others are", x.Before)
	}
	return v
}

func errorVerdict(v goal.Verdict, detail string) goal.Verdict {
	v.Outcome, v.Detail = goal.CheckErr, detail
	return v
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
func (x Expectation) firstSilentFile(files []string) string {
	root, err := os.OpenRoot(x.Dir)
	if err != nil {
		return "" // the check says so itself
	}
	defer func() { _ = root.Close() }()
	for _, file := range files {
		at := file
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

// AddGoTestVerbose is a check's command with -v where it runs go test by itself: without it
// go says "ok" of a package whatever became of its tests. Nothing else is different.
func AddGoTestVerbose(command string, at shellline.Location) string {
	if !at.Decides {
		return command
	}
	calls := shellline.Parse(command, at).Calls
	for i := len(calls) - 1; i >= 0; i-- {
		k := calls[i].Unwrap()
		if flags, _ := goFlags(k); k.Decides && goTest(k) && !isVerboseGoTest(flags) {
			command = command[:k.VerboseAt] + " -v" + command[k.VerboseAt:]
		}
	}
	return command
}
