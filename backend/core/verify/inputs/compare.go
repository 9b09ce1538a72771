package inputs

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"goalpost/backend/core/verify/shellline"
	"goalpost/backend/domain/goal"
)

// Comparison compares the files that a passing check used with pre-flight and with the goal's start.
type Comparison struct {
	Before *goal.Observation // from pre-flight, nil if there is none
	After  *goal.Observation // of the check that passed
	// Start returns a file's state at the goal's start. For a file that was not recorded then, it returns the zero
	// value if the file is newer, and the present state if it has not changed since.
	Start func(file string) goal.FileState
	Now   func(file string) goal.FileState

	Scope
	// IsFree reports whether the user allows the agent to change a file that would decide. nil allows none.
	IsFree func(file string) bool
	// HasSameDecision reports whether the part of a changed file that decides is unchanged. nil means never.
	HasSameDecision func(file string, role goal.FileRole) bool
	// IsUntouched reports whether a file that the check opened for writing has the same content as before the
	// check. nil means never.
	IsUntouched func(file string) bool
	// OutsideExists reports whether a file outside the goal's folder exists. nil means never.
	OutsideExists func(file string) bool
}

// Reasons for which a change makes the verdict tampered, as users read them.
const (
	reasonChanged   = "it decides the check and has changed since the start"
	reasonGone      = "it decides the check and was removed"
	reasonMode      = "it decides the check, and its mode has changed since the start"
	reasonLink      = "its path contains a new link, so it leads to another file than at the start"
	reasonVain      = "the check looked for this file before the goal began and did not find it; now it decides"
	reasonSkipped   = "make treats this target as already built, and skips its rule"
	reasonNew       = "it decides the check, and is new"
	reasonInstalled = "it is part of the programs that run the check, and differs from what was installed at the start"
	reasonRewritten = "the check wrote it after using it, which it did not do before the goal began"
)

