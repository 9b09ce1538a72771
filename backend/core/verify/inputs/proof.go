package inputs

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"goalpost/backend/core/verify/shellline"
	"goalpost/backend/domain/goal"
)

// PassedCheck is a command that passed, with what is known about it.
type PassedCheck struct {
	Scope
	Before  *goal.Observation // from pre-flight, nil if unknown
	After   *goal.Observation // nil if it was not observed
	Changes []goal.FileChange // from Comparison.FindChanges
	Ran     int               // number of tests, 0 if unknown
	Fewer   int               // tests than before the goal began
	// InnerTests are the changed files of the work with tests inside; whether these count as they were at the start.
	InnerTests map[string]bool
}

// Doubt is something that makes a pass prove less.
type Doubt struct {
	Reason string
	File   string // the changed file that it is about, "" if it is about none in particular
	// IsLasting says that another run of the check cannot remove it: it is about the work itself.
	IsLasting bool
}

// Assess returns what the pass proves. It is weakened if there are doubts; the first is its reason.
func (c PassedCheck) Assess() (goal.Proof, []Doubt) {
	if c.After == nil {
		d := Doubt{Reason: "Goalpost could not observe which files it used", IsLasting: true}
		return goal.Proof{Assurance: goal.Weakened, AssuranceReason: d.Reason}, []Doubt{d}
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
	for _, find := range []func(){
		a.missesTests, a.ranChangedFile, a.usedRepository, a.ranItsInput, a.foundNewFile, a.tookFinishedFile,
		a.readNothing,
	} {
		find()
	}
	switch {
	case len(a.doubts) > 0:
		return goal.Proof{Assurance: goal.Weakened, AssuranceReason: a.doubts[0].Reason}, a.doubts
	case a.basis != "":
		return goal.Proof{Assurance: goal.Tested, Basis: a.basis}, nil
	}
	return goal.Proof{Assurance: goal.Strong}, nil
}

// Posts lists the changed files that are not the work. If none of them is tampering, those with doubts are among them.
func (c PassedCheck) Posts(doubts []Doubt) (files []string) {
	isPost := map[string]bool{}
	for _, d := range doubts {
		isPost[d.File] = len(FindTampering(c.Changes)) == 0
	}
	if c.After != nil {
		for _, u := range c.After.Files {
			isHelper := u.Role == goal.RoleCode && helperName.MatchString(u.Path)
			isPost[u.Path] = isPost[u.Path] || isHelper || u.IsPlugin || slices.Contains(postRoles, u.Role)
		}
	}
	for _, f := range c.Changes {
		if isPost[f.Path] || f.Reason != "" || f.Change == "removed" && len(doubts) > 0 {
			files = append(files, f.Path)
		}
	}
	return files
}

// NewTests lists the new files of tests that a pass by tests used: their code could have changed the other tests.
func (c PassedCheck) NewTests(proof goal.Proof) (files []string) {
	for _, f := range c.Changes {
		if f.Role == goal.RoleTest && f.Change == "new" && proof.Basis == goal.BasisTests {
			files = append(files, f.Path)
		}
	}
	return files
}

// postRoles are the roles of files that a check uses to judge, and that are never its work.
var postRoles = []goal.FileRole{goal.RoleTest, goal.RoleSettings, goal.RoleMakefile}

// assessment collects what makes a pass prove less.
type assessment struct {
	PassedCheck
	*goal.Observation
	changed map[string]goal.FileChange
	outputs map[string]bool  // by the check itself
	data    map[int][]string // the data files that a program read
	basis   goal.Basis       // what examined the work, "" if nothing of it ran
	doubts  []Doubt
}

// doubt adds a doubt about a file, "" for none in particular.
func (a *assessment) doubt(file, format string, args ...any) {
	a.add(Doubt{File: file, Reason: fmt.Sprintf(format, args...)})
}

// doubtWork adds a doubt about the work itself.
func (a *assessment) doubtWork(format string, args ...any) {
	a.add(Doubt{Reason: fmt.Sprintf(format, args...), IsLasting: true})
}

func (a *assessment) add(d Doubt) {
	if !slices.Contains(a.doubts, d) {
		a.doubts = append(a.doubts, d)
	}
}

// missesTests finds tests that no longer run.
func (a *assessment) missesTests() {
	lost := a.lostTests()
	switch n := len(lost); {
	case n > 0:
		a.doubt("", "%d of %s no longer run: %s", n, goal.FormatCount(len(a.Before.Tests), "test"),
			strings.Join(lost[:min(n, 3)], ", "))
	case a.Fewer > 0:
		a.doubt("", "%d of %s no longer run", a.Fewer, goal.FormatCount(a.Ran+a.Fewer, "test"))
	}
	for _, file := range slices.Sorted(maps.Keys(a.InnerTests)) {
		if !a.InnerTests[file] {
			a.add(Doubt{File: file, Reason: "the tests in " + file + " were changed", IsLasting: true})
		}
	}
	used := map[string]bool{}
	for _, u := range a.Files {
		used[u.Path] = true
	}
	for _, u := range a.Before.Files {
		if u.Program < len(a.Before.Programs) && a.Before.Programs[u.Program].Compares && a.isRemoved(u.Path) {
			a.doubt(u.Path, "%s, which the result was compared with, was removed", u.Path)
		}
		if u.Role != goal.RoleTest || used[u.Path] || u.Program >= len(a.Before.Programs) {
			continue
		}
		// A compiler skips what it has compiled before.
		if p := a.Before.Programs[u.Program]; valueFlags[p.Name] != nil {
			a.doubt(u.Path, "%s, which %q used before the goal began, is no longer used", u.Path, p.Command)
		}
	}
}

// isRemoved reports whether a file that the check used before the goal began is gone.
func (a *assessment) isRemoved(file string) bool { return a.changed[file].Change == "removed" }

// ranChangedFile finds changed files that ran, that were read as more than a result, or that cannot be read.
func (a *assessment) ranChangedFile() {
	for _, u := range a.Built {
		if len(a.changed) > 0 {
			a.ranWork(u, "a program that the check built")
		}
	}
	for _, u := range a.Files {
		if u.Program >= len(a.Programs) {
			continue
		}
		f, isChanged := a.changed[u.Path]
		isBuilt := a.outputs[u.Path] && len(a.changed) > 0 && !IsCache(u.Path) &&
			(u.Role == goal.RoleProgram || u.Role == goal.RoleCode && !a.Programs[u.Program].ReadsOnly)
		switch {
		case isBuilt:
			a.ranWork(u, u.Path)
		case !isChanged:
		case f.SHA256 == "" && !a.outputs[u.Path]: // its reader may have ended with an error that passes
			a.doubt(u.Path, "%s cannot be read, or is too long to compare", u.Path)
		case f.Allowed:
			a.doubt(u.Path, "%s, which decides, was changed with the user's permission", u.Path)
		case u.Role == goal.RoleData:
			a.readChangedData(u, f)
		default:
			a.ranWork(u, u.Path)
		}
	}
}

// ranWork notes what examined a part of the work that ran, and doubts it if nothing did.
func (a *assessment) ranWork(u goal.UsedFile, what string) {
	p := goal.ObservedProgram{}
	if u.Program < len(a.Programs) {
		p = a.Programs[u.Program]
	}
	_, isWork := a.changed[p.Main]
	isWork = isWork || a.outputs[p.Main]
	isStarted := slices.Contains([]goal.FileRole{goal.RoleMain, goal.RoleScript, goal.RoleProgram}, u.Role)
	switch {
	case u.Examined == goal.ByOutput && slices.Contains(dataArguments, p.Name): // sqlite3 -init, awk -f
		a.doubt(u.Path, "%q ran %s of the agent", p.Command, what)
	case u.Examined == goal.ByTest && a.hasSameTests():
		a.examineBy(goal.BasisTests)
	case u.Examined != "":
		a.examineBy(goal.BasisOutput)
	case isStarted:
		a.doubtWork("%s decides itself by how it ends", what)
	case u.Role == goal.RoleSettings || u.Role == goal.RoleMakefile: // the part that decides is as at the start
	case u.Role == goal.RoleCode && a.changed[u.Path].Change == "changed" &&
		(helperName.MatchString(u.Path) || judgeName.MatchString(u.Path)):
		a.doubt(u.Path, "%s, by its name a helper of tests, was changed", what)
	case u.IsPlugin:
		a.doubt(u.Path, "%s, which the settings of the tests load, was changed", what)
	case isWork: // in a process of its own
	case a.showsOutputOf(u.Program): // a module of such a process
		a.examineBy(goal.BasisOutput)
	case a.ranInTests(p):
		if a.examineBy(goal.BasisTests); !a.hasSameTests() {
			a.doubtWork("none of the tests that ran %s is as at the start", what)
		}
	case p.ReadsOnly:
	default:
		a.doubtWork("%s ran inside %q, and could have ended it", what, p.Command)
	}
}

// showsOutputOf reports whether the check examines what a program prints.
func (a *assessment) showsOutputOf(program int) bool {
	return slices.ContainsFunc(a.Files, func(u goal.UsedFile) bool {
		return u.Program == program && u.Role == goal.RoleMain && u.Examined == goal.ByOutput
	})
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
	if slices.Contains(slices.Collect(maps.Values(a.InnerTests)), true) {
		return len(a.Ended) > 0
	}
	return len(a.Ended) > 0 && slices.ContainsFunc(a.Files, func(u goal.UsedFile) bool {
		_, isChanged := a.changed[u.Path]
		isTest := u.Role == goal.RoleTest || u.Role == goal.RoleMain && testName.MatchString(u.Path)
		return isTest && !isChanged && !a.outputs[u.Path]
	})
}

// readChangedData doubts a changed data file that may be more than the result that the check examines.
func (a *assessment) readChangedData(u goal.UsedFile, f goal.FileChange) {
	p := a.Programs[u.Program]
	_, isWork := a.changed[p.Main]
	switch {
	case isWork || a.outputs[p.Main]:
	case f.Role.Decides(): // the part that decides is as at the start
	case p.Compares:
		a.compareWith(u, f)
	case p.IsText:
		if f.Change == "changed" && a.comparesCopies() {
			a.doubt(u.Path, "%s, which %q read for a comparison, was changed", u.Path, p.Command)
		}
	case path.Base(u.Path)[0] == '.' && !p.ReadsOnly:
		a.doubt(u.Path, "%s, which may be settings of %q, was changed", u.Path, p.Command)
	case f.Change != "new" && !a.isResult(u):
		a.doubt(u.Path, "%s, which %q read, was changed", u.Path, p.Command)
	}
}

// comparesCopies reports whether a program compares, and reads none of the folder's files: both of its inputs come from
// other parts of the check.
func (a *assessment) comparesCopies() bool {
	for i, p := range a.Programs {
		if p.Compares && len(p.Yardsticks) == 0 && len(a.data[i]) == 0 {
			return true
		}
	}
	return false
}

// compareWith doubts a changed file that may be what a result is compared with. A file that is new is the result if
// another input of the program is as at the start.
func (a *assessment) compareWith(u goal.UsedFile, f goal.FileChange) {
	p, read := a.Programs[u.Program], a.data[u.Program]
	hasStartFile := slices.ContainsFunc(read, func(file string) bool {
		_, isChanged := a.changed[file]
		return !isChanged && !a.outputs[file]
	})
	switch {
	case len(p.Yardsticks) > 0 && !slices.Contains(p.Yardsticks, u.Path),
		len(p.Yardsticks) == 0 && len(read) == 1 && !p.IsFed,
		len(p.Yardsticks) == 0 && f.Change == "new" && hasStartFile:
		return
	}
	change := "changed"
	if f.Change == "new" {
		change = "made by the agent"
	}
	a.doubt(u.Path, "%s, which the result is compared with, was %s", u.Path, change)
}

// isResult reports whether a changed data file can only be what the check examines. The check's command must name
// it, read nothing else with the same program, and that program must not run what it reads. Otherwise, a file that
// existed at the start may be what a result is compared with.
func (a *assessment) isResult(u goal.UsedFile) bool {
	p := a.Programs[u.Program]
	runs := valueFlags[p.Name] != nil && (p.Name == "java" || !slices.Contains(dataArguments, p.Name))
	return !runs && !p.IsFed && len(a.data[u.Program]) == 1 && a.isNamedOpenly(u.Path)
}

// usedRepository finds git running in the goal's folder: the agent can commit, and change how git compares.
func (a *assessment) usedRepository() {
	for _, p := range a.Programs {
		if p.ReadsRepository {
			a.doubtWork("%q read the git repository, which the agent can change", p.Command)
			return
		}
	}
}

// ranItsInput finds a program that ran what another program wrote.
func (a *assessment) ranItsInput() {
	for _, p := range a.Programs {
		if p.FromInput && len(a.changed) > 0 {
			a.doubtWork("%q ran a program from its input", p.Command)
			return
		}
	}
}

// foundNewFile finds new files that were not opened: their existence was enough.
func (a *assessment) foundNewFile() {
	for _, u := range a.Found {
		isNamed := u.Program < len(a.Programs) && !slices.Contains(makeNames, a.Programs[u.Program].Name) &&
			a.isNamedOpenly(u.Path) // test -f out.txt
		isUsed := slices.ContainsFunc(a.Files, func(f goal.UsedFile) bool { return f.Path == u.Path })
		if f, ok := a.changed[u.Path]; ok && f.Change == "new" && !isNamed && !isUsed {
			a.doubt(u.Path, "the existence of %s was enough", u.Path)
		}
	}
}

// tookFinishedFile finds changed files that the check wrote in pre-flight but did not write now.
func (a *assessment) tookFinishedFile() {
	for _, file := range a.Before.Written {
		if f, isChanged := a.changed[file]; isChanged && f.Change != "removed" && !a.outputs[file] {
			a.doubt(file, "the check made %s itself before the goal began, but did not make it this time", file)
		}
	}
}

// readNothing finds a program that read files of the folder in pre-flight, and now reads none: it may have ended
// with an error that the check takes as its answer.
func (a *assessment) readNothing() {
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
				a.doubt("", "%q read files of the folder before the goal began, and %q read none", was.Command, is.Command)
				return
			}
		}
	}
}

// isNamedOpenly reports whether the check's command names a file and reads it itself. In a substitution, cat only
// passes it on.
func (s Scope) isNamedOpenly(file string) bool {
	return s.IsNamed(file) && !(&observer{Scope: s}).isNamed(shellline.ExaminedWords(s.Command), file)
}
