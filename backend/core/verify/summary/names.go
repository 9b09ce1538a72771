package summary

import (
	"encoding/json"
	"slices"
	"strings"

	"goalpost/backend/lib/text"
)

// maxNames is how many names of tests are kept.
const maxNames = 5000

// namePatterns find the names of tests that ran, in the output of each runner that may list them.
var namePatterns = map[string]*text.Pattern{
	"go test":       text.NewPattern(`(?m)^\s*--- (?:PASS|FAIL): (\S+)`),
	"pytest":        text.NewPattern(`(?m)^(\S+::.+?) (?:PASSED|FAILED|XPASS)\b`),
	"unittest":      text.NewPattern(`(?m)^(\w+ \([\w.]+\))(?:\n.*)? \.\.\. (?:ok|FAIL|ERROR)$`),
	"node --test":   text.NewPattern(`(?m)^\s*(?:✔|✖|(?:not )?ok \d+ -) (.+?)(?: \([\d.]+ms\))?$`),
	"jest":          text.NewPattern(`(?m)^\s+[✓✕] (.+?)(?: \(\d+ m?s\))?$`),
	"vitest":        text.NewPattern(`(?m)^\s+[✓×] (\S+ > .+?)(?: \d+ms)?$`),
	"mocha":         text.NewPattern(`(?m)^\s+(?:✔|\d+\)) (.+?)(?: \(\d+ms\))?$`),
	"cargo test":    text.NewPattern(`(?m)^test (.+?) \.\.\. (?:ok|FAILED)$`),
	"cargo nextest": text.NewPattern(`(?m)^\s*(?:PASS|FAIL) \[[^\]]*\] (?:\([^)]*\) )?(.+)$`),
}

// names lists the tests that a runner says it ran, sorted. It is nil if the runner does not list all of them. ran is
// how many there are.
func names(runner, output string, ran int) []string {
	pattern := namePatterns[runner]
	if pattern == nil || ran == 0 {
		return nil
	}
	switch runner {
	case "go test":
		output = plainGoTest(output)
	case "mocha": // describes failures again after its summary
		output, _, _ = strings.Cut(output, " passing (")
	}
	var list []string
	for _, m := range pattern.FindAllStringSubmatch(output, -1) {
		list = append(list, text.Truncate(m[1], 200))
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) < ran || len(list) > maxNames {
		return nil
	}
	return list
}

// plainGoTest returns what go test printed without -json.
func plainGoTest(output string) string {
	if !strings.HasPrefix(output, `{"`) {
		return output
	}
	var b strings.Builder
	for line := range strings.Lines(output) {
		var event struct{ Action, Output string }
		if json.Unmarshal([]byte(line), &event) == nil && event.Action == "output" {
			b.WriteString(event.Output)
		}
	}
	return b.String()
}
