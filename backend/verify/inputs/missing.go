package inputs

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/verify/shellline"
)

// missingMessages are what programs print that were to run what is not there. The first group is what.
var missingMessages = []struct {
	by      string
	message *regexp.Regexp
}{
	{"python", regexp.MustCompile(`(?m)^\S*python[0-9.]*: No module named '?([^'\s;]+)'?`)},
	{"python", regexp.MustCompile(`(?m)^\S*python[0-9.]*: can't open file '([^']+)': \[Errno 2\]`)},
	{"node", regexp.MustCompile(`(?s)Error: Cannot find module '([^']+)'\n.*requireStack: \[\]`)},
	{"make", regexp.MustCompile(`(?m)^g?make: \*\*\* No rule to make target '([^']+)'\.  Stop\.$`)},
	{"make", regexp.MustCompile(`(?m)^g?make: \*\*\* No targets specified and (no makefile) found\.`)},
	{"npm", regexp.MustCompile(`(?m)^npm (?:error|ERR!) Missing script: "([^"]+)"`)},
	{"sh", regexp.MustCompile(`(?m)^(?:\S*/)?(?:ba|da)?sh: 0: (?:cannot open|Can't open) (\S+?)(?:: No such file)?$`)},
	{"sh", regexp.MustCompile(`(?m)^(?:\S*/)?(?:ba)?sh: ([^:\n]+): No such file or directory$`)},
}

// MissingByMessage is the module, script or target that a program of the command could not find, by what it printed,
// and the program. The command itself must name it, and not run it for its output: a test may print the same.
func MissingByMessage(command, output string) (what, by string) {
	examined := shellline.ExaminedWords(command)
	words := slices.DeleteFunc(shellline.AllWords(command), func(w string) bool { return slices.Contains(examined, w) })
	for _, m := range missingMessages {
		found := m.message.FindStringSubmatch(output)
		if found == nil {
			continue
		}
		if found[1] == "no makefile" {
			return found[1], m.by
		}
		for _, w := range words {
			if path.Base(w) == path.Base(found[1]) || strings.HasPrefix(w, found[1]+".") {
				return found[1], m.by
			}
		}
	}
	return "", ""
}
