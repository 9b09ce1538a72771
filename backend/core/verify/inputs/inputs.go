// Package inputs determines which files of a goal's folder a check used, and whether a pass still counts after they
// have changed. It works on traces and recorded file states, and opens no file itself.
package inputs

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/core/verify/shellline"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/shell"
	"goalpost/backend/lib/text"
)

// Limits of an observation. One that exceeds them is incomplete.
const (
	maxFiles   = 50_000
	maxMissing = 50_000
	maxOutside = 20_000
)

// Scope says which check ran, and where.
type Scope struct {
	Dir     string // the goal's folder, absolute, with links resolved
	At      string // where the check runs in it, "" for the folder itself
	Command string // of the check
	// OnlyOutput says that only what the command prints counts, not how it ends.
	OnlyOutput bool
	// Text returns the text of a file of the folder, nil if it cannot be read. It is used for scripts.
	Text func(file string) []byte
}

// observer reduces one trace.
type observer struct {
	Scope
	programs []program
	accesses []process.FileAccess // by known programs
	callers  map[string][]int     // the programs that executed a file, by its absolute path
	scripts  string               // texts that may name programs: the command, scripts, makefiles, package.json
	lines    []string             // those of them that a shell runs
	inline   []string             // what any shell got behind -c
	examined []string             // words that name programs whose output is judged
	counted  []string             // those of them that the check's command passes to what judges
	captured []string             // those of them that are before a pipe or in a substitution
	words    []string             // of the command
	out      *goal.Observation
	wrote    map[string]bool // absolute paths outside the goal's folder

	used    map[string]bool // read or executed so far
	entries map[goal.UsedFile]bool
	outside map[string]bool
	preload map[goal.UsedFile]bool // by path and program
}

// Observe reduces a trace to what the check did with the goal's folder. It leaves States empty.
func Observe(t process.Trace, s Scope) *goal.Observation {
	o := &observer{
		Scope: s, callers: map[string][]int{}, used: map[string]bool{}, entries: map[goal.UsedFile]bool{},
		outside: map[string]bool{}, preload: map[goal.UsedFile]bool{}, wrote: map[string]bool{},
		out: &goal.Observation{Incomplete: t.Incomplete},
	}
	for _, p := range t.Programs {
		o.programs = append(o.programs, readProgram(p))
	}
	o.accesses = slices.DeleteFunc(slices.Clone(t.Accesses), func(a process.FileAccess) bool {
		return a.Program < 0 || a.Program >= len(o.programs)
	})
	for _, a := range o.accesses {
		if a.Use == process.UseExecute && !a.Missing {
			o.callers[a.Path] = append(o.callers[a.Path], a.Program)
		}
	}
	o.examined, o.words = shellline.ExaminedWords(s.Command), shellline.AllWords(s.Command)
	o.counted = shellline.ExaminedWords(s.Command)
	o.captured = shellline.CapturedWords(s.Command)
	if s.OnlyOutput {
		o.examined, o.captured = o.words, o.words
	}
	o.collectScripts()
	o.findPreloads()
	for _, a := range o.accesses {
		o.add(a)
	}
	o.addOptionNames()
	o.markFinal()
	o.markPlugins()
	o.out.NotStarted = o.findNotStarted()
	for i := range o.programs {
		o.out.Programs = append(o.out.Programs, o.describeProgram(&o.programs[i]))
		for _, name := range o.programs[i].summaries() {
			if !slices.Contains(o.out.Runners, name) {
				o.out.Runners = append(o.out.Runners, name)
			}
		}
	}
	return o.out
}

// addOptionNames adds the files whose names a program reads as options, because a pattern of a shell matched them.
func (o *observer) addOptionNames() {
	for i, p := range o.programs {
		for _, word := range p.Args[min(1, len(p.Args)):] {
			rel, ok := o.inFolder(path.Join(p.Dir, word))
			if ok && strings.HasPrefix(word, "-") && o.Text != nil && o.Text(rel) != nil {
				o.append(&o.out.Files, goal.UsedFile{Path: rel, Role: goal.RoleSettings, Program: i})
			}
		}
	}
}

