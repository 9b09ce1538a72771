package ignore

import (
	"slices"
	"strings"
)

// generatedDirs are folders that programs fill automatically. They are never searched.
var generatedDirs = []string{
	".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".gradle", ".tox",
	".pytest_cache", ".mypy_cache",
}

// IsGenerated reports whether programs fill folders of that name automatically.
func IsGenerated(name string) bool { return slices.Contains(generatedDirs, name) }

// Rules holds the rules of the .gitignore files in a folder and below, by the path of the folder that has the file (""
// is the top).
type Rules map[string][]Rule

// Rule is one line of a .gitignore.
type Rule struct {
	Glob
	keep bool // a rule with !
}

// Ignored reports whether git would ignore path: later rules win.
func (r Rules) Ignored(path string, isFolder bool) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if isFolder && IsGenerated(name) {
		return true
	}
	out := false
	r.at("", path, isFolder, &out)
	for i := range len(path) {
		if path[i] == '/' {
			r.at(path[:i], path[i+1:], isFolder, &out)
		}
	}
	return out
}

// at applies the rules of one folder to rel, which is relative to it.
func (r Rules) at(folder, rel string, isFolder bool, out *bool) {
	for _, rule := range r[folder] {
		if (isFolder || !rule.folder) && rule.Match(rel) {
			*out = !rule.keep
		}
	}
}

// ParseRules parses the lines of a .gitignore. Lines that cannot be parsed are skipped.
func ParseRules(lines []string) []Rule {
	var rules []Rule
	for _, line := range lines {
		pattern, keep := strings.CutPrefix(line, "!")
		if g, err := New(pattern); err == nil {
			rules = append(rules, Rule{g, keep})
		}
	}
	return rules
}

// Lines returns the lines of a .gitignore that are neither empty nor comments.
func Lines(text []byte) []string {
	var lines []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if !strings.HasSuffix(line, `\ `) {
			line = strings.TrimRight(line, " ")
		}
		if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}