// FindChanges lists the used files that are new, changed or removed, sorted by path. Those with a reason make the
// verdict tampered; the others are for users and the reviewer.
func (co Comparison) FindChanges() []goal.FileChange {
	before := co.Before
	if before == nil {
		before = &goal.Observation{}
	}
	c := changeFinder{
		Comparison: co, before: before, found: map[string]*goal.FileChange{},
		was: combineUses(before.Files), is: combineUses(co.After.Files),
	}
	for _, u := range co.After.Files {
		c.compareUse(u)
	}
	for _, u := range before.Files {
		decides := u.Role.Decides() && u.Examined == "" || isInstalledCode(u)
		if (decides || u.Role == goal.RoleData) && !c.is[u.Path].isUsed {
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

// fileUse combines the uses of one file: the role that comes first in roleOrder counts.
type fileUse struct {
	role     goal.FileRole
	program  int
	examined goal.Examination
	isUsed   bool
}

var roleOrder = []goal.FileRole{
	goal.RoleScript, goal.RoleMakefile, goal.RoleMain, goal.RoleProgram, goal.RoleSettings, goal.RoleTest, goal.RoleCode,
	goal.RoleData,
}

func combineUses(list []goal.UsedFile) map[string]fileUse {
	m := map[string]fileUse{}
	for _, u := range list {
		old := m[u.Path]
		// A file that decides in one use decides, even if another use only examines it.
		stronger := slices.Index(roleOrder, u.Role) < slices.Index(roleOrder, old.role)
		if old.isUsed && old.examined != "" && u.Examined == "" && u.Role.Decides() {
			stronger = true
		} else if old.isUsed && old.examined == "" && u.Examined != "" && old.role.Decides() {
			stronger = false
		}
		if !old.isUsed || stronger {
			m[u.Path] = fileUse{u.Role, u.Program, u.Examined, true}
		}
	}
	return m
}

// changeFinder collects the changes of one comparison.
type changeFinder struct {
	Comparison
	before  *goal.Observation
	found   map[string]*goal.FileChange
	was, is map[string]fileUse
}

// add adds a change. The first reason of a file counts.
func (c *changeFinder) add(file, change, reason string, u fileUse, o *goal.Observation) {
	isAllowed := reason != "" && c.IsFree != nil && c.IsFree(file)
	if isAllowed {
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
		Path: file, Role: u.role, Change: change, By: by, Reason: reason, Allowed: isAllowed,
		SHA256: c.Now(file).SHA256,
	}
}

// changeOf names the difference between two states, "" if there is none.
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

// compareUse applies rule a, the first half of rule b, and rule c to a file that the check used.
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
	reason := c.tamperingReason(u.Path, change, sum)
	if reason == "" && change != "new" && isInstalledCode(u) && c.was[u.Path].isUsed &&
		!slices.Contains(c.before.Written, u.Path) {
		reason = reasonInstalled
	}
	c.add(u.Path, change, reason, sum, c.After)
}

// isMade reports whether the check wrote a file before it used it.
func (c *changeFinder) isMade(u goal.UsedFile) bool {
	return slices.Contains(c.After.Written, u.Path) &&
		(u.Role == goal.RoleProgram || c.IsUntouched == nil || !c.IsUntouched(u.Path))
}

// tamperingReason returns why a change of a used file is tampering, "" if it is not.
func (c *changeFinder) tamperingReason(file, change string, u fileUse) string {
	if !u.role.Decides() || u.examined != "" && (u.examined != goal.IfNew || change == "new") {
		return ""
	}
	if u.role == goal.RoleProgram && slices.Contains(c.before.Written, file) { // the check builds it
		return ""
	}
	if change != "new" {
		switch {
		case change == "changed" && isWork(c.After, goal.UsedFile{Path: file, Role: u.role, Program: u.program}):
			return "" // it decides itself
		case change == "changed" && c.HasSameDecision != nil && c.HasSameDecision(file, u.role):
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
		return "it is loaded instead of " + other + ", which the check ran before the goal began"
	}
	missing, wasMissing := c.missingBefore(file)
	if u.role == goal.RoleScript && wasMissing && !missing.opened && !missing.final {
		return reasonVain // the check continued without it
	}
	if u.role == goal.RoleTest || c.IsNamed(file) { // a new test, or what the user asked for
		return ""
	}
	if c.isNamedProgram(file) && !c.hasOtherPlace(file) { // the check runs a program that the agent is to write
		return ""
	}
	if wasMissing {
		// The check itself started it, so it is the work. A file that it only looked for was not needed.
		if u.role == goal.RoleProgram && missing.opened && !c.hasOtherPlace(file) {
			return ""
		}
		if u.role == goal.RoleProgram && missing.byMake { // built by the makefile before the check
			return ""
		}
		return reasonVain
	}
	return reasonNew
}

// isWork reports whether a file that a check starts is the work, by its name: it decides itself. A program of awk or jq
// decides about other files.
func isWork(o *goal.Observation, u goal.UsedFile) bool {
	return (u.Role == goal.RoleMain || u.Role == goal.RoleProgram) && !judgeName.MatchString(u.Path) &&
		!IsInstalled(u.Path) &&
		(u.Program >= len(o.Programs) || !slices.Contains(dataArguments, o.Programs[u.Program].Name))
}

// lookup describes how pre-flight looked for a file that did not exist.
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

// replacedMain returns the file that pre-flight started a program with, if a new file has the same name with
// another extension; otherwise "".
func (c *changeFinder) replacedMain(file string) string {
	for _, p := range c.before.Programs {
		if p.Main != "" && p.Main != file && strings.TrimSuffix(p.Main, path.Ext(p.Main)) ==
			strings.TrimSuffix(file, path.Ext(file)) && c.Now(p.Main).Exists {
			return p.Main
		}
	}
	return ""
}

// isNamedProgram reports whether a word of the check's command is the file's name, which a shell finds on PATH.
func (c *changeFinder) isNamedProgram(file string) bool {
	return slices.Contains(shellline.AllWords(c.Command), path.Base(file))
}

// hasOtherPlace reports whether pre-flight ran a program of this name from another folder.
func (c *changeFinder) hasOtherPlace(file string) bool {
	for _, p := range c.before.Programs {
		first, _, _ := strings.Cut(p.Command, " ")
		if (p.Name == baseName(file) || path.Base(first) == path.Base(file)) && p.Main != file {
			return true
		}
	}
	return false
}

// compareLost applies rule a to a file that decided in pre-flight and that the check no longer used.
func (c *changeFinder) compareLost(u goal.UsedFile) {
	if slices.Contains(c.before.Written, u.Path) || slices.Contains(c.After.Written, u.Path) {
		return
	}
	change := changeOf(c.Start(u.Path), c.Now(u.Path))
	if change == "" || change == "new" {
		return
	}
	before := c.was[u.Path]
	reason := c.tamperingReason(u.Path, change, before)
	if reason == "" && isInstalledCode(u) {
		reason = reasonInstalled
	}
	c.add(u.Path, change, reason, before, c.before)
}

// findRewritten applies rule e: the check writes what decides it. Programs that it builds before it runs them, and
// files that did not exist at the start, are the work.
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

// findSkipped applies rule b to files that nothing reads: those named like a target of make, and those whose
// existence may decide.
func (c *changeFinder) findSkipped() {
	for _, u := range c.After.Found {
		if c.is[u.Path].isUsed || c.found[u.Path] != nil || slices.Contains(c.After.Written, u.Path) ||
			slices.Contains(c.before.Written, u.Path) {
			continue
		}
		is := c.Now(u.Path)
		change := changeOf(c.Start(u.Path), is)
		byMake := u.Program < len(c.After.Programs) && slices.Contains(makeNames, c.After.Programs[u.Program].Name)
		if change == "changed" && byMake && is.Mode.IsRegular() { // make built from it before the check
			c.add(u.Path, change, "", fileUse{role: goal.RoleData, program: u.Program, isUsed: true}, c.After)
		}
		if _, isKnown := c.missingBefore(u.Path); !isKnown || is.Mode.IsDir() || change != "new" {
			continue
		}
		reason := reasonSkipped
		if !byMake || isCode(u.Path) || path.Ext(u.Path) != "" && is.Mode&0o111 == 0 || is.Mode&0o111 != 0 {
			reason = "" // built before the check
		}
		c.add(u.Path, "new", reason, fileUse{role: goal.RoleData, program: u.Program, isUsed: true}, c.After)
	}
}

// findShadows applies rule b to modules: new code that is loaded instead of other code.
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
			c.add(u.Path, "new", "it is loaded instead of "+old+", which the check used before the goal began",
				c.is[u.Path], c.After)
			continue
		}
		if old := c.hiddenOutside(u); old != "" {
			c.add(u.Path, "new", "it is loaded instead of "+old, c.is[u.Path], c.After)
		}
	}
}

