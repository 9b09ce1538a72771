package protect

import (
	"encoding/json"
	"path"
	"strings"

	"goalpost/backend/lib/text"
)

var (
	pytestHeading     = text.NewPattern(`^\[\[?\s*(tool[.:])?\s*"?pytest`)
	cargoFreeSections = text.NewPattern(
		`^\[\[?\s*"?(target\..*\.)?"?(dev-|build-)?dependencies|^\[\[?\s*(badges|package\.metadata|lints)`)
	// goModReplaces matches the replace directives of a go.mod, which take modules from another source.
	goModReplaces = text.NewPattern(`(?ms)^\s*replace\s*\(.*?^\s*\)|^[ \t]*replace\s[^\n]*`)
	// gradleFreeBlocks matches the dependencies of the project. Those of its build scripts are in another block.
	gradleFreeBlocks  = text.NewPattern(`(?m)^dependencies\s*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}`)
	mavenFreeElements = text.NewPattern(
		`(?s)<dependencies>.*?</dependencies>|` +
			`<(description|url|version|name)>[^<]*</(description|url|version|name)>|<!--.*?-->`)
)

// decidingPart returns the part of a file that must not change; name is an Item.Part.
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

// compareParts returns the part of two texts that must not change, and whether it is unchanged.
func compareParts(name string, was, is []byte) (before, after string, same bool) {
	before, after = decidingPart(name, was), decidingPart(name, is)
	return before, after, before == after || isAllowedGrowth(name, before, after)
}

// isAllowedGrowth reports whether additions to a part are allowed: the agent may add scripts, unless npm would run
// them automatically.
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

// packageSettings are the settings of runners in package.json.
var packageSettings = []string{"jest", "mocha", "ava", "vitest", "tap", "c8", "nyc", "workspaces", "packageManager"}

// decidingScripts returns the deciding part of a package.json: its scripts, each as scripts.NAME, and the settings
// of runners. It returns a file that is not JSON unchanged.
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
			var plain any // normalizes spaces and the order of keys
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

// matchingSections returns the sections of an ini or toml file whose heading matches. The heading of what precedes
// the first section is "".
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

// normalizeText returns a text without indentation and empty lines.
func normalizeText(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// withoutDependencies returns a pom.xml without the parts that may change: the dependencies of the project and its
// description. Dependencies of its plugins stay, because they run with the tests.
func withoutDependencies(text string) string {
	before, build, _ := strings.Cut(text, "<build>")
	inner, after, found := strings.Cut(build, "</build>")
	if !found {
		return mavenFreeElements.ReplaceAllString(before, "") + build
	}
	return mavenFreeElements.ReplaceAllString(before, "") + inner + mavenFreeElements.ReplaceAllString(after, "")
}

// maxPartBytes is the longest file of which only a part is compared, in bytes.
const maxPartBytes = 4 << 20

// settingsParts maps settings files with many uses to the part that decides.
var settingsParts = map[string]string{
	"package.json": "scripts", "pyproject.toml": "pytest", "setup.cfg": "pytest", "tox.ini": "pytest",
	"Cargo.toml": "cargo", "go.mod": "replace", "pom.xml": "maven", "build.gradle": "gradle", "build.gradle.kts": "gradle",
}

// HasSameDecision reports whether the deciding part of a settings file is the same in two texts. It is false for other
// files.
func HasSameDecision(file string, was, is []byte) bool {
	part, ok := settingsParts[path.Base(file)]
	if ok {
		_, _, ok = compareParts(part, was, is)
	}
	return ok
}
