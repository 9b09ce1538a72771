package verify

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ending is what a known test runner always prints when it has come to its end. A
// test, or the work that it tests, can end the process that it runs in with 0:
// then these words are missing.
type ending struct {
	name string
	mine func(c call) bool // a call that runs tests and says at its end how many
	// quiet are settings, by file, with which it may end without a word.
	quiet map[string]*regexp.Regexp
	// said finds its last words: for each time that it came to its end, how many tests ran.
	said func(text string) []int
	// mute finds files of tests which passed without one test in them being named; nil
	// for a runner that does not say so.
	mute func(text string) []string
}

var endings = []ending{
	{name: "go test", mine: goTest, said: goSaid},
	{
		name: "pytest", mine: func(c call) bool { return pythonic(c, "pytest", "py.test") && !quietPytest(c) },
		quiet: each(regexp.MustCompile(`(?s)addopts.*?(-q|--quiet|no:terminal|--co|--help|--version)`), "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg"),
		said:  counted(`(?m)^(?:=+ )?((?:no tests ran|\d+ [a-z]+)(?:, \d+ [a-z]+)*) in [\d.]+ ?s`, "passed", "failed", "error", "errors", "xfailed", "xpassed"),
	},
	{name: "unittest", mine: func(c call) bool { return pythonic(c, "unittest") && !c.says("-h", "--help") }, said: unittestSaid},
	{name: "node --test", mine: nodeTest, said: counted(`(?m)^(?:#|ℹ) tests \d+\n(?:(?:#|ℹ) suites \d+\n)?(?:#|ℹ) (pass \d+\n(?:#|ℹ) fail \d+)`, "pass", "fail"), mute: nodeMute},
	{
		name: "jest", mine: func(c call) bool {
			return path.Base(c.word()) == "jest" && !c.says("--listTests", "--showConfig", "--json", "--reporters", "--version", "--help", "-h", "--clearCache", "--init", "--config", "-c")
		},
		quiet: each(regexp.MustCompile(`"?reporters"?\s*:|"?json"?\s*:\s*true|\bpreset\b`), "package.json", "jest.config.js", "jest.config.ts", "jest.config.cjs", "jest.config.mjs", "jest.config.mts", "jest.config.json"),
		said:  counted(`(?m)^(?:Tests: +(.*)|No tests found, exiting with code 0.*)$`, "passed", "failed"),
	},
	{
		name: "vitest", mine: func(c call) bool {
			return path.Base(c.word()) == "vitest" && !c.says("list", "bench", "init", "--reporter", "--reporters", "--version", "-v", "--help", "-h", "--config", "-c", "--clearCache", "--merge-reports")
		},
		quiet: settingsOf("reporters?", "vitest.config", "vitest.workspace", "vite.config"),
		said:  counted(`(?m)^(?: +Tests +(.*)|No test files found, exiting with code 0.*)$`, "passed", "failed"),
	},
	{
		name: "mocha", mine: func(c call) bool {
			return path.Base(c.word()) == "mocha" && !c.says("-R", "--reporter", "--config", "--package", "--version", "-V", "--help", "-h", "--dry-run", "--list-reporters", "--list-interfaces")
		},
		quiet: each(regexp.MustCompile(`\breporter\b`), "package.json", ".mocharc.js", ".mocharc.cjs", ".mocharc.json", ".mocharc.jsonc", ".mocharc.yml", ".mocharc.yaml"),
		said:  counted(`(?m)^ +(\d+ passing) \([^\n]*(?:\n(?: +\d+ pending\n)?( +\d+ failing)$)?`, "passing", "failing"),
	},
	{name: "cargo test", mine: cargoTest, quiet: each(regexp.MustCompile(`harness\s*=\s*false`), "Cargo.toml"), said: cargoSaid},
	{
		name: "cargo nextest", mine: func(c call) bool {
			return path.Base(c.word()) == "cargo" && c.says("nextest") && c.says("run", "r") && !c.says("--no-run")
		},
		said: counted(`(?m)^ *Summary \[[^\]]*\] +(?:\d+/)?\d+ tests? run: (.*)$`, "passed", "failed"),
	},
}

func endingOf(name string) (ending, bool) {
	i := slices.IndexFunc(endings, func(e ending) bool { return e.name == name })
	if i < 0 {
		return ending{}, false
	}
	return endings[i], true
}

