package inputs

import (
	"path"
	"slices"
	"strings"

	"goalpost/backend/core/verify/shellline"
	"goalpost/backend/lib/text"
)

// ExitNotExecutable and ExitNotFound are the exit codes of sh for a command that it cannot run.
const (
	ExitNotExecutable = 126
	ExitNotFound      = 127
)

// missingMessages match what programs print when the program, script or module to run does not exist. The group is
// its name.
var missingMessages = []*text.Pattern{
	text.NewPattern(`(?m)^\S*python[0-9.]*: (?:No module named '?|can't open file ')([^'\s;]+)`),
	text.NewPattern(`(?s)Error: Cannot find module '([^']+)'\n.*requireStack: \[\]`),
	text.NewPattern(`(?m)^g?make: \*\*\* No (?:rule to make target '|targets specified and )(no makefile|[^']+)`),
	text.NewPattern(`(?m)^npm (?:error|ERR!) Missing script: "([^"]+)"`),
	text.NewPattern(`(?m)^(?:\S*/)?(?:ba|da)?sh: (?:0: )?(?:[Cc]an(?:not|'t) open )?([^:\n]+?)(?:: No such file.*)?$`),
	text.NewPattern(`(?m)^[^:\n]*: (?:(?:line )?\d+: )?([^:\n]+): ` +
		`(?:not found|command not found|inaccessible or not found|No such file or directory|Permission denied)$`),
}

// MissingByMessage returns the module, script, target or program that the command could not find or run, according to
// its output. The command, or a script of it, must name it, and not only examine its output, because a test may print
// the same. For a command that was not observed, the shell's own message is enough.
func MissingByMessage(command, output string, exit int, observed bool) string {
	examined := shellline.CapturedWords(command)
	words := slices.DeleteFunc(shellline.AllWords(command), func(w string) bool { return slices.Contains(examined, w) })
	for i, m := range missingMessages {
		isShells := i == len(missingMessages)-1
		if isShells && exit != ExitNotFound && exit != ExitNotExecutable {
			break
		}
		for _, found := range m.FindAllStringSubmatch(output, -1) {
			what := found[1]
			if what == "no makefile" || isShells && !observed || slices.ContainsFunc(words, func(w string) bool {
				return path.Base(w) == path.Base(what) || strings.HasPrefix(w, what+".")
			}) {
				return what
			}
		}
	}
	return ""
}
