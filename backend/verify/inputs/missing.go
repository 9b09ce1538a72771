package inputs

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/verify/shellline"
)

// missingMessages are what programs print that were to run what is not there. The group is what.
var missingMessages = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^\S*python[0-9.]*: (?:No module named '?|can't open file ')([^'\s;]+)`),
	regexp.MustCompile(`(?s)Error: Cannot find module '([^']+)'\n.*requireStack: \[\]`),
	regexp.MustCompile(`(?m)^g?make: \*\*\* No (?:rule to make target '|targets specified and )(no makefile|[^']+)`),
	regexp.MustCompile(`(?m)^npm (?:error|ERR!) Missing script: "([^"]+)"`),
	regexp.MustCompile(`(?m)^(?:\S*/)?(?:ba|da)?sh: (?:0: )?(?:[Cc]an(?:not|'t) open )?([^:\n]+?)(?:: No such file.*)?$`),
}

// MissingByMessage is the module, script or target that a program of the command could not find, by what it printed.
// The command itself must name it, and not run it for its output: a test may print the same.
func MissingByMessage(command, output string) string {
	examined := shellline.ExaminedWords(command)
	words := slices.DeleteFunc(shellline.AllWords(command), func(w string) bool { return slices.Contains(examined, w) })
	for _, m := range missingMessages {
		for _, found := range m.FindAllStringSubmatch(output, -1) {
			what := found[1]
			if what == "no makefile" || slices.ContainsFunc(words, func(w string) bool {
				return path.Base(w) == path.Base(what) || strings.HasPrefix(w, what+".")
			}) {
				return what
			}
		}
	}
	return ""
}
