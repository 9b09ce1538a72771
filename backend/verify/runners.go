package verify

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/ignore"
)

// testRunner is what a known test runner reads and loads by itself. Patterns are
// relative to the folder that it runs in.
type testRunner struct {
	name  string
	tests *regexp.Regexp // paths of test files
	// parts are settings that must not change, by file; those of which all counts
	// must not appear either.
	parts map[string]string
	// appear are files that it would load if they were there, anywhere below.
	appear []string
	// holding are texts that make a new test file a setting, by pattern.
	holding map[string]string
}

var (
	jsTests = regexp.MustCompile(`(^|/)([^/]+[._-](test|spec)|test)\.[cm]?[jt]sx?$|(^|/)(__tests__|tests?|spec)/.*\.([cm]?[jt]sx?|json|snap)$`)
	js      = testRunner{
		name: "the JavaScript tests", tests: jsTests,
		parts:  map[string]string{"package.json": "scripts", ".npmrc": "", ".yarnrc": "", ".yarnrc.yml": "", ".pnpmfile.cjs": ""},
		appear: []string{"jest.config.*", "vitest.config.*", "vitest.workspace.*", ".mocharc*", "ava.config.*", "karma.conf.*", "playwright.config.*"},
	}
	golang = testRunner{
		name: "go test", tests: regexp.MustCompile(`_test\.go$|(^|/)testdata/`),
		appear: []string{"go.work"}, holding: map[string]string{"*_test.go": "func TestMain("},
	}
	pytest = testRunner{
		name:   "pytest",
		tests:  regexp.MustCompile(`(^|/)(test_[^/]*|[^/]*_test|tests?)\.py$|(^|/)tests?/.*\.(py|json|txt|csv|ya?ml)$`),
		parts:  map[string]string{"pyproject.toml": "pytest", "setup.cfg": "pytest", "tox.ini": "pytest"},
		appear: []string{"conftest.py", "pytest.ini", ".pytest.ini", "sitecustomize.py", "usercustomize.py", "/pytest.py", "/unittest.py", "/pytest/__init__.py", "/unittest/__init__.py"},
	}
	cargo = testRunner{
		name: "cargo test", tests: regexp.MustCompile(`(^|/)tests/.*\.rs$`),
		parts: map[string]string{"Cargo.toml": "cargo", ".cargo/config.toml": "", ".cargo/config": ""},
	}
	maven = testRunner{
		name: "mvn", tests: regexp.MustCompile(`(^|/)src/test/`),
		parts: map[string]string{"pom.xml": "maven", ".mvn/maven.config": "", ".mvn/jvm.config": "", ".mvn/extensions.xml": ""},
	}
	gradle = testRunner{
		name: "gradle", tests: regexp.MustCompile(`(^|/)src/(test|[^/]*Test)/`),
		parts: map[string]string{"build.gradle": "gradle", "build.gradle.kts": "gradle", "gradle.properties": "", "gradle/wrapper/gradle-wrapper.properties": ""},
	}
)

// runner finds what a known runner reads.
func (f *finder) runner(c call, depth int) {
	if c.Lost {
		return
	}
	name := strings.TrimSuffix(path.Base(c.word()), "w") // mvnw, gradlew
	args := c.Words[min(1, len(c.Words)):]
	has := func(words ...string) bool {
		return slices.ContainsFunc(args, func(w string) bool { return slices.Contains(words, w) })
	}
	switch base := path.Base(c.word()); {
	case slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, base):
		f.npm(c, depth)
	case slices.Contains([]string{"jest", "vitest", "mocha", "ava", "tap", "karma", "playwright"}, base), base == "node" && has("--test"):
		f.tests(c.Dir, js)
	case base == "go" && has("test"):
		f.tests(flagged(c, "-C"), golang)
	case slices.Contains([]string{"pytest", "py.test", "tox", "nox"}, base):
		f.tests(c.Dir, pytest)
	case regexp.MustCompile(`^python[0-9.]*$`).MatchString(base) && has("-m") && has("pytest", "unittest", "tox", "nox"):
		f.tests(c.Dir, pytest)
	case slices.Contains([]string{"uv", "poetry", "pipenv", "pdm", "hatch", "rye"}, base) && len(args) > 1 && args[0] == "run":
		f.call(call{Dir: c.Dir, Words: args[1:], Stdin: c.Stdin}.bare(), depth)
	case base == "cargo" && has("test", "t", "nextest"):
		f.tests(c.Dir, cargo)
	case base == "make" || base == "gmake":
		f.make(c, depth)
	case name == "mvn":
		f.tests(c.Dir, maven)
	case name == "gradle":
		f.tests(c.Dir, gradle)
	}
}

