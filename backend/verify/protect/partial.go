package protect

import (
	"encoding/json"
	"regexp"
	"strings"
)

var (
	pytestHeading     = regexp.MustCompile(`^\[\[?\s*(tool[.:])?\s*"?pytest`)
	cargoFreeSections = regexp.MustCompile(
		`^\[\[?\s*"?(target\..*\.)?"?(dev-|build-)?dependencies|^\[\[?\s*(badges|package\.metadata|lints)`)
	// goModReplaces is what a go.mod takes from elsewhere than where it is named.
	goModReplaces = regexp.MustCompile(`(?ms)^\s*replace\s*\(.*?^\s*\)|^[ \t]*replace\s[^\n]*`)
	// gradleFreeBlocks are the dependencies of the project: those of its build scripts are in another block.
	gradleFreeBlocks  = regexp.MustCompile(`(?m)^dependencies\s*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}`)
	mavenFreeElements = regexp.MustCompile(
		`(?s)<dependencies>.*?</dependencies>|<(description|url|version|name)>[^<]*</(description|url|version|name)>|<!--.*?-->`)
)

// decidingPart is the text of a file that must stay as it is; name is a Protected.Part.
func decidingPart(name string, text []byte) string {
	switch name {
	case "scripts":
		return decidingScripts(text)
	case "replace":
		return normalizeText(strings.Join(goModReplaces.FindAllString(string(text), -1), "\n"))
	case "pytest":
		return matchingSections(string(text), pytestHeading.MatchString)
	case "cargo":
		return matchingSections(string(text), func(heading string) bool { return !cargoFreeSections.MatchString(heading) })
	case "maven":
		return normalizeText(withoutDependencies(string(text)))
	case "gradle":
		return normalizeText(gradleFreeBlocks.ReplaceAllString(string(text), ""))
	}
	return string(text)
}

// compareParts returns the part of two texts that must stay as it is, and whether it has.
func compareParts(name string, was, is []byte) (before, after string, same bool) {
	before, after = decidingPart(name, was), decidingPart(name, is)
	return before, after, before == after || isAllowedGrowth(name, before, after)
}

// isAllowedGrowth says whether a part may have become more without being changed: new
// scripts are the agent's business, unless npm would run them by themselves.
func isAllowedGrowth(name, was, is string) bool {
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
var packageSettings = []string{"jest", "mocha", "ava", "vitest", "tap", "c8", "nyc", "workspaces", "packageManager"}

// decidingScripts is what of a package.json decides: its scripts, each under scripts.NAME,
// and the settings of runners. A file that is not JSON stands for itself.
func decidingScripts(text []byte) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(text, &all) != nil {
		return string(text)
	}
	out := map[string]any{}
	var scripts map[string]string
	if json.Unmarshal(all["scripts"], &scripts) == nil {
		for name, script := range scripts {
			out["scripts."+name] = script
		}
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

// matchingSections are those parts of an ini or toml file whose heading matches; what
// stands before the first has none, "".
func matchingSections(text string, matches func(heading string) bool) string {
	var b strings.Builder
	in := matches("")
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "[") {
			in = matches(trimmed)
		}
		if line = strings.TrimRight(line, " \t\r\n"); in && line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// normalizeText is a text without what only a reader sees: indentation and empty lines.
func normalizeText(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// withoutDependencies is a pom.xml without what may change: dependencies of the
// project (those of its plugins run with the tests) and what describes it.
func withoutDependencies(text string) string {
	before, build, _ := strings.Cut(text, "<build>")
	inner, after, found := strings.Cut(build, "</build>")
	if !found {
		return mavenFreeElements.ReplaceAllString(before, "") + build
	}
	return mavenFreeElements.ReplaceAllString(before, "") + inner + mavenFreeElements.ReplaceAllString(after, "")
}
