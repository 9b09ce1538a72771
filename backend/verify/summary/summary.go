// Package summary reads what known test runners print when they have come to their end.
package summary

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"goalpost/backend/verify/fileio"
	"goalpost/backend/verify/shellline"
)

// runnerSummary is what a known test runner always prints when it has come to its end. A
// test, or the work that it tests, can end the process that it runs in with 0:
// then these words are missing.
type runnerSummary struct {
	name    string
	matches func(c shellline.Call) bool // a call that runs tests and says at its end how many
	// quiet are settings, by file, with which it may end without a word.
	quietConfig map[string]*regexp.Regexp
	// said finds its last words: for each time that it came to its end, how many tests ran.
	parse func(text string) []int
	// mute finds files of tests which passed without one test in them being named; nil
	// for a runner that does not say so.
	silentFiles func(text string) []string
}

var runnerSummaries = []runnerSummary{
	{name: "go test", matches: goTest, parse: parseGoTest},
	{
		name:    "pytest",
		matches: func(c shellline.Call) bool { return runsPythonModule(c, "pytest", "py.test") && !isQuietPytest(c) },
		quietConfig: samePattern(regexp.MustCompile(`(?s)addopts.*?(-q|--quiet|no:terminal|--co|--help|--version)`),
			"pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"),
		parse: summaryParser(`(?m)^(?:=+ )?((?:no tests ran|\d+ [a-z]+)(?:, \d+ [a-z]+)*) in [\d.]+ ?s`, "passed", "failed",
			"error", "errors", "xpassed"),
	},
	{
		name:    "unittest",
		matches: func(c shellline.Call) bool { return runsPythonModule(c, "unittest") && !c.HasFlag("-h", "--help") },
		parse:   parseUnittest,
	},
	{
		name:    "node --test",
		matches: nodeTest,
		parse: summaryParser(`(?m)^(?:#|ℹ) tests \d+\n(?:(?:#|ℹ) suites \d+\n)?(?:#|ℹ) (pass \d+\n(?:#|ℹ) fail \d+)`,
			"pass", "fail"),
		silentFiles: silentNodeFiles,
	},
	{
		name: "jest", matches: func(c shellline.Call) bool {
			return path.Base(c.Name()) == "jest" && !c.HasFlag("--listTests", "--showConfig", "--json", "--reporters",
				"--version", "--help", "-h", "--clearCache", "--init", "--config", "-c")
		},
		quietConfig: samePattern(regexp.MustCompile(`"?reporters"?\s*:|"?json"?\s*:\s*true|\bpreset\b`), "package.json",
			"jest.config.js", "jest.config.ts", "jest.config.cjs", "jest.config.mjs", "jest.config.mts", "jest.config.json"),
		parse: summaryParser(`(?m)^(?:Tests: +(.*)|No tests found, exiting with code 0.*)$`, "passed", "failed"),
	},
	{
		name: "vitest", matches: func(c shellline.Call) bool {
			return path.Base(c.Name()) == "vitest" && !c.HasFlag("list", "bench", "init", "--reporter", "--reporters",
				"--version", "-v", "--help", "-h", "--config", "-c", "--clearCache", "--merge-reports")
		},
		quietConfig: configVariants("reporters?", "vitest.config", "vitest.workspace", "vite.config"),
		parse:       summaryParser(`(?m)^(?: +Tests +(.*)|No test files found, exiting with code 0.*)$`, "passed", "failed"),
	},
	{
		name: "mocha", matches: func(c shellline.Call) bool {
			return path.Base(c.Name()) == "mocha" && !c.HasFlag("-R", "--reporter", "--config", "--package", "--version", "-V",
				"--help", "-h", "--dry-run", "--list-reporters", "--list-interfaces")
		},
		quietConfig: samePattern(regexp.MustCompile(`\breporter\b`), "package.json", ".mocharc.js", ".mocharc.cjs",
			".mocharc.json", ".mocharc.jsonc", ".mocharc.yml", ".mocharc.yaml"),
		parse: summaryParser(`(?m)^ +(\d+ passing) \([^\n]*(?:\n(?: +\d+ pending\n)?( +\d+ failing)$)?`, "passing",
			"failing"),
	},
	{
		name:        "cargo test",
		matches:     cargoTest,
		quietConfig: samePattern(regexp.MustCompile(`harness\s*=\s*false`), "Cargo.toml"),
		parse:       parseCargo,
	},
	{
		name: "cargo nextest", matches: func(c shellline.Call) bool {
			return path.Base(c.Name()) == "cargo" && c.HasFlag("nextest") && c.HasFlag("run", "r") && !c.HasFlag("--no-run")
		},
		parse: summaryParser(`(?m)^ *Summary \[[^\]]*\] +(?:\d+/)?\d+ tests? run: (.*)$`, "passed", "failed"),
	},
}