// markFinal marks the missing file after which the check did nothing but look for programs.
func (o *observer) markFinal() {
	for n := len(o.accesses) - 1; n >= 0 && o.accesses[n].Missing; n-- {
		rel, ok := o.inFolder(o.accesses[n].Path)
		if !ok {
			continue
		}
		for i := range o.out.Missing {
			o.out.Missing[i].Final = o.out.Missing[i].Path == rel
		}
		return
	}
}

// markPlugins marks the code that the settings of a test runner name as a file, and code that they or the check name
// as a module and that was loaded before any test.
func (o *observer) markPlugins() {
	files, modules := "", o.scripts
	for _, u := range o.out.Files {
		if u.Role != goal.RoleSettings || o.Text == nil {
			continue
		}
		text := string(o.Text(u.Path))
		modules += "\n" + text
		if path.Base(u.Path) != "package.json" { // it names the work, too
			files += "\n" + text
		}
	}
	early, hasTest := []int{}, map[int]bool{} // programs that have loaded a test, or what loads the work for all
	for i, u := range o.out.Files {
		p := &o.programs[u.Program]
		isRunner := p.kind == kindInterpreter && !slices.ContainsFunc(p.mains, func(m string) bool {
			rel, ok := o.inFolder(m)
			return ok && !IsInstalled(rel)
		})
		switch {
		case u.Role == goal.RoleTest || slices.Contains([]string{"conftest.py", "spec_helper.rb"}, path.Base(u.Path)):
			hasTest[u.Program] = true
		case u.Role != goal.RoleCode || !isRunner:
		case strings.Contains(files, path.Base(u.Path)):
			o.out.Files[i].IsPlugin = true
		case !hasTest[u.Program] && hasMention(modules, u.Path):
			early = append(early, i)
		}
	}
	for _, i := range early {
		o.out.Files[i].IsPlugin = hasTest[o.out.Files[i].Program]
	}
}

// findPreloads finds the code of the goal's folder that an interpreter loaded before the file that it was started with,
// as by NODE_OPTIONS or RUBYOPT.
func (o *observer) findPreloads() {
	early, started := map[int][]goal.UsedFile{}, map[int]bool{}
	for _, a := range o.accesses {
		p := &o.programs[a.Program]
		if p.kind != kindInterpreter || started[a.Program] || a.Missing || a.Use != process.UseRead {
			continue
		}
		if started[a.Program] = p.isStartedWith(a.Path); started[a.Program] {
			for _, u := range early[a.Program] {
				o.preload[u] = true
			}
			continue
		}
		rel, ok := o.inFolder(a.Path)
		isPackageManagers := IsInstalled(rel) || strings.HasPrefix(path.Base(rel), ".pnp.")
		if ok && isCode(rel) && !isPackageManagers {
			early[a.Program] = append(early[a.Program], goal.UsedFile{Path: rel, Program: a.Program})
		}
	}
}

// inFolder returns a path relative to the goal's folder. Of a git repository, only the files that decide git's
// answers count.
func (o *observer) inFolder(file string) (string, bool) {
	rel, ok := strings.CutPrefix(file, strings.TrimSuffix(o.Dir, "/")+"/")
	return rel, ok && rel != "" && (!isInRepository(rel) || repositorySettings.MatchString(rel))
}

// isInRepository reports whether a file belongs to a git repository's own data.
func isInRepository(rel string) bool { return rel == ".git" || strings.HasPrefix(rel, ".git/") }

// repositorySettings matches the files of a repository that decide git's answers. Objects and the index are left
// out, because they change with each commit.
var repositorySettings = text.NewPattern(`^\.git/(HEAD|packed-refs|config|config\.worktree|(refs|info|hooks)/.+)$`)

