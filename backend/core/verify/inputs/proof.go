package inputs

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"goalpost/backend/core/verify/shellline"
	"goalpost/backend/domain/goal"
)

// PassedCheck is a command that passed, with what is known about it.
type PassedCheck struct {
	Command string
	Dir     string            // the goal's folder, absolute
	Before  *goal.Observation // from pre-flight, nil if unknown
	After   *goal.Observation // nil if it was not observed
	Changes []goal.FileChange // from Comparison.FindChanges
	Ran     int               // number of tests, 0 if unknown
	Fewer   int               // tests than before the goal began
}

// Proof returns what the pass proves. It is weakened for the first reason that is found.
func (c PassedCheck) Proof() goal.Proof {
	weakened := func(reason string) goal.Proof {
		return goal.Proof{Assurance: goal.Weakened, AssuranceReason: reason}
	}
	if c.After == nil {
		return weakened("Goalpost could not observe which files it used")
	}
	a := assessment{
		PassedCheck: c, Observation: c.After, outputs: map[string]bool{}, changed: map[string]goal.FileChange{},
		data: map[int][]string{},
	}
	if a.Before == nil {
		a.Before = &goal.Observation{}
	}
	for _, f := range c.Changes {
		a.changed[f.Path] = f
	}
	for _, f := range slices.Concat(a.Written, a.Rewritten) {
		a.outputs[f] = true
	}
	for _, u := range a.Files {
		if u.Role == goal.RoleData {
			a.data[u.Program] = append(a.data[u.Program], u.Path)
		}
	}
	for _, find := range []func() string{
		a.missesTests, a.ranChangedFile, a.usedRepository, a.ranItsInput, a.foundNewFile, a.tookFinishedFile,
		a.readNothing,
	} {
		if reason := find(); reason != "" {
			return weakened(reason)
		}
	}
	if a.basis != "" {
		return goal.Proof{Assurance: goal.Tested, Basis: a.basis}
	}
	return goal.Proof{Assurance: goal.Strong}
}

// assessment finds what makes a pass prove less. Each of its methods returns a reason, or "".
type assessment struct {
	PassedCheck
	*goal.Observation
	changed map[string]goal.FileChange
	outputs map[string]bool  // by the check itself
	data    map[int][]string // the data files that a program read
	basis   goal.Basis       // what examined the work, "" if nothing of it ran
}

// missesTests finds tests that no longer run.
func (a *assessment) missesTests() string {
	if a.Fewer > 0 {
		return fmt.Sprintf("%d of %s no longer run", a.Fewer, goal.FormatCount(a.Ran+a.Fewer, "test"))
	}
	if len(a.Tests) > 0 {
		lost := slices.DeleteFunc(slices.Clone(a.Before.Tests), func(name string) bool {
			return slices.Contains(a.Tests, name)
		})
		if n := len(lost); n > 0 {
			return fmt.Sprintf("%d of %s no longer run: %s", n, goal.FormatCount(len(a.Before.Tests), "test"),
				strings.Join(lost[:min(n, 3)], ", "))
		}
	}
	used := map[string]bool{}
	for _, u := range a.Files {
		used[u.Path] = true
	}
	for _, u := range a.Before.Files {
		if u.Role != goal.RoleTest || used[u.Path] || u.Program >= len(a.Before.Programs) {
			continue
		}
		// A compiler skips what it has compiled before.
		if p := a.Before.Programs[u.Program]; valueFlags[p.Name] != nil {
			return fmt.Sprintf("%s, which %q used before the goal began, is no longer used", u.Path, p.Command)
		}
	}
	return ""
}

// ranChangedFile finds a changed file that ran, that was read as more than a result, or that cannot be read.
func (a *assessment) ranChangedFile() string {
	for _, u := range a.Built {
		if len(a.changed) > 0 {
			if reason := a.ranWork(u, "a program that the check built"); reason != "" {
				return reason
			}
		}
	}
	for _, u := range a.Files {
		if u.Program >= len(a.Programs) {
			continue
		}
		f, isChanged := a.changed[u.Path]
		isBuilt := a.outputs[u.Path] && len(a.changed) > 0 && !IsCache(u.Path) &&
			(u.Role == goal.RoleProgram || u.Role == goal.RoleCode && !a.Programs[u.Program].ReadsOnly)
		reason := ""
		switch {
		case isBuilt:
			reason = a.ranWork(u, u.Path)
		case !isChanged:
		case f.SHA256 == "" && !a.outputs[u.Path]: // its reader may have ended with an error that passes
			reason = fmt.Sprintf("%s cannot be read, or is too long to compare", u.Path)
		case f.Allowed:
			reason = fmt.Sprintf("%s, which decides, was changed with the user's permission", u.Path)
		case u.Role == goal.RoleData:
			reason = a.readChangedData(u, f)
		default:
			reason = a.ranWork(u, u.Path)
		}
		if reason != "" {
			return reason
		}
	}
	return ""
}

