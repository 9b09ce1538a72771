package protect

import (
	"path"
	"strings"

	"goalpost/backend/lib/text"
)

// manifests are the files that say what a project needs and how its tests run, so that honest work changes them, too.
// The functions return what remains if dependencies may change; nil is for files that tools read again only when they
// install.
var manifests = map[string]func(text string) string{
	"go.mod":     func(text string) string { return strings.Join(goModReplaces.FindAllString(text, -1), "\n") },
	"Cargo.toml": withoutCargoDependencies,
	"pom.xml":    withoutMavenDependencies,
	"build.gradle": func(text string) string {
		return gradleDependencies.ReplaceAllString(text, "")
	},
	"build.gradle.kts": func(text string) string {
		return gradleDependencies.ReplaceAllString(text, "")
	},
	"package.json": nil, "pyproject.toml": nil, "setup.cfg": nil, "tox.ini": nil,
}

// maxManifestBytes is the longest manifest that is compared, in bytes.
const maxManifestBytes = 4 << 20

// IsManifest reports whether a file is the manifest of a project, by its name.
func IsManifest(file string) bool {
	_, ok := manifests[path.Base(file)]
	return ok
}

// HasSameDecision reports whether two texts of a manifest differ only in the dependencies of the project. It is false
// for other files.
func HasSameDecision(file string, was, is []byte) bool {
	remainder := manifests[path.Base(file)]
	return remainder != nil && normalizeText(remainder(string(was))) == normalizeText(remainder(string(is)))
}

var (
	cargoDependencies = text.NewPattern(
		`^\[\[?\s*"?(target\..*\.)?"?(dev-|build-)?dependencies|^\[\[?\s*(badges|package\.metadata|lints)`)
	// goModReplaces matches the replace directives of a go.mod, which take modules from another source.
	goModReplaces = text.NewPattern(`(?ms)^\s*replace\s*\(.*?^\s*\)|^[ \t]*replace\s[^\n]*`)
	// gradleDependencies matches the dependencies of the project. Those of its build scripts are in another block.
	gradleDependencies = text.NewPattern(`(?m)^dependencies\s*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}`)
	mavenFreeElements  = text.NewPattern(
		`(?s)<dependencies>.*?</dependencies>|` +
			`<(description|url|version|name)>[^<]*</(description|url|version|name)>|<!--.*?-->`)
)

// withoutCargoDependencies returns a Cargo.toml without the sections that may change.
func withoutCargoDependencies(text string) string {
	var b strings.Builder
	skip := false
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "[") {
			skip = cargoDependencies.MatchString(trimmed)
		}
		if !skip {
			b.WriteString(line)
		}
	}
	return b.String()
}

// withoutMavenDependencies returns a pom.xml without the parts that may change: the dependencies of the project and
// its description. Dependencies of its plugins stay, because they run with the tests.
func withoutMavenDependencies(text string) string {
	before, build, _ := strings.Cut(text, "<build>")
	inner, after, found := strings.Cut(build, "</build>")
	if !found {
		return mavenFreeElements.ReplaceAllString(before, "") + build
	}
	return mavenFreeElements.ReplaceAllString(before, "") + inner + mavenFreeElements.ReplaceAllString(after, "")
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