// says tells whether one of the call's words is one of these, also as --word=value.
func (c call) says(words ...string) bool {
	return slices.ContainsFunc(c.Words[min(1, len(c.Words)):], func(w string) bool {
		flag, _, _ := strings.Cut(w, "=")
		return slices.Contains(words, flag)
	})
}

var python = regexp.MustCompile(`^python[0-9.]*$`)

// pythonic says whether a call runs one of these modules, by itself or by -m.
func pythonic(c call, modules ...string) bool {
	base := path.Base(c.word())
	if slices.Contains(modules, base) {
		return true
	}
	at := slices.Index(c.Words, "-m")
	return python.MatchString(base) && at > 0 && at+1 < len(c.Words) && slices.Contains(modules, c.Words[at+1])
}

// quietPytest says whether pytest is told to end without a word, or to run nothing.
func quietPytest(c call) bool {
	quiet := 0
	for _, w := range c.Words {
		switch {
		case w == "--quiet":
			quiet++
		case strings.HasPrefix(w, "-q"):
			quiet += strings.Count(w, "q")
		}
	}
	return quiet > 1 || c.says("-h", "--help", "--version", "-V", "--collect-only", "--co", "--fixtures", "--markers", "--setup-plan", "-c", "--config-file", "-o", "--override-ini") ||
		slices.ContainsFunc(c.Words, func(w string) bool { return strings.Contains(w, "no:terminal") })
}

