package inputs

import (
	"fmt"
	"slices"

	"goalpost/backend/goal"
	"goalpost/backend/verify/shellline"
)

// Assurance is how much the pass of a command proves, and why it is not more. changes are those of Rules.Compare, o is
// nil where nobody could observe the check.
func Assurance(command, dir string, o *goal.Observation, changes []goal.FileChange) (goal.Assurance, string) {
	if o == nil {
		return goal.Shared, "nobody could observe which files it used"
	}
	changed := map[string]goal.FileChange{}
	for _, f := range changes {
		changed[f.Path] = f
	}
	made := map[string]bool{}
	for _, f := range slices.Concat(o.Written, o.Rewritten) {
		made[f] = true
	}
	for _, u := range o.Files {
		f, isChanged := changed[u.Path]
		if u.Program >= len(o.Programs) {
			continue
		}
		p := o.Programs[u.Program]
		_, own := changed[p.Main]
		own = own || made[p.Main] // the work itself, as a process of its own
		switch {
		case u.Role == goal.RoleProgram && made[u.Path] && len(changes) > 0:
			return goal.Shared, fmt.Sprintf("the check built %s and ran it", u.Path)
		case !isChanged || u.Examined == goal.ByOutput:
		case u.Examined == goal.ByTest:
			return goal.Shared, fmt.Sprintf("%s was started by a test, which may trust how it ends", u.Path)
		case u.Role == goal.RoleMain || u.Role == goal.RoleScript || u.Role == goal.RoleProgram:
			return goal.Shared, fmt.Sprintf("%s was written by the agent, and how it ends decides", u.Path)
		case own:
		case u.Role != goal.RoleData:
			return goal.Shared, fmt.Sprintf("%s of the agent ran inside %q", u.Path, p.Command)
		case f.Change != "new" && !isNamedOpenly(command, dir, u.Path):
			return goal.Shared, fmt.Sprintf("%q read %s, which was changed", p.Command, u.Path)
		}
	}
	for _, p := range o.Programs {
		if p.FromInput && len(changes) > 0 {
			return goal.Shared, fmt.Sprintf("%q ran what it was given as its input", p.Command)
		}
	}
	for _, u := range o.Found {
		asked := u.Program < len(o.Programs) && !slices.Contains(makeNames, o.Programs[u.Program].Name) &&
			isNamedOpenly(command, dir, u.Path) // test -f out.txt
		if f, ok := changed[u.Path]; ok && f.Change == "new" && !asked {
			return goal.Shared, fmt.Sprintf("that %s is there was enough", u.Path)
		}
	}
	return goal.Strong, ""
}

// isNamedOpenly reports whether the check's command names a file and reads it itself: cat in a substitution hands it
// on.
func isNamedOpenly(command, dir, file string) bool {
	o := &observer{Scope: Scope{Dir: dir}}
	return o.isNamed(shellline.AllWords(command), file) && !o.isNamed(shellline.ExaminedWords(command), file)
}