// collectScripts collects the texts that may name programs.
func (o *observer) collectScripts() {
	o.scripts, o.lines = o.Command, []string{o.Command}
	for _, text := range shellline.InlineScripts(o.Command) {
		o.addLines(text, nil)
	}
	for _, p := range o.programs {
		if p.kind == kindShell {
			o.inline = append(o.inline, shellline.InlineScripts(shell.Join(p.Args))...)
		}
	}
	if o.Text == nil {
		return
	}
	read := map[string]bool{}
	for _, a := range o.accesses {
		rel, ok := o.inFolder(a.Path)
		if !ok || a.Missing || a.Use != process.UseRead || read[rel] {
			continue
		}
		p := &o.programs[a.Program]
		isScript := p.kind == kindShell && !p.looksAtSyntax() && (p.hasMain(a.Path) || isScriptFile(rel, nil))
		if isScript || p.kind == kindMake || path.Base(rel) == "package.json" {
			read[rel] = true
			text := string(o.Text(rel))
			o.scripts += "\n" + text
			o.addLines(o.linesOf(p, text), p)
		}
	}
}

// linesOf returns the lines for a shell in a text that a program runs: a shell's script, the recipes of a makefile, or
// those scripts of a package that ran.
func (o *observer) linesOf(p *program, text string) string {
	if p.kind == kindShell {
		return text
	}
	if p.kind == kindMake {
		return recipeLines(text)
	}
	var manifest struct{ Scripts map[string]string }
	_ = json.Unmarshal([]byte(text), &manifest) // without scripts nothing of it ran
	var ran []string
	for _, line := range manifest.Scripts {
		if slices.ContainsFunc(o.inline, func(text string) bool { return strings.HasPrefix(text, line) }) {
			ran = append(ran, line)
		}
	}
	slices.Sort(ran)
	return strings.Join(ran, "\n")
}

// addLines adds lines of the check that a shell runs, for a program that starts it, nil for the check's command itself.
// If that program's output counts, the output of all in the lines does.
func (o *observer) addLines(text string, starter *program) {
	if text == "" {
		return
	}
	isCounted := starter != nil && slices.ContainsFunc(o.lines, func(line string) bool {
		return shellline.Examines(line, starter.Args) || shellline.Examines(line, starter.mainArgs())
	})
	o.lines = append(o.lines, text)
	if isCounted {
		o.examined = append(o.examined, shellline.AllWords(text)...)
		o.counted = append(o.counted, shellline.AllWords(text)...)
		o.captured = append(o.captured, shellline.AllWords(text)...)
		return
	}
	o.examined = append(o.examined, shellline.ExaminedWords(text)...)
	o.captured = append(o.captured, shellline.CapturedWords(text)...)
}

var (
	recipeLine   = text.NewPattern(`(?m)^\t[@+-]*(.*)$`)
	makeVariable = text.NewPattern(`\$[({][^(){}]*[)}]`)
)

// recipeLines returns the commands of a makefile as lines for a shell.
func recipeLines(makefile string) string {
	var b strings.Builder
	for _, m := range recipeLine.FindAllStringSubmatch(makefile, -1) {
		parts := strings.Split(m[1], "$$") // which is $ for the shell
		for i, part := range parts {
			parts[i] = makeVariable.ReplaceAllString(part, "variable")
		}
		b.WriteString(strings.Join(parts, "$") + "\n")
	}
	return b.String()
}

