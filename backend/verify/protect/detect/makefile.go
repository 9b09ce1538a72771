package detect

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/verify/fileio"
	"goalpost/backend/verify/shellline"
)

// addMake protects the targets that are made, and what their lines lead to.
func (f *Scanner) addMake(c shellline.Call, depth int) {
	dir := dirFlag(c, "-C", "--directory")
	name := ""
	for _, n := range []string{"GNUmakefile", "makefile", "Makefile"} { // in the order of make
		if f.isFile(path.Join(dir, n)) {
			name = n
			break
		}
	}
	at := shellline.Call{Dir: dir, Words: c.Words}
	file := dirFlag(at, "-f", "--file", "--makefile")
	if file == dir && name != "" {
		file = path.Join(dir, name)
		for _, n := range []string{"GNUmakefile", "makefile", "Makefile"} {
			if n == name {
				break
			}
			f.add(Protected{Path: path.Join(dir, n), Kind: KindForbiddenNew, Why: "make would take it instead of " + name})
		}
	}
	text, _, err := fileio.Read(f.root, file, MaxPartBytes)
	if err != nil {
		return
	}
	targets := makeTargets(c)
	f.addMakefile(dir, file, string(text), targets, 0)
	for _, name := range fakeableTargets(string(text), targets) {
		if _, err := f.root.Lstat(path.Join(dir, name)); err == nil {
			continue
		}
		f.add(Protected{
			Path: path.Join(dir, name),
			Kind: KindForbiddenNew,
			Part: AnyPart,
			Why:  "make would take the target " + name + " for made",
		})
	}
	if slices.Contains(f.unread, file) {
		return
	}
	sure := f.mandatoryLines(c, dir, string(text), targets)
	for _, line := range targetRecipes(string(text), targets) { // $(MAKE) is make again
		f.scanLine(line, shellline.Location{Dir: dir, Root: f.dir, Decides: slices.Contains(sure, line)}, depth+1)
	}
}