func summaryByName(name string) (runnerSummary, bool) {
	i := slices.IndexFunc(runnerSummaries, func(e runnerSummary) bool { return e.name == name })
	if i < 0 {
		return runnerSummary{}, false
	}
	return runnerSummaries[i], true
}

var pythonPattern = regexp.MustCompile(`^python[0-9.]*$`)

// runsPythonModule says whether a call runs one of these modules, by itself or by -m.
func runsPythonModule(c shellline.Call, modules ...string) bool {
	base := path.Base(c.Name())
	if slices.Contains(modules, base) {
		return true
	}
	at := slices.Index(c.Words, "-m")
	return pythonPattern.MatchString(base) && at > 0 && at+1 < len(c.Words) && slices.Contains(modules, c.Words[at+1])
}

// isQuietPytest says whether pytest is told to end without a word, or to run nothing.
func isQuietPytest(c shellline.Call) bool {
	quiet := 0
	for _, w := range c.Words {
		switch {
		case w == "--quiet":
			quiet++
		case strings.HasPrefix(w, "-q"):
			quiet += strings.Count(w, "q")
		}
	}
	return quiet > 1 || c.HasFlag("-h", "--help", "--version", "-V", "--collect-only", "--co", "--fixtures", "--markers",
		"--setup-plan", "-c", "--config-file", "-o", "--override-ini") ||
		slices.ContainsFunc(c.Words, func(w string) bool { return strings.Contains(w, "no:terminal") })
}

func nodeTest(c shellline.Call) bool {
	if path.Base(c.Name()) != "node" || !c.HasFlag("--test") ||
		c.HasFlag("--watch", "--test-reporter-destination", "--require", "-r", "--import") {
		return false
	}
	for i, w := range c.Words {
		value, joined := strings.CutPrefix(w, "--test-reporter=")
		if w == "--test-reporter" && i+1 < len(c.Words) {
			value, joined = c.Words[i+1], true
		}
		if joined && value != "tap" && value != "spec" {
			return false
		}
	}
	return true
}

// silentNodeFiles are files that node counts as one test, because they named none.
func silentNodeFiles(text string) []string {
	var files []string
	for _, m := range silentFilePattern.FindAllStringSubmatch(text, -1) {
		files = append(files, m[1])
	}
	return files
}

var silentFilePattern = regexp.MustCompile(`(?m)^(?:ok \d+ - |✔ )(\S.*?\.[cm]?[jt]s)(?: \([\d.]+ms\))?$`)

// goTest knows calls whose packages say what ran: what they print is not seen without -v.
func goTest(c shellline.Call) bool {
	flags, ok := goFlags(c)
	silent := []string{"c", "n", "list", "test.list", "exec", "h", "help"}
	if !ok || slices.ContainsFunc(flags, func(f string) bool {
		return slices.Contains(silent, f) || strings.HasSuffix(f, "=false")
	}) {
		return false
	}
	return isVerboseGoTest(flags) || c.VerboseAt > 0
}

func isVerboseGoTest(flags []string) bool {
	return slices.ContainsFunc(flags, func(f string) bool {
		return f == "json" || strings.TrimPrefix(strings.TrimSuffix(f, "=true"), "test.") == "v"
	})
}

// goFlags are the flags of a call of go test, without their dashes and, but for true and
// false, their values.
func goFlags(c shellline.Call) (flags []string, ok bool) {
	at := slices.Index(c.Words, "test")
	if path.Base(c.Name()) != "go" || at < 0 {
		return nil, false
	}
	for _, w := range c.Words[at:] {
		if w == "-args" || w == "--args" {
			break
		}
		if !strings.HasPrefix(w, "-") {
			continue
		}
		name, value, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
		if (name == "v" || name == "test.v" || name == "json") && value != "" {
			name += "=" + value
		}
		flags = append(flags, name)
	}
	return flags, true
}

// parseGoTest reads what packages print with -v. Each of them says PASS or FAIL itself; "ok"
// is the word of go, and comes also where a package ended without having run its tests.
func parseGoTest(text string) []int {
	ran, tests, ended := []int{}, 0, false
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, `{"`) {
			l = goJSONOutputLine(l)
		}
		switch {
		case goTestLine.MatchString(l):
			tests++
		case strings.HasSuffix(l, "PASS"), truncationLine.MatchString(l):
			ended = true
		case strings.HasPrefix(l, "ok  \t"):
			if !ended {
				return nil
			}
			ran, tests, ended = append(ran, tests), 0, false
		case strings.HasPrefix(l, "FAIL\t"):
			ran, tests, ended = append(ran, tests), 0, false
		// there are no tests
		case strings.HasPrefix(l, "?   \t"), strings.HasPrefix(l, "\t") && strings.Contains(l, "coverage: "):
			ran = append(ran, 0)
		}
	}
	return ran
}