func (o *observer) add(a process.FileAccess) {
	rel, ok := o.inFolder(a.Path)
	if p := &o.programs[a.Program]; p.name == "git" && !a.Missing && strings.HasPrefix(a.Path, o.Dir+"/.git/") {
		p.readsRepository = true
	}
	if !ok {
		o.addOutside(a)
		return
	}
	if len(o.entries) > maxFiles+maxMissing {
		o.out.Incomplete = "the check used more files than Goalpost records"
		return
	}
	p := &o.programs[a.Program]
	u := goal.UsedFile{Path: rel, Program: a.Program}
	switch {
	case a.Use == process.UseWrite:
		o.addWrite(rel)
		return
	case a.Missing:
		u.Role, u.Opened = o.roleOf(a, rel, p), a.Use != process.UseLookup
		o.append(&o.out.Missing, u)
		return
	case a.Use == process.UseLookup:
		if p.kind == kindMake || p.kind == kindShell || p.name == "test" || p.name == "[" {
			u.Role = goal.RoleData // its existence may decide: make skips its rule, test -f is true
			o.append(&o.out.Found, u)
		}
		return
	}
	o.used[rel] = true
	u.Role = o.roleOf(a, rel, p)
	u.Examined = o.examination(a, rel, u.Role, p)
	o.append(&o.out.Files, u)
}

func (o *observer) append(list *[]goal.UsedFile, u goal.UsedFile) {
	key := u
	if list == &o.out.Missing {
		key.Program = -1 - u.Program
	} else if list == &o.out.Found {
		key.Role = "found"
	}
	if !o.entries[key] {
		o.entries[key] = true
		*list = append(*list, u)
	}
}

// addWrite adds a file that the check wrote. A file that it used before is listed separately, because its content
// may have been restored.
func (o *observer) addWrite(rel string) {
	list := &o.out.Written
	if o.used[rel] {
		list = &o.out.Rewritten
	}
	if !slices.Contains(o.out.Written, rel) && !slices.Contains(*list, rel) {
		*list = append(*list, rel)
	}
}

func (o *observer) addOutside(a process.FileAccess) {
	if a.Use == process.UseWrite && !isWithinFolder(a.Path, o.Dir) {
		o.wrote[a.Path] = true
	}
	if p := &o.programs[a.Program]; o.wrote[a.Path] && !a.Missing &&
		(a.Use == process.UseExecute || a.Use == process.UseRead && isCode(a.Path) && !p.readsOnly()) {
		u := goal.UsedFile{Path: a.Path, Role: goal.RoleCode, Program: a.Program}
		if a.Use == process.UseExecute {
			u.Role = goal.RoleProgram
		}
		u.Examined = o.examination(a, a.Path, u.Role, p)
		if len(o.out.Built) < maxOutside && !slices.Contains(o.out.Built, u) {
			o.out.Built = append(o.out.Built, u)
		}
	}
	if a.Missing || a.Use != process.UseRead || !isCode(a.Path) || o.outside[a.Path] {
		return
	}
	if len(o.outside) < maxOutside { // only used to find replaced modules
		o.outside[a.Path] = true
		o.out.Outside = append(o.out.Outside, a.Path)
	}
}

// isWithinFolder reports whether a path is in a folder.
func isWithinFolder(file, dir string) bool {
	return strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/")
}

// roleOf returns the role that a file has for the program that used it.
func (o *observer) roleOf(a process.FileAccess, rel string, p *program) goal.FileRole {
	role := nameRole(p.runners, rel)
	if role == goal.RoleTest && path.Base(rel) == "__init__.py" && o.hasCode(rel) { // it runs before all tests beside it
		role = goal.RoleSettings
	}
	switch {
	case a.Use == process.UseExecute:
		return goal.RoleProgram
	case p.kind == kindMake:
		if a.Use == process.UseLookup {
			return goal.RoleData
		}
		return goal.RoleMakefile
	case p.kind == kindShell:
		if (p.hasMain(a.Path) || o.isSourced(rel)) && !p.looksAtSyntax() {
			return goal.RoleScript
		}
		return goal.RoleData
	case p.isTextTool():
		return goal.RoleData
	case isRecipe(p, rel):
		return goal.RoleMakefile
	case role == goal.RoleSettings && path.Base(rel) == "conftest.py" && !o.hasCode(rel):
		return goal.RoleCode // it only marks its folder as one of tests
	case role == goal.RoleSettings || isStartupFile(rel) || o.preload[goal.UsedFile{Path: rel, Program: a.Program}]:
		return goal.RoleSettings
	case p.hasMain(a.Path) && !isDirectoryOfTests(p, rel):
		return goal.RoleMain
	case role != "":
		return role
	case p.kind == kindOther && isCode(rel) && testName.MatchString(rel): // compiled
		return goal.RoleTest
	case isCode(rel) && judgeName.MatchString(rel) && o.isNamed(o.words, rel): // javac Judge.java, go run ./judge
		return goal.RoleMain
	case isCode(rel) || p.hasMain(a.Path):
		return goal.RoleCode
	}
	return goal.RoleData
}

