package inputs

import (
	"fmt"
	"path"
	"slices"

	"goalpost/backend/core/verify/shellline"
	"goalpost/backend/domain/goal"
)

// Assurance returns how much the pass of a command proves, and why not more. before is what pre-flight observed,
// nil if unknown; o is nil if the check was not observed; changes come from Comparison.FindChanges.
func Assurance(
	command, dir string, before, o *goal.Observation, changes []goal.FileChange,
) (goal.Assurance, string) {
	if o == nil {
		return goal.Shared, "Goalpost could not observe which files it used"
	}
	if before == nil {
		before = &goal.Observation{}
	}
	a := assessment{
		Observation: o, before: before, command: command, dir: dir, outputs: map[string]bool{},
		changed: map[string]goal.FileChange{}, examines: map[int]int{},
	}
	for _, f := range changes {
		a.changed[f.Path] = f
	}
	for _, f := range slices.Concat(o.Written, o.Rewritten) {
		a.outputs[f] = true
	}
	for _, u := range o.Files {
		if u.Role == goal.RoleData {
			a.examines[u.Program]++
		}
	}
	for _, find := range []func() string{
		a.ranChangedFile, a.usedRepository, a.ranItsInput, a.foundNewFile, a.tookFinishedFile, a.readNothing,
	} {
		if reason := find(); reason != "" {
			return goal.Shared, reason
		}
	}
	return goal.Strong, ""
}

// assessment finds what makes a pass prove less. Each of its methods returns a reason, or "".
type assessment struct {
	*goal.Observation
	before       *goal.Observation
	command, dir string
	changed      map[string]goal.FileChange
	outputs      map[string]bool // by the check itself
	examines     map[int]int     // how many data files a program read
}

// ranChangedFile finds a changed file that ran, that was read as more than a result, or that cannot be read.
func (a *assessment) ranChangedFile() string {
	for _, u := range a.Files {
		f, isChanged := a.changed[u.Path]
		if u.Program >= len(a.Programs) {
			continue
		}
		p := a.Programs[u.Program]
		_, isWork := a.changed[p.Main]
		isWork = isWork || a.outputs[p.Main] // the work itself, as a process of its own
		switch {
		case u.Role == goal.RoleProgram && a.outputs[u.Path] && len(a.changed) > 0:
			return fmt.Sprintf("the check built %s and ran it", u.Path)
		case !isChanged:
		case f.SHA256 == "" && !a.outputs[u.Path]: // its reader may have ended with an error that passes
			return fmt.Sprintf("%s cannot be read, or is too long to compare", u.Path)
		case u.Examined == goal.ByOutput && slices.Contains(dataArguments, p.Name): // sqlite3 -init, awk -f
			return fmt.Sprintf("%q ran %s of the agent", p.Command, u.Path)
		case u.Examined == goal.ByOutput:
		case u.Examined == goal.ByTest, u.Examined == goal.ByJudge:
			return fmt.Sprintf("%s was started by a test, which may trust how it ends", u.Path)
		case slices.Contains([]goal.FileRole{goal.RoleMain, goal.RoleScript, goal.RoleProgram}, u.Role):
			return fmt.Sprintf("%s was changed after the start, and how it ends decides", u.Path)
		case isWork:
		case u.Role != goal.RoleData:
			return fmt.Sprintf("code of the agent in %s ran inside %q", u.Path, p.Command)
		case path.Base(u.Path)[0] == '.':
			return fmt.Sprintf("%q read %s, which may be its settings", p.Command, u.Path)
		case f.Change != "new" && !a.isResult(u):
			return fmt.Sprintf("%q read %s, which was changed", p.Command, u.Path)
		}
	}
	return ""
}

// isResult reports whether a changed data file can only be what the check examines. The check's command must name
// it, read nothing else with the same program, and that program must not run what it reads. Otherwise, a file that
// existed at the start may be what a result is compared with.
func (a *assessment) isResult(u goal.UsedFile) bool {
	p := a.Programs[u.Program]
	runs := valueFlags[p.Name] != nil && (p.Name == "java" || !slices.Contains(dataArguments, p.Name))
	return !runs && a.examines[u.Program] == 1 && isNamedOpenly(a.command, a.dir, u.Path)
}

// usedRepository finds git running in the goal's folder: the agent can commit, and change how git compares.
func (a *assessment) usedRepository() string {
	for _, p := range a.Programs {
		if p.ReadsRepository {
			return fmt.Sprintf("%q read the git repository, which the agent can change", p.Command)
		}
	}
	return ""
}

// ranItsInput finds a program that ran what another program wrote.
func (a *assessment) ranItsInput() string {
	for _, p := range a.Programs {
		if p.FromInput && len(a.changed) > 0 {
			return fmt.Sprintf("%q ran a program from its input", p.Command)
		}
	}
	return ""
}

// foundNewFile finds a new file that was not opened: its existence was enough.
func (a *assessment) foundNewFile() string {
	for _, u := range a.Found {
		isNamed := u.Program < len(a.Programs) && !slices.Contains(makeNames, a.Programs[u.Program].Name) &&
			isNamedOpenly(a.command, a.dir, u.Path) // test -f out.txt
		if f, ok := a.changed[u.Path]; ok && f.Change == "new" && !isNamed {
			return fmt.Sprintf("the existence of %s was enough", u.Path)
		}
	}
	return ""
}

// tookFinishedFile finds a changed file that the check wrote in pre-flight but did not write now.
func (a *assessment) tookFinishedFile() string {
	for _, file := range a.before.Written {
		if f, isChanged := a.changed[file]; isChanged && f.Change != "removed" && !a.outputs[file] {
			return fmt.Sprintf("the check made %s itself before the goal began, but did not make it this time", file)
		}
	}
	return ""
}

// readNothing finds a program that read files of the folder in pre-flight, and now reads none: it may have ended
// with an error that the check takes as its answer.
func (a *assessment) readNothing() string {
	reads := func(o *goal.Observation, i int) bool {
		return slices.ContainsFunc(o.Files, func(u goal.UsedFile) bool { return u.Program == i })
	}
	readers := map[string]bool{} // names of programs that read files now
	for i, p := range a.Programs {
		readers[p.Name] = readers[p.Name] || reads(a.Observation, i)
	}
	for i, was := range a.before.Programs {
		for j, is := range a.Programs {
			isSame := is.Command == was.Command || is.Name == was.Name && !readers[is.Name]
			if isSame && reads(a.before, i) && !reads(a.Observation, j) {
				return fmt.Sprintf("%q read files of the folder before the goal began, and %q read none", was.Command, is.Command)
			}
		}
	}
	return ""
}

// isNamedOpenly reports whether the check's command names a file and reads it itself. In a substitution, cat only
// passes it on.
func isNamedOpenly(command, dir, file string) bool {
	o := &observer{Scope: Scope{Dir: dir}}
	return o.isNamed(shellline.AllWords(command), file) && !o.isNamed(shellline.ExaminedWords(command), file)
}
