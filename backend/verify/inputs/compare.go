package inputs

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/verify/shellline"
)

// Comparison compares what a passing check used with what it used in pre-flight and with the goal's start.
type Comparison struct {
	Before *goal.Observation // of pre-flight, nil where there is none
	After  *goal.Observation // of the check that passed
	// Start is a file as it was at the goal's start. Of a file that nobody looked at then it is the zero value if the
	// file has come since, and the present state if it has not changed since.
	Start func(file string) goal.FileState
	Now   func(file string) goal.FileState

	Dir     string // the goal's folder, absolute
	Command string // of the check
	// IsFree reports whether the user lets the agent change a file that would decide. nil frees none.
	IsFree func(file string) bool
	// SameDecision reports whether what decides in a changed file is the same as at the start. nil knows of none.
	SameDecision func(file string, role goal.FileRole) bool
	// IsUntouched reports whether a file that the check opened for writing holds what it held before the check. nil
	// knows of none.
	IsUntouched func(file string) bool
	// OutsideExists reports whether there is a file outside of the goal's folder. nil knows of none.
	OutsideExists func(file string) bool
}

// Reasons of changes that make a verdict tampered, for users.
const (
	reasonChanged   = "it decides the check and is not what it was at the start"
	reasonGone      = "it decides the check and is gone"
	reasonMode      = "it decides the check, and its mode is not what it was at the start"
	reasonLink      = "a link on the way to it is new, so it leads to something else than at the start"
	reasonVain      = "the check looked for this name before the goal began and found nothing; now it decides"
	reasonSkipped   = "make takes it for something that is already made, and skips what would make it"
	reasonNew       = "it decides the check, and is new"
	reasonInstalled = "it is part of what runs the check, and is not what was installed at the start"
	reasonRewritten = "the check itself has written it after it had used it, which it did not do before the goal began"
)