// hasCode reports whether a Python file contains more than comments. A file that the check wrote or removed may
// have contained more when it was read.
func (o *observer) hasCode(rel string) bool {
	if o.Text == nil {
		return false
	}
	isWritten := func(a process.FileAccess) bool {
		name, ok := o.inFolder(a.Path)
		return ok && a.Use == process.UseWrite && (name == rel || strings.HasPrefix(rel, name+"/"))
	}
	if slices.ContainsFunc(o.accesses, isWritten) {
		return true
	}
	for line := range strings.Lines(string(o.Text(rel))) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return true
		}
	}
	return false
}

// wasWritten reports whether the check has written a file of the folder so far.
func (o *observer) wasWritten(rel string) bool {
	return slices.Contains(o.out.Written, rel) || slices.Contains(o.out.Rewritten, rel)
}

// isDirectoryOfTests reports whether a program was started with a folder or a file of tests in which it looks for
// tests itself.
func isDirectoryOfTests(p *program, rel string) bool {
	return len(p.modules) == 0 && nameRole(p.runners, rel) == goal.RoleTest
}

var (
	mainName       = text.NewPattern(`(^|/)(__main__|main)\.[a-z]+$`)
	redirectedName = text.NewPattern(`<\s*["']?([^\s"'<>|&;()]+)`)
	scriptEnding   = text.NewPattern(`\.(sh|bash|zsh|ksh|bats|env|inc)$`)
)

// isSourced reports whether a file that a shell opens is a script. The shell also opens redirections.
func (o *observer) isSourced(rel string) bool {
	computed := false
	for _, m := range redirectedName.FindAllStringSubmatch(o.scripts, -1) {
		if path.Base(m[1]) == path.Base(rel) {
			return false
		}
		computed = computed || strings.Contains(m[1], "$")
	}
	if !computed {
		return true
	}
	var text []byte
	if o.Text != nil {
		text = o.Text(rel)
	}
	return isScriptFile(rel, text)
}

// isScriptFile reports whether a file is a shell script by its name or its first line.
func isScriptFile(rel string, text []byte) bool {
	return scriptEnding.MatchString(rel) || strings.HasPrefix(string(text[:min(2, len(text))]), "#!")
}

// examination returns how the check tries out a program's file, "" if the file itself decides.
func (o *observer) examination(a process.FileAccess, rel string, role goal.FileRole, p *program) goal.Examination {
	if role != goal.RoleMain && role != goal.RoleProgram && role != goal.RoleScript {
		return ""
	}
	if a.Use == process.UseExecute && (o.wrote[a.Path] || o.wasWritten(rel)) {
		switch {
		case len(p.summaries()) > 0: // a test runner that builds its tests
			return goal.ByTest
		case p.name == "go" || p.name == "cargo":
			isExamined := func(line string) bool { return shellline.Examines(line, p.Args) }
			isJudge := slices.ContainsFunc(p.Args, judgeName.MatchString) // go run ./judge
			if !isJudge && (o.OnlyOutput || slices.ContainsFunc(o.lines, isExamined)) {
				return goal.ByOutput
			}
			return ""
		}
	}
	if judgeName.MatchString(rel) {
		return ""
	}
	if o.isNamed(o.examined, rel) {
		switch {
		case role != goal.RoleScript, p.hasMain(a.Path) && o.isNamed(o.counted, rel):
			return goal.ByOutput
		case p.hasMain(a.Path): // not sourced: in its own process
			return goal.IfNew
		}
	}
	if hasMention(o.scripts, rel) {
		return ""
	}
	// A program that no script names was started by a test, or by the work.
	starters := o.callers[a.Path]
	switch {
	case a.Use == process.UseExecute:
		starters = []int{a.Program}
	case len(starters) == 0:
		starters = o.callers[p.Path]
	}
	starters = slices.DeleteFunc(slices.Clone(starters), func(i int) bool {
		return i >= len(o.programs) || o.programs[i].isLauncher()
	})
	switch {
	case len(starters) == 0:
		return ""
	case role != goal.RoleProgram && !slices.ContainsFunc(starters, func(i int) bool { return !o.programs[i].isJudge() }):
		return goal.ByJudge
	}
	return goal.ByTest
}

