package inputs

import (
	"path"
	"slices"
	"strings"

	"goalpost/backend/core/verify/shellline"
	"goalpost/backend/domain/goal"
)

// StartedScripts lists the scripts that a command names and starts. at is the folder of the check, and dir the
// goal's; text returns the text of a file of the goal's folder, nil if it does not exist.
func StartedScripts(command, at, dir string, text func(file string) []byte) []string {
	var files []string
	for _, word := range shellline.StartedFiles(command) {
		file, ok := strings.CutPrefix(word, dir+"/")
		if !ok {
			file = path.Join(at, word)
		}
		if path.IsAbs(file) || slices.Contains(files, file) {
			continue
		}
		content := text(file)
		if content != nil && (isScriptFile(file, content) || isCode(file) && judgeName.MatchString(path.Base(file))) {
			files = append(files, file)
		}
	}
	return files
}

// GuessInputs guesses from the names of changed files what an unobserved check used: every makefile, every setting and
// test of any runner, and the scripts that the command, a makefile or package.json names.
func GuessInputs(command, at, dir string, changed []string, text func(file string) []byte) *goal.Observation {
	named := command
	scripts := StartedScripts(command, at, dir, text)
	for _, file := range scripts {
		named += "\n" + string(text(file))
	}
	for _, name := range []string{"Makefile", "makefile", "GNUmakefile", "justfile", "package.json"} {
		named += "\n" + string(text(path.Join(at, name)))
	}
	runners := make([]string, 0, len(runnerTable))
	for name := range runnerTable {
		runners = append(runners, name)
	}
	o := &goal.Observation{Programs: []goal.ObservedProgram{{Name: "sh", Command: command}}}
	for _, file := range changed {
		u := goal.UsedFile{Path: file}
		isScript := isScriptFile(file, text(file)) || isCode(file) && judgeName.MatchString(path.Base(file))
		switch {
		case makefileName.MatchString(file):
			u.Role = goal.RoleMakefile
		case nameRole(runners, file) == goal.RoleSettings || isStartupFile(file):
			u.Role = goal.RoleSettings
		case slices.Contains(scripts, file) || isScript && hasMention(named, file):
			u.Role, u.Examined = goal.RoleScript, goal.IfNew
		case nameRole(runners, file) == goal.RoleTest || testName.MatchString(file) && isCode(file):
			u.Role = goal.RoleTest
		default:
			continue
		}
		o.Files = append(o.Files, u)
	}
	return o
}