// FindChanges lists the used files that are new, changed or gone, in order of paths. Those with a reason make the
// verdict tampered; the others are for users and the reviewer to look at.
func (in Comparison) FindChanges() []goal.FileChange {
	before := in.Before
	if before == nil {
		before = &goal.Observation{}
	}
	c := changeFinder{
		Comparison: in, before: before, found: map[string]*goal.FileChange{},
		was: uses(before.Files), is: uses(in.After.Files),
	}
	for _, u := range in.After.Files {
		c.compareUse(u)
	}
	for _, u := range before.Files {
		decides := u.Role.Decides() && u.Examined == "" || isInstalled(u)
		if (decides || u.Role == goal.RoleData) && !c.is[u.Path].seen {
			c.compareLost(u)
		}
	}
	c.findRewritten()
	c.findSkipped()
	c.findShadows()
	c.findEarlyEnds()
	list := make([]goal.FileChange, 0, len(c.found))
	for _, f := range c.found {
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b goal.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// use sums up the uses of one file: the first role in the order of the roles.
type use struct {
	role     goal.FileRole
	program  int
	examined goal.Examination
	seen     bool
}

var roleOrder = []goal.FileRole{
	goal.RoleScript, goal.RoleMakefile, goal.RoleMain, goal.RoleProgram, goal.RoleSettings, goal.RoleTest, goal.RoleCode,
	goal.RoleData,
}

func uses(list []goal.UsedFile) map[string]use {
	m := map[string]use{}
	for _, u := range list {
		old := m[u.Path]
		// What decides in one use decides, also if it is examined in another.
		stronger := slices.Index(roleOrder, u.Role) < slices.Index(roleOrder, old.role)
		if old.seen && old.examined != "" && u.Examined == "" && u.Role.Decides() {
			stronger = true
		} else if old.seen && old.examined == "" && u.Examined != "" && old.role.Decides() {
			stronger = false
		}
		if !old.seen || stronger {
			m[u.Path] = use{u.Role, u.Program, u.Examined, true}
		}
	}
	return m
}

// changeFinder is one comparison under way.
type changeFinder struct {
	Comparison
	before  *goal.Observation
	found   map[string]*goal.FileChange
	was, is map[string]use
}

// add notes a change; a reason that is known already stays.
func (c *changeFinder) add(file, change, reason string, u use, o *goal.Observation) {
	if reason != "" && c.IsFree != nil && c.IsFree(file) {
		reason = ""
	}
	if old := c.found[file]; old != nil {
		if old.Reason == "" {
			old.Reason = reason
		}
		return
	}
	by := ""
	if u.program >= 0 && u.program < len(o.Programs) {
		by = o.Programs[u.program].Command
	}
	c.found[file] = &goal.FileChange{
		Path: file, Role: u.role, Change: change, By: by, Reason: reason, SHA256: c.Now(file).SHA256,
	}
}

// changeOf names the difference of two states, "" if there is none.
func changeOf(was, is goal.FileState) string {
	const executable = 0o111
	switch {
	case !was.Exists && !is.Exists:
		return ""
	case !was.Exists:
		return "new"
	case !is.Exists:
		return "removed"
	case was.Link != is.Link:
		return "link"
	case was.SHA256 != is.SHA256 || was.Mode.Type() != is.Mode.Type():
		return "changed"
	case was.Mode&executable == 0 && is.Mode&executable != 0 || was.Mode&executable != 0 && is.Mode&executable == 0:
		return "mode"
	}
	return ""
}

// compareUse is rule a, the first half of rule b, and rule c, for a file that the check used.
func (c *changeFinder) compareUse(u goal.UsedFile) {
	sum := c.is[u.Path]
	if u.Role != sum.role || u.Program != sum.program || c.found[u.Path] != nil {
		return
	}
	was, is := c.Start(u.Path), c.Now(u.Path)
	if is.Mode.IsDir() || c.isMade(u) {
		return
	}
	change := changeOf(was, is)
	if change == "" {
		return
	}
	reason := c.reason(u.Path, change, sum)
	if reason == "" && change != "new" && isInstalled(u) && c.was[u.Path].seen &&
		!slices.Contains(c.before.Written, u.Path) {
		reason = reasonInstalled
	}
	c.add(u.Path, change, reason, sum, c.After)
}

// isMade reports whether the check made a file itself before it used it.
func (c *changeFinder) isMade(u goal.UsedFile) bool {
	return slices.Contains(c.After.Written, u.Path) &&
		(u.Role == goal.RoleProgram || c.IsUntouched == nil || !c.IsUntouched(u.Path))
}

// reason says why a change of a used file is tampering, "" if it is not.
func (c *changeFinder) reason(file, change string, u use) string {
	if !u.role.Decides() || u.examined != "" && (u.examined != goal.IfNew || change == "new") {
		return ""
	}
	if u.role == goal.RoleProgram && slices.Contains(c.before.Written, file) { // the check builds it
		return ""
	}
	if change != "new" {
		switch {
		case change == "changed" && c.SameDecision != nil && c.SameDecision(file, u.role):
			return ""
		case change == "mode" && u.role != goal.RoleProgram && u.role != goal.RoleScript:
			return ""
		case change == "mode":
			return reasonMode
		case change == "link":
			return reasonLink
		case change == "removed":
			return reasonGone
		}
		return reasonChanged
	}
	if other := c.replacedMain(file); other != "" {
		return "it is taken instead of " + other + ", which the check ran before the goal began"
	}
	missing, wasMissing := c.missingBefore(file)
	if u.role == goal.RoleScript && wasMissing && !missing.opened && !missing.final {
		return reasonVain // the check continued without it
	}
	if u.role == goal.RoleTest || Named(c.Command, c.Dir, file) { // a new test; what the user asked for
		return ""
	}
	if c.isNamedProgram(file) && !c.hasOtherPlace(file) { // a program of the check that the user lets the agent make
		return ""
	}
	if wasMissing {
		// The check itself started it: the work. What it only asked for could have stayed away.
		if u.role == goal.RoleProgram && missing.opened && !c.hasOtherPlace(file) {
			return ""
		}
		if u.role == goal.RoleProgram && missing.byMake { // what a makefile makes, made before
			return ""
		}
		return reasonVain
	}
	return reasonNew
}

// lookup is how pre-flight looked for a file in vain.
type lookup struct{ opened, final, byMake bool }

func (c *changeFinder) missingBefore(file string) (l lookup, ok bool) {
	for _, u := range c.before.Missing {
		if u.Path != file {
			continue
		}
		ok = true
		l.opened, l.final = l.opened || u.Opened, l.final || u.Final
		l.byMake = l.byMake || u.Program < len(c.before.Programs) &&
			slices.Contains(makeNames, c.before.Programs[u.Program].Name)
	}
	return l, ok
}

// replacedMain is the file that pre-flight started a program with and that a new file has the name of, but for the
// ending; "" if there is none.
func (c *changeFinder) replacedMain(file string) string {
	for _, p := range c.before.Programs {
		if p.Main != "" && p.Main != file && strings.TrimSuffix(p.Main, path.Ext(p.Main)) ==
			strings.TrimSuffix(file, path.Ext(file)) && c.Now(p.Main).Exists {
			return p.Main
		}
	}
	return ""
}

// isNamedProgram reports whether a word of the check's command is the name of the file, which a shell finds on PATH.
func (c *changeFinder) isNamedProgram(file string) bool {
	return slices.Contains(shellline.AllWords(c.Command), path.Base(file))
}

// hasOtherPlace reports whether pre-flight ran a program of this name from another place.
func (c *changeFinder) hasOtherPlace(file string) bool {
	for _, p := range c.before.Programs {
		first, _, _ := strings.Cut(p.Command, " ")
		if (p.Name == baseName(file) || path.Base(first) == path.Base(file)) && p.Main != file {
			return true
		}
	}
	return false
}

// compareLost is rule a for a file that decided in pre-flight and that the check did not use any more.
func (c *changeFinder) compareLost(u goal.UsedFile) {
	if slices.Contains(c.before.Written, u.Path) || slices.Contains(c.After.Written, u.Path) {
		return
	}
	change := changeOf(c.Start(u.Path), c.Now(u.Path))
	if change == "" || change == "new" {
		return
	}
	lost := c.was[u.Path]
	reason := c.reason(u.Path, change, lost)
	if reason == "" && isInstalled(u) {
		reason = reasonInstalled
	}
	c.add(u.Path, change, reason, lost, c.before)
}

// findRewritten is rule e: the check writes what decides it. Programs that it builds before it runs them, and files
// that were not there at the start, are the work.
func (c *changeFinder) findRewritten() {
	for _, file := range slices.Concat(c.After.Rewritten, c.After.Written) {
		u := c.is[file]
		madeBefore := slices.Contains(c.before.Written, file) || slices.Contains(c.before.Rewritten, file)
		isMade := slices.Contains(c.After.Written, file) && (u.role == goal.RoleProgram || !c.Start(file).Exists)
		if !madeBefore && !isMade && u.role.Decides() && u.examined == "" && u.role != goal.RoleTest {
			c.add(file, "changed", reasonRewritten, u, c.After)
		}
	}
}

// findSkipped is the part of rule b that is about files which nothing reads: one with the name of a target of make, and
// those that are listed because their being there may decide.
func (c *changeFinder) findSkipped() {
	for _, u := range c.After.Found {
		if c.is[u.Path].seen || c.found[u.Path] != nil || slices.Contains(c.After.Written, u.Path) ||
			slices.Contains(c.before.Written, u.Path) {
			continue
		}
		is := c.Now(u.Path)
		change := changeOf(c.Start(u.Path), is)
		byMake := u.Program < len(c.After.Programs) && slices.Contains(makeNames, c.After.Programs[u.Program].Name)
		if change == "changed" && byMake && is.Mode.IsRegular() { // what is built of it was built before
			c.add(u.Path, change, "", use{role: goal.RoleData, program: u.Program, seen: true}, c.After)
		}
		if _, looked := c.missingBefore(u.Path); !looked || is.Mode.IsDir() || change != "new" {
			continue
		}
		reason := reasonSkipped
		if !byMake || isCode(u.Path) || path.Ext(u.Path) != "" && is.Mode&0o111 == 0 || is.Mode&0o111 != 0 { // built before
			reason = ""
		}
		c.add(u.Path, "new", reason, use{role: goal.RoleData, program: u.Program, seen: true}, c.After)
	}
}

// findShadows is the part of rule b that is about modules: new code that is taken instead of other code.
func (c *changeFinder) findShadows() {
	replaced := c.replacedModules()
	for _, u := range c.After.Files {
		if u.Role == goal.RoleData || u.Role == goal.RoleProgram {
			continue
		}
		if change := changeOf(c.Start(u.Path), c.Now(u.Path)); change != "new" || slices.Contains(c.After.Written, u.Path) {
			continue
		}
		name := moduleName(u.Path)
		if old := replaced[name]; old != "" {
			c.add(u.Path, "new", "it is taken instead of "+old+", which the check used before the goal began",
				c.is[u.Path], c.After)
			continue
		}
		if old := c.hiddenOutside(u); old != "" {
			c.add(u.Path, "new", "it is taken instead of "+old, c.is[u.Path], c.After)
		}
	}
}

// findEarlyEnds is the part of rule b that is about programs which no longer come to the file that they are started
// with: code that is loaded before it ends them, as NODE_OPTIONS or RUBYOPT can say.
func (c *changeFinder) findEarlyEnds() {
	mains := map[string]string{} // of pre-flight, by command line
	for _, p := range c.before.Programs {
		if main, seen := mains[p.Command]; !seen || main != "" {
			mains[p.Command] = p.Main
		}
	}
	for _, u := range c.After.Files {
		if u.Role == goal.RoleData || u.Program >= len(c.After.Programs) || c.isMade(u) {
			continue
		}
		p := c.After.Programs[u.Program]
		main := mains[p.Command]
		if main == "" || p.Main != "" || !c.Now(main).Exists {
			continue
		}
		if change := changeOf(c.Start(u.Path), c.Now(u.Path)); change != "" {
			c.add(u.Path, change, p.Name+" loaded it, and ended before it read "+main, c.is[u.Path], c.After)
		}
	}
}

// replacedModules are the modules that pre-flight read and the check did not, by their names; those that are still
// there.
func (c *changeFinder) replacedModules() map[string]string {
	m := map[string]string{}
	for file, u := range c.was {
		isModule := isCode(file) && u.role != goal.RoleData || path.Ext(file) == ".json" // node finds rules.json as rules
		if u.role == goal.RoleProgram || !isModule || c.is[file].seen || !c.Now(file).Exists {
			continue
		}
		m[moduleName(file)] = file
	}
	after := map[string]bool{}
	for _, file := range c.After.Outside {
		after[file] = true
	}
	for _, file := range c.before.Outside {
		if !after[file] && (c.OutsideExists == nil || c.OutsideExists(file)) {
			if name := moduleName(file); m[name] == "" {
				m[name] = file
			}
		}
	}
	return m
}

// moduleName is what code imports a file by: the name without its endings, with that of the folder for a package, and
// in node_modules from there on. Names of different languages differ.
func moduleName(file string) string {
	family := path.Ext(file)
	switch family {
	case ".pyc", ".pyd", ".pyo", ".so":
		family = ".py"
	case ".cjs", ".mjs", ".ts", ".json", ".jsx", ".tsx", ".cts", ".mts":
		family = ".js"
	case ".pmc":
		family = ".pm"
	}
	if i := strings.LastIndex(file, "node_modules/"); i >= 0 {
		return family + ":" + file[i:]
	}
	dir, base := path.Split(file)
	dir = strings.TrimSuffix(strings.TrimSuffix(dir, "/"), "/__pycache__")
	stem, _, _ := strings.Cut(base, ".")
	if stem == "__init__" || stem == "index" || stem == "mod" {
		stem = path.Base(dir)
	}
	return family + ":" + stem
}

// hiddenOutside is a module of the language, or an installed one, that a new file of the folder hides. Modules are
// looked for in the folder of the program and where it was started.
func (c *changeFinder) hiddenOutside(u goal.UsedFile) string {
	if c.OutsideExists == nil || u.Program >= len(c.After.Programs) {
		return ""
	}
	family, stem, _ := strings.Cut(moduleName(u.Path), ":")
	top := path.Dir(u.Path)
	if base := path.Base(u.Path); strings.HasPrefix(base, "__init__.") || top != "." && path.Base(top) == "__pycache__" {
		top = path.Dir(top)
	}
	if !slices.Contains([]string{".py", ".pm", ".rb"}, family) || !c.isModuleRoot(top, u.Program) {
		return ""
	}
	looked := map[string]bool{}
	for _, file := range c.After.Outside {
		dir := strings.TrimSuffix(path.Dir(file), "/__pycache__")
		for c.OutsideExists(path.Join(dir, "__init__.py")) { // modules of a package have its name before theirs
			dir = path.Dir(dir)
		}
		fileFamily, _, _ := strings.Cut(moduleName(file), ":")
		if fileFamily != family || looked[dir] || len(looked) > 200 {
			continue
		}
		looked[dir] = true
		for _, candidate := range []string{stem + family, stem + "/__init__" + family} {
			if at := path.Join(dir, candidate); c.OutsideExists(at) {
				return at
			}
		}
	}
	return ""
}

// isModuleRoot reports whether a program looks for modules in a folder: its main file or a test is in it, or it is the
// goal's folder.
func (c *changeFinder) isModuleRoot(dir string, program int) bool {
	if dir == "." {
		return true
	}
	main := c.After.Programs[program].Main
	if main != "" && path.Dir(main) == dir {
		return true
	}
	return slices.ContainsFunc(c.After.Files, func(u goal.UsedFile) bool {
		return (u.Role == goal.RoleTest || u.Role == goal.RoleMain) && path.Dir(u.Path) == dir
	}) && !c.Now(path.Join(dir, "__init__.py")).Exists
}

// NeedsInstallation reports whether what made a verdict tampered is only what was installed: to install the same again
// repairs it.
func NeedsInstallation(bad []goal.FileChange) bool {
	return !slices.ContainsFunc(bad, func(f goal.FileChange) bool { return f.Change == "new" || !IsInstalled(f.Path) })
}

// Describe says in one line what changed and why it counts, for a verdict.
func Describe(f goal.FileChange) string {
	s := fmt.Sprintf("%s (%s, %s)", f.Path, f.Change, f.Role)
	if f.Reason != "" {
		s += ": " + f.Reason
	}
	return s
}

// ReasonEndOnly is why a changed script counts with which a judge passes also if it is empty.
const ReasonEndOnly = "what judges starts it, and passes with an empty one as well: only how it ends decides"

// Tampering are the changes that make a verdict tampered.
func Tampering(list []goal.FileChange) []goal.FileChange {
	var found []goal.FileChange
	for _, f := range list {
		if f.Reason != "" {
			found = append(found, f)
		}
	}
	return found
}

// IsJudge reports whether a file that was used in pre-flight decides, and is not the work by any doubt: a main file is
// one only if its name says so.
func IsJudge(o *goal.Observation, u goal.UsedFile) bool {
	if !u.Role.Decides() || u.Examined != "" && u.Examined != goal.IfNew || slices.Contains(o.Written, u.Path) {
		return false
	}
	if state := o.States[u.Path]; !state.Exists || !state.Mode.IsRegular() {
		return false
	}
	return u.Role != goal.RoleMain && u.Role != goal.RoleProgram || judgeName.MatchString(u.Path)
}
