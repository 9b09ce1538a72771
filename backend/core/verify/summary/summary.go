// Package summary reads the summaries that known test runners print when they finish.
package summary

import (
	"encoding/json"
	"strconv"
	"strings"

	"goalpost/backend/lib/text"
)

// parsers find the summaries of each runner and return how many tests each one counts. A test, or the work that it
// tests, can end its process early with 0: then the summary is missing. The names are those in
// goal.Observation.Runners.
var parsers = map[string]func(text string) []int{
	"go test": parseGoTest,
	"pytest": summaryParser(`(?m)^(?:=+ )?((?:no tests ran|\d+ [a-z]+)(?:, \d+ [a-z]+)*) in [\d.]+ ?s`, "passed", "failed",
		"error", "errors", "xpassed"),
	"unittest": parseUnittest,
	"node --test": summaryParser(`(?m)^(?:#|ℹ) tests \d+\n(?:(?:#|ℹ) suites \d+\n)?(?:#|ℹ) (pass \d+\n(?:#|ℹ) fail \d+)`,
		"pass", "fail"),
	"jest":   summaryParser(`(?m)^(?:Tests: +(.*)|No tests found, exiting with code 0.*)$`, "passed", "failed"),
	"vitest": summaryParser(`(?m)^(?: +Tests +(.*)|No test files found, exiting with code 0.*)$`, "passed", "failed"),
	"mocha": summaryParser(`(?m)^ +(\d+ passing) \([^\n]*(?:\n(?: +\d+ pending\n)?( +\d+ failing)$)?`, "passing",
		"failing"),
	"cargo test":    parseCargo,
	"cargo nextest": summaryParser(`(?m)^ *Summary \[[^\]]*\] +(?:\d+/)?\d+ tests? run: (.*)$`, "passed", "failed"),
}

// parseGoTest reads the output of go test -v. Each package prints PASS or FAIL itself. The line "ok" comes from go,
// which also prints it for a package that ended before it ran its tests.
func parseGoTest(text string) []int {
	ran, tests, ended := []int{}, 0, false
	for _, l := range strings.Split(text, "\n") {
		if strings.HasPrefix(l, `{"`) {
			var event struct{ Action, Output string }
			if json.Unmarshal([]byte(l), &event) != nil || event.Action != "output" {
				continue
			}
			l = strings.TrimSuffix(event.Output, "\n")
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
		// no tests
		case strings.HasPrefix(l, "?   \t"), strings.HasPrefix(l, "\t") && strings.Contains(l, "coverage: "):
			ran = append(ran, 0)
		}
	}
	return ran
}

var (
	goTestLine     = text.NewPattern(`^--- (PASS|FAIL): `)
	truncationLine = text.NewPattern(`^… \d+ bytes left out …$`)
)

func parseUnittest(text string) []int {
	var ran []int
	for _, m := range unittestEnd.FindAllStringSubmatch(text, -1) {
		n := parseNumber(m[1])
		for _, s := range notRunCount.FindAllStringSubmatch(m[2], -1) {
			n -= parseNumber(s[1]) // an expected failure proves nothing
		}
		ran = append(ran, n)
	}
	return ran
}

var (
	unittestEnd = text.NewPattern(`(?m)^Ran (\d+) tests? in [^\n]*\n\n(?:OK|FAILED|NO TESTS RAN)(.*)$`)
	notRunCount = text.NewPattern(`(?:skipped|expected failures)=(\d+)`)
)

// parseCargo reads the results of the programs that cargo ran. Each of them announces its tests first.
func parseCargo(text string) []int {
	ran := summaryParser(`(?m)^test result: [a-zA-Z]+\. (\d+ passed; \d+ failed);`, "passed", "failed")(text)
	if starts := len(cargoBegins.FindAllString(text, -1)); starts > len(ran) {
		return nil
	}
	return ran
}

var cargoBegins = text.NewPattern(`(?m)^running \d+ tests?$`)

// summaryParser returns a parser that adds up counts like "3 passed" or "passed 3" in what pattern finds. Only the
// given words count.
func summaryParser(pattern string, words ...string) func(string) []int {
	end := text.NewPattern(pattern)
	one := text.NewPattern(`(\d+) (` + strings.Join(words, "|") + `)\b|\b(` + strings.Join(words, "|") + `) (\d+)`)
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

// parseNumber returns the number, 0 for "".
func parseNumber(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
