package verify

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// partMax is the longest file of which a part is compared, in bytes.
const partMax = 4 << 20

var (
	pytestHeading = regexp.MustCompile(`^\[\[?\s*(tool[.:])?\s*"?pytest`)
	cargoHeading  = regexp.MustCompile(`^\[\[?\s*(test|lib|profile\.test|target\..*runner)`)
	gradleHeading = regexp.MustCompile(`(?i)test`)
	mavenTests    = regexp.MustCompile(`(?s)<build>.*?</build>|<profiles>.*?</profiles>|<[^<>/]*([sS]kip|[tT]est|surefire|failsafe)[^<>/]*>[^<]*</`)
)

// partOf is the text of a file that must stay as it is; name is a Protected.Part.
func partOf(name string, text []byte) string {
	kind, rest, _ := strings.Cut(name, " ")
	switch kind {
	case "":
		return string(text)
	case "scripts":
		return scripts(text)
	case "make":
		return lines(definition(string(text), strings.Fields(rest)))
	case "pytest":
		return sections(string(text), pytestHeading)
	case "cargo":
		return sections(string(text), cargoHeading)
	case "maven":
		return lines(mavenTests.FindAllString(string(text), -1))
	case "gradle":
		return blocks(string(text), gradleHeading)
	}
	return string(text)
}

func lines(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, "\n") + "\n"
}

// grown says whether a part may have become more without being changed: new
// scripts are the agent's business, unless npm would run them by themselves.
func grown(name, was, is string) bool {
	if name != "scripts" {
		return false
	}
	var before, after map[string]json.RawMessage
	if json.Unmarshal([]byte(was), &before) != nil || json.Unmarshal([]byte(is), &after) != nil {
		return false
	}
	for key, v := range before {
		if string(after[key]) != string(v) {
			return false
		}
	}
	for key := range after {
		if _, old := before[key]; old {
			continue
		}
		script, ok := strings.CutPrefix(key, "scripts.")
		if !ok { // the settings of a runner
			return false
		}
		for _, hook := range []string{"pre", "post"} {
			if of, ok := strings.CutPrefix(script, hook); ok && before["scripts."+of] != nil {
				return false
			}
		}
	}
	return true
}

// settings of runners that live in package.json.
var packageSettings = []string{"jest", "mocha", "ava", "vitest", "tap", "c8", "nyc", "workspaces"}

// scripts is what of a package.json decides: its scripts, each under scripts.NAME,
// and the settings of runners. A file that is not JSON stands for itself.
func scripts(text []byte) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(text, &all) != nil {
		return string(text)
	}
	out := map[string]any{}
	for name, script := range scriptsOf(text) {
		out["scripts."+name] = script
	}
	for _, name := range packageSettings {
		if v, ok := all[name]; ok {
			var plain any // without its spaces and the order of its keys
			if json.Unmarshal(v, &plain) == nil {
				out[name] = plain
			}
		}
	}
	b, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return string(text)
	}
	return string(b) + "\n"
}

// scriptsOf are the scripts of a package.json; none if it cannot be read.
func scriptsOf(text []byte) map[string]string {
	var p struct {
		Scripts map[string]string `json:"scripts"`
	}
	if json.Unmarshal(text, &p) != nil {
		return nil
	}
	return p.Scripts
}

// sections are those parts of an ini or toml file whose heading matches.
func sections(text string, heading *regexp.Regexp) string {
	var b strings.Builder
	in := false
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "[") {
			in = heading.MatchString(trimmed)
		}
		if in {
			b.WriteString(strings.TrimRight(line, " \t\r\n") + "\n")
		}
	}
	return b.String()
}

// blocks are the { … } of a Gradle file whose heading matches, with the lines
// outside of any block that do.
func blocks(text string, heading *regexp.Regexp) string {
	var b strings.Builder
	depth, in := 0, -1 // in: the depth at which a matching block began
	for line := range strings.Lines(text) {
		if in < 0 && heading.MatchString(line) && !strings.Contains(line, "mplementation") {
			in = depth
		}
		if in >= 0 {
			b.WriteString(strings.TrimSpace(line) + "\n")
		}
		depth += strings.Count(line, "{") - strings.Count(line, "}")
		if in >= 0 && depth <= in {
			in = -1
		}
	}
	return b.String()
}

// rule is one rule of a Makefile.
type makeRule struct {
	targets, needs []string
	lines          []string // heading and recipe
}

var (
	assignment     = regexp.MustCompile(`^\s*(?:export\s+|override\s+)*(?:define\s+)?([A-Za-z0-9_.\-]+)\s*(?:::?:?|[?+!])?=`)
	plainReference = regexp.MustCompile(`\$(\([A-Za-z0-9_.\-]+\)|\{[A-Za-z0-9_.\-]+\})`)
	reference      = regexp.MustCompile(`\$[({]([A-Za-z0-9_.\-]+)`)
)

// definition is what of a Makefile decides how targets are made: their rules and
// those of what they need, the variables in them, and what concerns every rule.
// Without targets the first one is meant.
func definition(text string, targets []string) []string {
	rules, variables, rest := parseMake(text)
	out := slices.Clone(rest)
	for _, r := range needed(rules, targets) {
		out = append(out, r.lines...)
	}
	seen := map[string]bool{}
	for i := 0; i < len(out); i++ { // out grows by the variables that its lines name
		for _, m := range reference.FindAllStringSubmatch(out[i], -1) {
			if name := m[1]; !seen[name] {
				seen[name] = true
				out = append(out, variables[name]...)
			}
		}
	}
	for _, name := range []string{"SHELL", ".SHELLFLAGS", "MAKEFLAGS", ".DEFAULT_GOAL", ".RECIPEPREFIX", "PATH"} {
		if !seen[name] {
			out = append(out, variables[name]...)
		}
	}
	return out
}

// recipes are the shell lines that make the targets, as far as they are plain.
func recipes(text string, targets []string) []string {
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
	for _, r := range needed(rules, targets) {
		for _, l := range r.lines[1:] {
			l = plainReference.ReplaceAllStringFunc(l, value)
			list = append(list, strings.TrimLeft(strings.TrimSpace(l), "@-+"))
		}
	}
	return list
}

// needed are the rules of targets and of everything that they need.
func needed(rules []makeRule, targets []string) []makeRule {
	if len(targets) == 0 {
		for _, r := range rules {
			if !strings.HasPrefix(r.targets[0], ".") {
				targets = r.targets[:1]
				break
			}
		}
	}
	want := map[string]bool{}
	for _, t := range targets {
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

// partName says in words what of a file is compared.
func partName(p Protected) string {
	kind, rest, _ := strings.Cut(p.Part, " ")
	switch kind {
	case "":
		return p.Path
	case "make":
		if rest == "" {
			rest = "the first target"
		}
		return fmt.Sprintf("%s (%s)", p.Path, rest)
	}
	return fmt.Sprintf("%s (%s)", p.Path, kind)
}