func nodeTest(c call) bool {
	if path.Base(c.word()) != "node" || !c.says("--test") || c.says("--watch", "--test-reporter-destination", "--require", "-r", "--import") {
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

// nodeMute are files that node counts as one test, because they named none.
func nodeMute(text string) []string {
	var files []string
	for _, m := range muteFile.FindAllStringSubmatch(text, -1) {
		files = append(files, m[1])
	}
	return files
}

var muteFile = regexp.MustCompile(`(?m)^(?:ok \d+ - |✔ )(\S.*?\.[cm]?[jt]s)(?: \([\d.]+ms\))?$`)

// goTest knows calls whose packages say what ran: what they print is not seen without -v.
func goTest(c call) bool {
	flags, ok := goFlags(c)
	silent := []string{"c", "n", "list", "test.list", "exec", "h", "help"}
	if !ok || slices.ContainsFunc(flags, func(f string) bool { return slices.Contains(silent, f) || strings.HasSuffix(f, "=false") }) {
		return false
	}
	return goSpeaks(flags) || c.spoken > 0
}

func goSpeaks(flags []string) bool {
	return slices.ContainsFunc(flags, func(f string) bool {
		return f == "json" || strings.TrimPrefix(strings.TrimSuffix(f, "=true"), "test.") == "v"
	})
}

// goFlags are the flags of a call of go test, without their dashes and, but for true and
// false, their values.
func goFlags(c call) (flags []string, ok bool) {
	at := slices.Index(c.Words, "test")
	if path.Base(c.word()) != "go" || at < 0 {
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

// goSaid reads what packages print with -v. Each of them says PASS or FAIL itself; "ok"
// is the word of go, and comes also where a package ended without having run its tests.
func goSaid(text string) []int {
	ran, tests, ended := []int{}, 0, false
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, `{"`) {
			l = goOutput(l)
		}
		switch {
		case goTestLine.MatchString(l):
			tests++
		case strings.HasSuffix(l, "PASS"), leftOut.MatchString(l):
			ended = true
		case strings.HasPrefix(l, "ok  \t"):
			if !ended {
				return nil
			}
			ran, tests, ended = append(ran, tests), 0, false
		case strings.HasPrefix(l, "FAIL\t"):
			ran, tests, ended = append(ran, tests), 0, false
		case strings.HasPrefix(l, "?   \t"), strings.HasPrefix(l, "\t") && strings.Contains(l, "coverage: "): // there are no tests
			ran = append(ran, 0)
		}
	}
	return ran
}

var (
	goTestLine = regexp.MustCompile(`^--- (PASS|FAIL): `)
	leftOut    = regexp.MustCompile(`^… \d+ bytes left out …$`)
	goJSON     = regexp.MustCompile(`^\{"Time":"[^"]*","Action":"output",.*"Output":("(?:[^"\\]|\\.)*")\}$`)
)

// goOutput is the line of a package in a line of go test -json.
func goOutput(line string) string {
	m := goJSON.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	text, err := strconv.Unquote(m[1])
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(text, "\n")
}

func unittestSaid(text string) []int {
	var ran []int
	for _, m := range unittestEnd.FindAllStringSubmatch(text, -1) {
		n := number(m[1])
		if s := skippedBy.FindStringSubmatch(m[2]); s != nil {
			n -= number(s[1])
		}
		ran = append(ran, n)
	}
	return ran
}

var (
	unittestEnd = regexp.MustCompile(`(?m)^Ran (\d+) tests? in [^\n]*\n\n(?:OK|FAILED|NO TESTS RAN)(.*)$`)
	skippedBy   = regexp.MustCompile(`skipped=(\d+)`)
)

func cargoTest(c call) bool {
	return path.Base(c.word()) == "cargo" && c.says("test", "t") && !c.says("--no-run", "--list", "--format", "-h", "--help", "-V", "--version", "-Z", "--manifest-path", "nextest")
}

// cargoSaid reads the results of the programs that cargo ran; each of them announces its tests first.
func cargoSaid(text string) []int {
	ran := counted(`(?m)^test result: [a-zA-Z]+\. (\d+ passed; \d+ failed);`, "passed", "failed")(text)
	if begun := len(cargoBegins.FindAllString(text, -1)); begun > len(ran) {
		return nil
	}
	return ran
}

var cargoBegins = regexp.MustCompile(`(?m)^running \d+ tests?$`)

// counted reads words like "3 passed" or "passed 3" out of what a pattern finds, and
// adds up those that are named.
func counted(pattern string, words ...string) func(string) []int {
	end := regexp.MustCompile(pattern)
	one := regexp.MustCompile(`(\d+) (` + strings.Join(words, "|") + `)\b|\b(` + strings.Join(words, "|") + `) (\d+)`)
	return func(text string) []int {
		var ran []int
		for _, m := range end.FindAllString(text, -1) {
			n := 0
			for _, c := range one.FindAllStringSubmatch(m, -1) {
				n += number(c[1]) + number(c[4])
			}
			ran = append(ran, n)
		}
		return ran
	}
}

// number is what digits say; nothing is 0.
func number(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

func each(pattern *regexp.Regexp, files ...string) map[string]*regexp.Regexp {
	m := map[string]*regexp.Regexp{}
	for _, f := range files {
		m[f] = pattern
	}
	return m
}

// settingsOf are files of these names with every ending that a script may have.
func settingsOf(pattern string, names ...string) map[string]*regexp.Regexp {
	re, m := regexp.MustCompile(pattern), map[string]*regexp.Regexp{}
	for _, name := range names {
		for _, end := range []string{"js", "mjs", "cjs", "ts", "mts", "cts"} {
			m[name+"."+end] = re
		}
	}
	return m
}

// ends notes that a call which decides ends with the words of a known runner.
func (f *finder) ends(c call) {
	if !c.decides || c.Lost || slices.Contains(c.Words, "") {
		return
	}
	for _, e := range endings {
		if !e.mine(c) || f.quiet(c, e) {
			continue
		}
		at := slices.IndexFunc(f.endings, func(h heard) bool { return h.Check == f.check && h.Runner == e.name })
		if at < 0 {
			f.endings, at = append(f.endings, heard{Check: f.check, Runner: e.name}), len(f.endings)
		}
		f.endings[at].Times++
	}
}

func (f *finder) quiet(c call, e ending) bool {
	for file, pattern := range e.quiet {
		if text, _, err := read(f.root, path.Join(c.Dir, file), partMax); err == nil && pattern.Match(text) {
			return true
		}
	}
	return false
}

// heard is what must be heard of a runner when a check passes.
type heard struct {
	Check  int    `json:"check"`
	Runner string `json:"runner"` // a name in endings
	Times  int    `json:"times"`  // how often it comes to its end, at least
}

func (h heard) missing() string {
	return fmt.Sprintf("it ended with 0, but %s did not come to its end: what it always prints there is missing. Something that it ran ended it early (an exit with 0 in the work or in a test), so the tests decided nothing", h.Runner)
}