// findEarlyEnds applies rule b to programs that no longer read the file that they are started with: code that is
// loaded before it, as by NODE_OPTIONS or RUBYOPT, ends them.
func (c *changeFinder) findEarlyEnds() {
	mains := map[string]string{} // of pre-flight, by command line
	for _, p := range c.before.Programs {
		if main, isKnown := mains[p.Command]; !isKnown || main != "" {
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
			c.add(u.Path, change, p.Name+" loaded it and ended before it read "+main, c.is[u.Path], c.After)
		}
	}
}

// replacedModules returns, by their names, the modules that still exist and that pre-flight read but the check did
// not.
func (c *changeFinder) replacedModules() map[string]string {
	m := map[string]string{}
	for file, u := range c.was {
		isModule := isCode(file) && u.role != goal.RoleData || path.Ext(file) == ".json" // node loads rules.json as rules
		if u.role == goal.RoleProgram || !isModule || c.is[file].isUsed || !c.Now(file).Exists {
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

// moduleName returns the name by which code imports a file: the file name without extensions, the folder's name for
// a package, and the path from node_modules on. Names of different languages differ.
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

// hiddenOutside returns a standard or installed module that a new file of the folder hides. Modules are searched in
// the folder of the program and where it was started.
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
	dirs := map[string]bool{}
	for _, file := range c.After.Outside {
		dir := strings.TrimSuffix(path.Dir(file), "/__pycache__")
		for c.OutsideExists(path.Join(dir, "__init__.py")) { // a module of a package is imported by the package's name
			dir = path.Dir(dir)
		}
		fileFamily, _, _ := strings.Cut(moduleName(file), ":")
		if fileFamily != family || dirs[dir] || len(dirs) > 200 {
			continue
		}
		dirs[dir] = true
		for _, candidate := range []string{stem + family, stem + "/__init__" + family} {
			if at := path.Join(dir, candidate); c.OutsideExists(at) {
				return at
			}
		}
	}
	return ""
}

// isModuleRoot reports whether a program looks for modules in a folder: it contains the main file or a test, or is
// the goal's folder.
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

// NeedsInstallation reports whether only installed files made a verdict tampered, so that installing the same
// versions again repairs it.
func NeedsInstallation(bad []goal.FileChange) bool {
	return !slices.ContainsFunc(bad, func(f goal.FileChange) bool { return f.Change == "new" || !IsInstalled(f.Path) })
}

// Describe says in one line what changed and why it counts.
func Describe(f goal.FileChange) string {
	s := fmt.Sprintf("%s (%s, %s)", f.Path, f.Change, f.Role)
	if f.Reason != "" {
		s += ": " + f.Reason
	}
	return s
}

// ReasonEndOnly is the reason for a changed script whose judge also passes when the script is empty.
const ReasonEndOnly = "the program that judges it also passes with an empty script: only its exit status decides"

// FindTampering returns the changes that make a verdict tampered.
func FindTampering(list []goal.FileChange) []goal.FileChange {
	var found []goal.FileChange
	for _, f := range list {
		if f.Reason != "" {
			found = append(found, f)
		}
	}
	return found
}

// IsJudge reports whether a file that was used in pre-flight decides and is certainly not the work. A main file
// must also have a name that says so.
func IsJudge(o *goal.Observation, u goal.UsedFile) bool {
	if !u.Role.Decides() || u.Examined != "" && u.Examined != goal.IfNew || slices.Contains(o.Written, u.Path) {
		return false
	}
	if state := o.States[u.Path]; !state.Exists || !state.Mode.IsRegular() {
		return false
	}
	return !isWork(o, u)
}