// isNamed reports whether one of the words names the file, from the goal's folder or from that of the check.
func (o *observer) isNamed(words []string, rel string) bool {
	stem := rel
	if isCode(rel) { // python3 -m check, node check
		stem = strings.TrimSuffix(rel, path.Ext(rel))
	}
	names := func(file, module string) bool {
		return file == rel || file == stem || module == stem || file == path.Dir(rel) && mainName.MatchString(rel)
	}
	return slices.ContainsFunc(words, func(w string) bool {
		file, module := path.Clean(strings.TrimPrefix(w, o.Dir+"/")), strings.ReplaceAll(w, ".", "/")
		return names(file, module) || names(path.Join(o.At, file), path.Join(o.At, module)) ||
			path.Base(w) == path.Base(rel) && strings.Contains(w, "$")
	})
}

// hasMention reports whether a text contains the name of a file, or of its module or folder.
func hasMention(text, rel string) bool {
	base := path.Base(rel)
	if base == "__main__.py" || strings.HasPrefix(base, "index.") {
		base = path.Base(path.Dir(rel))
	}
	name := regexp.QuoteMeta(strings.TrimSuffix(base, path.Ext(base)))
	ok, err := regexp.MatchString(`(^|[^A-Za-z0-9_-])`+name+`($|[^A-Za-z0-9_-])`, text)
	return err != nil || ok
}

func (o *observer) describeProgram(p *program) goal.ObservedProgram {
	d := goal.ObservedProgram{
		Name: p.name, Command: p.command(), FromInput: p.fromInput, ReadsRepository: p.readsRepository,
		ReadsOnly: p.readsOnly(), Compares: p.compares(), Yardsticks: o.yardsticks(p),
	}
	lines := slices.Concat(o.lines, o.inline)
	d.IsFed = slices.ContainsFunc(lines, func(line string) bool { return shellline.Feeds(line, p.Args) })
	if p.isTextTool() {
		d.IsText = !slices.ContainsFunc(lines, func(line string) bool { return shellline.Examines(line, p.Args) })
	}
	for _, u := range o.out.Files {
		if u.Program < len(o.programs) && &o.programs[u.Program] == p &&
			(u.Role == goal.RoleMain || u.Role == goal.RoleScript) {
			d.Main = u.Path
			break
		}
	}
	if rel, ok := o.inFolder(p.Path); ok {
		d.Main = rel
	}
	if d.Main == "" && p.kind != kindShell {
		d.File = p.Path
		if p.kind == kindInterpreter && len(p.mains) > 0 {
			d.File = p.mains[0]
		}
	}
	return d
}

// yardsticks lists the files that a program compares others with, nil if its command line does not say which.
func (o *observer) yardsticks(p *program) (files []string) {
	for _, word := range p.yardstickWords() {
		if rel, ok := o.inFolder(p.absolute(word)); ok {
			files = append(files, rel)
		}
	}
	return files
}

// IsNamed reports whether the check's command names a file. If it is missing at the start, it is the work.
func (s Scope) IsNamed(rel string) bool {
	return (&observer{Scope: s}).isNamed(shellline.AllWords(s.Command), rel)
}