// mandatoryLines are the lines that make must run, and that must end with 0, for it to end
// with 0: those of the targets that are asked for, and nothing that depends on something.
func (f *Scanner) mandatoryLines(c shellline.Call, dir, text string, targets []string) []string {
	if !c.Decides || c.HasFlag("-n", "-q", "-t", "-i", "--dry-run", "--just-print", "--recon", "--question", "--touch",
		"--ignore-errors") ||
		strings.Contains(text, ".IGNORE") || conditional.MatchString(text) {
		return nil
	}
	rules, variables, _ := parseMake(text)
	for name := range variables {
		if shellline.RunnerEnvPattern.MatchString(name) {
			return nil
		}
	}
	var list []string
	for _, target := range defaultTargets(rules, targets) {
		if _, err := f.root.Lstat(path.Join(dir, target)); err == nil { // it may be made already
			return nil
		}
		for _, r := range rules {
			if !slices.Contains(r.targets, target) {
				continue
			}
			for _, l := range r.lines[1:] {
				l = strings.TrimSpace(l)
				if ignoreErrorPrefix.MatchString(l) || strings.HasSuffix(l, `\`) || strings.Contains(l, "$") {
					continue
				}
				list = append(list, strings.TrimLeft(l, "@-+"))
			}
		}
	}
	return list
}

var (
	conditional       = regexp.MustCompile(`(?m)^\s*(ifeq|ifneq|ifdef|ifndef|\.ONESHELL)\b`)
	ignoreErrorPrefix = regexp.MustCompile(`^[@+]*-`)
)

// addMakefile protects what of a Makefile decides, and what it includes.
func (f *Scanner) addMakefile(dir, file, text string, targets []string, depth int) {
	part := "make " + strings.Join(targets, " ")
	f.add(Protected{Path: file, Kind: KindMonitored, Part: part, Why: "the check makes this target"})
	if depth > 3 {
		return
	}
	for _, name := range includedFiles(text) {
		p, ok := (shellline.Call{Dir: dir}).PathInFolder(name)
		if !ok {
			continue
		}
		text, _, err := fileio.Read(f.root, p, MaxPartBytes)
		switch {
		case err == nil:
			f.addMakefile(dir, p, string(text), targets, depth+1)
		case errors.Is(err, fs.ErrNotExist):
			f.add(Protected{Path: p, Kind: KindForbiddenNew, Why: "the Makefile would include it"})
		}
	}
}

// makeTargets are the targets that a call of make names.
func makeTargets(c shellline.Call) []string {
	var list []string
	for i := 1; i < len(c.Words); i++ {
		switch w := c.Words[i]; {
		case slices.Contains([]string{"-C", "-f", "-j", "-o", "-W", "-I", "--directory", "--file", "--makefile"}, w):
			i++
		case w != "" && !strings.HasPrefix(w, "-") && !strings.Contains(w, "="):
			list = append(list, w)
		}
	}
	return list
}

// rule is one rule of a Makefile.
type makeRule struct {
	targets, needs []string
	lines          []string // heading and recipe
}

var (
	assignment = regexp.MustCompile(
		`^\s*(?:export\s+|override\s+)*(?:define\s+)?([A-Za-z0-9_.\-]+)\s*(?:::?:?|[?+!])?=`)
	plainReference = regexp.MustCompile(`\$(\([A-Za-z0-9_.\-]+\)|\{[A-Za-z0-9_.\-]+\})`)
	reference      = regexp.MustCompile(`\$[({]([A-Za-z0-9_.\-]+)`)
)

var (
	// plainTarget is a name that can only be made by asking for it.
	plainTarget = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./+-]*$`)
	// sideEffectFunctions are functions that do something when make reads the line.
	sideEffectFunctions = regexp.MustCompile(`\$[({]\s*(eval|call|shell|file|guile|load)\b|!=`)
	// environmentVariables are variables that programs and make itself look at, whether a rule names them or not.
	environmentVariables = regexp.MustCompile(
		`^(PATH|HOME|SHELL|ENV|BASH_ENV|IFS|LANG|TMPDIR|USER|LD_.*|GO[A-Z]*|PYTHON.*|NODE_.*|npm_.*|RUBY.*|PERL.*|JAVA_.*|MAVEN_.*|GRADLE_.*|CARGO.*|RUST.*|.*FLAGS|.*_OPTS|.*_ADDOPTS|\..*)$`)
	exporting     = regexp.MustCompile(`^\s*(override\s+)?export\b`)
	including     = regexp.MustCompile(`^\s*[-s]?include\s+(.*)$`)
	recursiveMake = regexp.MustCompile(`\$@|\$[({]@|(>|-o|\b(touch|tee|cp|mv|ln|install)\b[^|;&]*)\s+%s(\s|$)`)
)

// DecidingDefinitions is what of a Makefile decides how targets are made: their rules and
// those of what they need, the variables in them, and everything that is not
// plainly something else. Without targets the first one is meant.
func DecidingDefinitions(text string, targets []string) []string {
	rules, variables, rest := parseMake(text)
	wanted := requiredRules(rules, targets)
	out := append(slices.Clone(rest), phonyOf(rules, wanted)...)
	for _, r := range rules {
		switch {
		case slices.ContainsFunc(wanted, func(w makeRule) bool { return w.lines[0] == r.lines[0] }), !r.isTargetLocal():
			out = append(out, r.lines...)
		}
	}
	all := slices.ContainsFunc(out, func(l string) bool {
		return strings.TrimSpace(l) == "export" || strings.HasPrefix(l, ".EXPORT_ALL_VARIABLES")
	})
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if all || environmentVariables.MatchString(name) || slices.ContainsFunc(variables[name], func(l string) bool {
			return exporting.MatchString(l) || sideEffectFunctions.MatchString(l)
		}) {
			seen[name] = true
			out = append(out, variables[name]...)
		}
	}
	for i := 0; i < len(out); i++ { // out grows by the variables that its lines name
		for _, m := range reference.FindAllStringSubmatch(out[i], -1) {
			if name := m[1]; !seen[name] {
				seen[name] = true
				out = append(out, variables[name]...)
			}
		}
	}
	return out
}

// isTargetLocal says that a rule is about its own targets alone.
func (r makeRule) isTargetLocal() bool {
	if r.targets[0] == ".PHONY" { // see phonyOf
		return true
	}
	return !sideEffectFunctions.MatchString(r.lines[0]) && !slices.ContainsFunc(r.targets, func(t string) bool {
		return !plainTarget.MatchString(t)
	})
}

func phonyTargets(rules []makeRule) map[string]bool {
	all := map[string]bool{}
	for _, r := range rules {
		if r.targets[0] == ".PHONY" {
			for _, n := range r.needs {
				all[n] = true
			}
		}
	}
	return all
}

// phonyOf are those targets of rules that make makes whatever files there are.
func phonyOf(rules, wanted []makeRule) []string {
	all := phonyTargets(rules)
	var list []string
	for _, r := range wanted {
		for _, t := range r.targets {
			if all[t] && !slices.Contains(list, ".PHONY: "+t) {
				list = append(list, ".PHONY: "+t)
			}
		}
	}
	return list
}

// fakeableTargets are the targets whose lines make would leave out if a file of that
// name were there, and do not make such a file.
func fakeableTargets(text string, targets []string) []string {
	rules, _, _ := parseMake(text)
	all := phonyTargets(rules)
	var list []string
	for _, t := range defaultTargets(rules, targets) {
		for _, r := range rules {
			lines := strings.Join(r.lines[1:], "\n")
			own := regexp.MustCompile(strings.ReplaceAll(recursiveMake.String(), "%s", regexp.QuoteMeta(t)))
			if slices.Contains(r.targets, t) && !all[t] && lines != "" && plainTarget.MatchString(t) && !own.MatchString(lines) {
				list = append(list, t)
			}
		}
	}
	return list
}

// includedFiles are the files that a Makefile includes, as far as they are named plainly.
func includedFiles(text string) []string {
	var list []string
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		if m := including.FindStringSubmatch(line); m != nil {
			for _, w := range strings.Fields(m[1]) {
				if !strings.ContainsAny(w, "$*?[") {
					list = append(list, w)
				}
			}
		}
	}
	return list
}

// targetRecipes are the shell lines that make the targets, as far as they are plain.
func targetRecipes(text string, targets []string) []string {
	rules, variables, _ := parseMake(text)
	value := func(ref string) string {
		name := strings.Trim(ref, "$(){}")
		lines := variables[name]
		if len(lines) == 0 {
			return map[string]string{"MAKE": "make"}[name]
		}
		_, v, _ := strings.Cut(lines[len(lines)-1], "=")
		return strings.TrimSpace(v)
	}
	var list []string
	for _, r := range requiredRules(rules, targets) {
		for _, l := range r.lines[1:] {
			l = plainReference.ReplaceAllStringFunc(l, value)
			list = append(list, strings.TrimLeft(strings.TrimSpace(l), "@-+"))
		}
	}
	return list
}

// requiredRules are the rules of targets and of everything that they need.
func requiredRules(rules []makeRule, targets []string) []makeRule {
	want := map[string]bool{}
	for _, t := range defaultTargets(rules, targets) {
		want[t] = true
	}
	for again := true; again; {
		again = false
		for _, r := range rules {
			if !slices.ContainsFunc(r.targets, func(t string) bool { return want[t] }) {
				continue
			}
			for _, n := range r.needs {
				again = again || !want[n]
				want[n] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(rules), func(r makeRule) bool {
		return !slices.ContainsFunc(r.targets, func(t string) bool { return want[t] })
	})
}

// defaultTargets are the targets, or the one that make takes where none is named.
func defaultTargets(rules []makeRule, targets []string) []string {
	if len(targets) > 0 {
		return targets
	}
	for _, r := range rules {
		if !strings.HasPrefix(r.targets[0], ".") {
			return r.targets[:1]
		}
	}
	return nil
}

// parseMake splits a Makefile into rules, assignments by variable, and the lines
// that concern every rule (includes, conditions).
func parseMake(text string) (rules []makeRule, variables map[string][]string, rest []string) {
	variables = map[string][]string{}
	current, define := -1, ""
	for _, line := range strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n") {
		line = strings.TrimRight(line, " \t\r")
		trimmed := strings.TrimSpace(line)
		heading, needs, isRule := strings.Cut(line, ":")
		switch m := assignment.FindStringSubmatch(line); {
		case define != "":
			variables[define] = append(variables[define], line)
			if trimmed == "endef" {
				define = ""
			}
		case strings.HasPrefix(line, "\t"):
			if current >= 0 {
				rules[current].lines = append(rules[current].lines, line)
			}
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
		case strings.HasPrefix(trimmed, "define "):
			define = strings.Fields(strings.TrimSuffix(trimmed, "="))[1]
			variables[define] = append(variables[define], line)
		case m != nil:
			variables[m[1]] = append(variables[m[1]], line)
			current = -1
		case isRule:
			needs, recipe, inline := strings.Cut(strings.TrimLeft(needs, ":"), ";")
			r := makeRule{targets: strings.Fields(heading), needs: strings.Fields(needs), lines: []string{line}}
			if inline {
				r.lines = append(r.lines, recipe)
			}
			if len(r.targets) == 0 {
				continue
			}
			rules = append(rules, r)
			current = len(rules) - 1
		default:
			rest = append(rest, line)
			current = -1
		}
	}
	return rules, variables, rest
}