// tests protects the tests of a runner that runs in dir, and its settings.
func (f *finder) tests(dir string, r testRunner) {
	below := func(p string) (string, bool) {
		if dir == "." {
			return p, true
		}
		return strings.CutPrefix(p, dir+"/")
	}
	f.held(func(p string) bool {
		rel, ok := below(p)
		return ok && r.tests.MatchString(rel)
	}, "an existing test of "+r.name)
	for file, part := range r.parts {
		f.compared(path.Join(dir, file), part, "a setting of "+r.name)
	}
	for _, pattern := range r.appear {
		f.appear(dir, pattern, "", r.name+" would load it by itself", below)
	}
	for pattern, text := range r.holding {
		f.appear(dir, pattern, text, "it would decide how "+r.name+" ends", below)
	}
}

// appear forbids new files of a name, and changes of those that are there.
func (f *finder) appear(dir, pattern, holding, why string, below func(string) (string, bool)) {
	g, err := ignore.New(pattern)
	if err != nil {
		return // the patterns are written above and tried by a test
	}
	if holding == "" {
		for _, e := range f.entries {
			if rel, ok := below(e.Path); ok && e.regular() && g.Match(rel) {
				f.add(Protected{Path: e.Path, Kind: Compared, Why: why})
			}
		}
	}
	where := strings.TrimPrefix(pattern, "/")
	if where == pattern { // at any depth
		where = "**/" + where
	}
	f.add(Protected{Path: path.Join(dir, where), Kind: Appears, Holding: holding, Why: why})
}

// flagged is the folder that a flag names, seen from the call's own.
func flagged(c call, flags ...string) string {
	for i, w := range c.Words {
		for _, flag := range flags {
			value, joined := strings.CutPrefix(w, flag+"=")
			if w == flag && i+1 < len(c.Words) {
				value, joined = c.Words[i+1], true
			}
			if joined {
				if p, ok := c.inside(value); ok {
					return p
				}
			}
		}
	}
	return c.Dir
}

// npm protects the scripts, and what the script that is run leads to.
func (f *finder) npm(c call, depth int) {
	dir := flagged(c, "--prefix", "-C", "--dir", "--cwd")
	var words []string
	for _, w := range c.Words[1:] {
		if w != "" && !strings.HasPrefix(w, "-") && w != "run" && w != "run-script" {
			words = append(words, w)
		}
	}
	if len(words) == 0 {
		return
	}
	if slices.Contains([]string{"exec", "dlx", "x"}, words[0]) {
		f.call(call{Dir: dir, Words: words[1:]}.bare(), depth)
		return
	}
	if slices.Contains([]string{"t", "tst"}, words[0]) {
		words[0] = "test"
	}
	text, _, err := read(f.root, path.Join(dir, "package.json"), partMax)
	if err != nil {
		f.tests(dir, js)
		return
	}
	all := scriptsOf(text)
	tested := false
	for _, w := range words {
		for _, name := range []string{"pre" + w, w, "post" + w} {
			if script, ok := all[name]; ok {
				f.line(script, dir, depth+1)
				tested = true
			}
		}
	}
	if tested || words[0] == "test" {
		f.tests(dir, js)
	}
}

// make protects the targets that are made, and what their lines lead to.
func (f *finder) make(c call, depth int) {
	dir := flagged(c, "-C", "--directory")
	name := ""
	for _, n := range []string{"GNUmakefile", "makefile", "Makefile"} { // in the order of make
		if f.isFile(path.Join(dir, n)) {
			name = n
			break
		}
	}
	at := call{Dir: dir, Words: c.Words}
	file := flagged(at, "-f", "--file", "--makefile")
	if file == dir && name != "" {
		file = path.Join(dir, name)
		for _, n := range []string{"GNUmakefile", "makefile", "Makefile"} {
			if n == name {
				break
			}
			f.add(Protected{Path: path.Join(dir, n), Kind: Appears, Why: "make would take it instead of " + name})
		}
	}
	text, _, err := read(f.root, file, partMax)
	if err != nil {
		return
	}
	targets := goals(c)
	f.add(Protected{Path: file, Kind: Compared, Part: "make " + strings.Join(targets, " "), Why: "the check makes this target"})
	for _, line := range recipes(string(text), targets) { // $(MAKE) is make again
		f.line(line, dir, depth+1)
	}
}

// goals are the targets that a call of make names.
func goals(c call) []string {
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