var (
	goTestLine     = regexp.MustCompile(`^--- (PASS|FAIL): `)
	truncationLine = regexp.MustCompile(`^… \d+ bytes left out …$`)
	goJSONPattern  = regexp.MustCompile(`^\{"Time":"[^"]*","Action":"output",.*"Output":("(?:[^"\\]|\\.)*")\}$`)
)

// goJSONOutputLine is the line of a package in a line of go test -json.
func goJSONOutputLine(line string) string {
	m := goJSONPattern.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	text, err := strconv.Unquote(m[1])
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(text, "\n")
}

func parseUnittest(text string) []int {
	var ran []int
	for _, m := range unittestEnd.FindAllStringSubmatch(text, -1) {
		n := parseNumber(m[1])
		for _, s := range skippedBy.FindAllStringSubmatch(m[2], -1) {
			n -= parseNumber(s[1]) // an expected failure shows nothing
		}
		ran = append(ran, n)
	}
	return ran
}

var (
	unittestEnd = regexp.MustCompile(`(?m)^Ran (\d+) tests? in [^\n]*\n\n(?:OK|FAILED|NO TESTS RAN)(.*)$`)
	skippedBy   = regexp.MustCompile(`(?:skipped|expected failures)=(\d+)`)
)

func cargoTest(c shellline.Call) bool {
	return path.Base(c.Name()) == "cargo" && c.HasFlag("test", "t") &&
		!c.HasFlag("--no-run", "--list", "--format", "-h", "--help", "-V", "--version", "-Z", "--manifest-path", "nextest")
}

// parseCargo reads the results of the programs that cargo ran; each of them announces its tests first.
func parseCargo(text string) []int {
	ran := summaryParser(`(?m)^test result: [a-zA-Z]+\. (\d+ passed; \d+ failed);`, "passed", "failed")(text)
	if begun := len(cargoBegins.FindAllString(text, -1)); begun > len(ran) {
		return nil
	}
	return ran
}

var cargoBegins = regexp.MustCompile(`(?m)^running \d+ tests?$`)

// summaryParser reads words like "3 passed" or "passed 3" out of what a pattern finds, and
// adds up those that are named.
func summaryParser(pattern string, words ...string) func(string) []int {
	end := regexp.MustCompile(pattern)
	one := regexp.MustCompile(`(\d+) (` + strings.Join(words, "|") + `)\b|\b(` + strings.Join(words, "|") + `) (\d+)`)
	return func(text string) []int {
		var ran []int
		for _, m := range end.FindAllString(text, -1) {
			n := 0
			for _, c := range one.FindAllStringSubmatch(m, -1) {
				n += parseNumber(c[1]) + parseNumber(c[4])
			}
			ran = append(ran, n)
		}
		return ran
	}
}

// parseNumber is what digits say; nothing is 0.
func parseNumber(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

func samePattern(pattern *regexp.Regexp, files ...string) map[string]*regexp.Regexp {
	m := map[string]*regexp.Regexp{}
	for _, f := range files {
		m[f] = pattern
	}
	return m
}

// configVariants are files of these names with every ending that a script may have.
func configVariants(pattern string, names ...string) map[string]*regexp.Regexp {
	re, m := regexp.MustCompile(pattern), map[string]*regexp.Regexp{}
	for _, name := range names {
		for _, end := range []string{"js", "mjs", "cjs", "ts", "mts", "cts"} {
			m[name+"."+end] = re
		}
	}
	return m
}

// maxConfigBytes is the longest settings file that is read, in bytes.
const maxConfigBytes = 4 << 20

// Find lists what must be heard of the known runners that calls start. root is
// the goal's folder, in which the runners' settings are.
func Find(root *os.Root, calls []shellline.CheckCall) []Expected {
	var list []Expected
	for _, c := range calls {
		for _, e := range runnerSummaries {
			if !e.matches(c.Call) || e.isQuiet(root, c.Call) {
				continue
			}
			at := slices.IndexFunc(list, func(h Expected) bool { return h.Check == c.Check && h.Runner == e.name })
			if at < 0 {
				list, at = append(list, Expected{Check: c.Check, Runner: e.name}), len(list)
			}
			list[at].Times++
		}
	}
	return list
}

// isQuiet says whether settings in the folder of a call may make the runner end without a word.
func (e runnerSummary) isQuiet(root *os.Root, c shellline.Call) bool {
	for file, pattern := range e.quietConfig {
		text, _, err := fileio.Read(root, path.Join(c.Dir, file), maxConfigBytes)
		if err == nil && pattern.Match(text) {
			return true
		}
	}
	return false
}

// Expected is what must be heard of a runner when a check passes.
type Expected struct {
	Check  int    `json:"check"`
	Runner string `json:"runner"` // a name in endings
	Times  int    `json:"times"`  // how often it comes to its end, at least
}

func (h Expected) missingText() string {
	return fmt.Sprintf("it ended with 0, but %s did not come to its end: what it always prints there is missing. "+
		"Something that it ran ended it early (an exit with 0 in the work or in a test), so the tests decided nothing",
		h.Runner)
}