// ranWork notes what examined a part of the work that ran, and returns a reason if nothing did.
func (a *assessment) ranWork(u goal.UsedFile, what string) string {
	p := goal.ObservedProgram{}
	if u.Program < len(a.Programs) {
		p = a.Programs[u.Program]
	}
	_, isWork := a.changed[p.Main]
	isWork = isWork || a.outputs[p.Main]
	isStarted := slices.Contains([]goal.FileRole{goal.RoleMain, goal.RoleScript, goal.RoleProgram}, u.Role)
	switch {
	case u.Examined == goal.ByOutput && slices.Contains(dataArguments, p.Name): // sqlite3 -init, awk -f
		return fmt.Sprintf("%q ran %s of the agent", p.Command, what)
	case u.Examined == goal.ByTest && a.hasSameTests():
		a.examineBy(goal.BasisTests)
	case u.Examined != "":
		a.examineBy(goal.BasisOutput)
	case isStarted:
		return what + " decides itself by how it ends"
	case u.Role == goal.RoleSettings || u.Role == goal.RoleMakefile: // the part that decides is as at the start
	case u.Role == goal.RoleCode && a.changed[u.Path].Change == "changed" &&
		(helperName.MatchString(u.Path) || judgeName.MatchString(u.Path)):
		return fmt.Sprintf("%s, by its name a helper of tests, was changed", what)
	case u.IsPlugin:
		return fmt.Sprintf("%s, which the settings of the tests load, was changed", what)
	case isWork: // in a process of its own
	case a.ranInTests(p):
		if !a.hasSameTests() {
			return fmt.Sprintf("none of the tests that ran %s is as at the start", what)
		}
		a.examineBy(goal.BasisTests)
	case p.ReadsOnly:
	default:
		return fmt.Sprintf("%s ran inside %q, and could have ended it", what, p.Command)
	}
	return ""
}

// examineBy notes what examined the work. Tests say most.
func (a *assessment) examineBy(b goal.Basis) {
	if a.basis != goal.BasisTests {
		a.basis = b
	}
}

// ranInTests reports whether a program ran tests: a test runner reached its end, and the program was not started with
// a file of the goal's folder.
func (a *assessment) ranInTests(p goal.ObservedProgram) bool {
	return len(a.Ended) > 0 && (p.Main == "" || IsInstalled(p.Main) || testName.MatchString(p.Main))
}

// hasSameTests reports whether a test of the start ran.
func (a *assessment) hasSameTests() bool {
	return len(a.Ended) > 0 && slices.ContainsFunc(a.Files, func(u goal.UsedFile) bool {
		_, isChanged := a.changed[u.Path]
		isTest := u.Role == goal.RoleTest || u.Role == goal.RoleMain && testName.MatchString(u.Path)
		return isTest && !isChanged && !a.outputs[u.Path]
	})
}

// readChangedData returns a reason if a changed data file may be more than the result that the check examines.
func (a *assessment) readChangedData(u goal.UsedFile, f goal.FileChange) string {
	p := a.Programs[u.Program]
	_, isWork := a.changed[p.Main]
	switch {
	case isWork || a.outputs[p.Main]:
	case f.Role.Decides(): // the part that decides is as at the start
	case p.Compares:
		return a.comparedWith(u, f)
	case p.IsText:
	case path.Base(u.Path)[0] == '.' && !p.ReadsOnly:
		return fmt.Sprintf("%s, which may be settings of %q, was changed", u.Path, p.Command)
	case f.Change != "new" && !a.isResult(u):
		return fmt.Sprintf("%s, which %q read, was changed", u.Path, p.Command)
	}
	return ""
}

// comparedWith returns a reason if a changed file may be what a result is compared with. A file that is new is the
// result if another input of the program is as at the start.
func (a *assessment) comparedWith(u goal.UsedFile, f goal.FileChange) string {
	p, read := a.Programs[u.Program], a.data[u.Program]
	hasStartFile := slices.ContainsFunc(read, func(file string) bool {
		_, isChanged := a.changed[file]
		return !isChanged && !a.outputs[file]
	})
	switch {
	case len(p.Yardsticks) > 0 && !slices.Contains(p.Yardsticks, u.Path),
		len(p.Yardsticks) == 0 && len(read) == 1 && !p.IsFed,
		len(p.Yardsticks) == 0 && f.Change == "new" && hasStartFile:
		return ""
	}
	change := "changed"
	if f.Change == "new" {
		change = "made by the agent"
	}
	return fmt.Sprintf("%s, which the result is compared with, was %s", u.Path, change)
}

// isResult reports whether a changed data file can only be what the check examines. The check's command must name
// it, read nothing else with the same program, and that program must not run what it reads. Otherwise, a file that
// existed at the start may be what a result is compared with.
func (a *assessment) isResult(u goal.UsedFile) bool {
	p := a.Programs[u.Program]
	runs := valueFlags[p.Name] != nil && (p.Name == "java" || !slices.Contains(dataArguments, p.Name))
	return !runs && len(a.data[u.Program]) == 1 && isNamedOpenly(a.Command, a.Dir, u.Path)
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
			isNamedOpenly(a.Command, a.Dir, u.Path) // test -f out.txt
		isUsed := slices.ContainsFunc(a.Files, func(f goal.UsedFile) bool { return f.Path == u.Path })
		if f, ok := a.changed[u.Path]; ok && f.Change == "new" && !isNamed && !isUsed {
			return fmt.Sprintf("the existence of %s was enough", u.Path)
		}
	}
	return ""
}

// tookFinishedFile finds a changed file that the check wrote in pre-flight but did not write now.
func (a *assessment) tookFinishedFile() string {
	for _, file := range a.Before.Written {
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
	for i, was := range a.Before.Programs {
		for j, is := range a.Programs {
			isSame := is.Command == was.Command || is.Name == was.Name && !readers[is.Name]
			if isSame && was.Main == "" && reads(a.Before, i) && !reads(a.Observation, j) {
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
