package detect

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/ignore"
	"goalpost/backend/verify/shellline"
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
	// holding are texts that make a new test file a setting, by pattern: regular expressions.
	holding map[string]string
}

var (
	jsTests = regexp.MustCompile(
		`(^|/)([^/]+[._-](test|spec)|test)\.[cm]?[jt]sx?$|(^|/)(__tests__|tests?|spec)/.*\.([cm]?[jt]sx?|json|snap)$|(^|/)__snapshots__/`)
	js = testRunner{
		name: "the JavaScript tests", tests: jsTests,
		parts: map[string]string{
			"package.json":  "scripts",
			".npmrc":        "",
			".yarnrc":       "",
			".yarnrc.yml":   "",
			".pnpmfile.cjs": "",
			"bunfig.toml":   "",
			".pnp.cjs":      "",
		},
		appear: []string{
			"jest.config.*", "vitest.config.*", "vitest.workspace.*", "vite.config.*", "babel.config.*", ".babelrc*",
			".mocharc*", "ava.config.*",
			"karma.conf.*", "playwright.config.*", "/.yarn/releases/*", "/.yarn/plugins/**", "/pnpm-workspace.yaml",
			"/__mocks__/**", // jest takes them instead of what is installed
		},
	}
	golang = testRunner{
		name:    "go test",
		tests:   regexp.MustCompile(`_test\.go$|(^|/)testdata/`),
		parts:   map[string]string{"go.mod": "replace"},
		appear:  []string{"go.work"},
		holding: map[string]string{"*_test.go": `func\s+(TestMain|init)\s*\(|\b(os|syscall)\.Exit\b`},
	}
	pytest = testRunner{
		name: "pytest",
		tests: regexp.MustCompile(
			`(^|/)(test_[^/]*|[^/]*_test|tests?)\.py$|(^|/)tests?/.*\.(py|json|txt|csv|ya?ml)$|(^|/)__snapshots__/`),
		parts: map[string]string{"pyproject.toml": "pytest", "setup.cfg": "pytest", "tox.ini": "pytest"},
		appear: append([]string{
			"conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "sitecustomize.py", "usercustomize.py",
			"*.egg-info/entry_points.txt", "*.dist-info/entry_points.txt",
		}, shadowModules...),
		holding: map[string]string{
			"test_*.py":   pytestPluginPattern,
			"*_test.py":   pytestPluginPattern,
			"__init__.py": `\bload_tests\b`,
		},
	}
	cargo = testRunner{
		name: "cargo test", tests: regexp.MustCompile(`(^|/)tests/.*\.rs$|(^|/)snapshots/.*\.snap$`),
		parts: map[string]string{
			"Cargo.toml":           "cargo",
			".cargo/config.toml":   "",
			".cargo/config":        "",
			"rust-toolchain.toml":  "",
			"rust-toolchain":       "",
			".config/nextest.toml": "",
			"build.rs":             "",
		},
	}
	maven = testRunner{
		name: "mvn", tests: regexp.MustCompile(`(^|/)src/test/`),
		parts: map[string]string{
			"pom.xml":                               "maven",
			".mvn/maven.config":                     "",
			".mvn/jvm.config":                       "",
			".mvn/extensions.xml":                   "",
			".mvn/wrapper/maven-wrapper.properties": "",
			".mvn/wrapper/maven-wrapper.jar":        "",
		},
	}
	gradle = testRunner{
		name: "gradle", tests: regexp.MustCompile(`(^|/)src/(test|[^/]*Test)/`),
		parts: map[string]string{
			"build.gradle":                             "gradle",
			"build.gradle.kts":                         "gradle",
			"settings.gradle":                          "",
			"settings.gradle.kts":                      "",
			"gradle.properties":                        "",
			"gradle/wrapper/gradle-wrapper.properties": "",
			"gradle/wrapper/gradle-wrapper.jar":        "",
		},
		appear: []string{"/buildSrc/src/**", "/buildSrc/*.gradle*"},
	}
)

// pytestPluginPattern is what makes a module of tests load plugins into pytest.
const pytestPluginPattern = `(?m)^\s*pytest_plugins\b`

// shadowModules are modules that Python's test runners import before a test runs, and
// would take from the folder that they run in. It is no whole list: what a test
// imports is the work, and a module of the work can end the runner as well.
var shadowModules = func() []string {
	var list []string
	for _, name := range []string{
		"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "py", "exceptiongroup", "pygments", "tomli", "unittest",
		"abc", "argparse", "ast", "asyncio",
		"bdb", "bisect", "collections", "contextlib", "copy", "dataclasses", "datetime", "difflib", "dis", "enum", "fnmatch",
		"functools", "gc", "glob",
		"importlib", "inspect", "io", "itertools", "json", "keyword", "linecache", "locale", "logging", "operator", "os",
		"pathlib", "pdb", "pkgutil", "platform",
		"pprint", "random", "re", "runpy", "shlex", "shutil", "signal", "site", "stat", "string", "struct", "subprocess",
		"sysconfig", "tempfile", "textwrap",
		"threading", "time", "token", "tokenize", "tomllib", "traceback", "types", "typing", "uuid", "warnings", "weakref",
		"zipfile", "zipimport",
	} {
		list = append(list, "/"+name+".py*", "/"+name+".*so", "/"+name+"/__init__.*") // as source, compiled, or a library
	}
	return list
}()

// scanRunner finds what a known runner reads.
func (f *Scanner) scanRunner(c shellline.Call, depth int) {
	if c.Lost {
		return
	}
	if c.Decides && !slices.Contains(c.Words, "") {
		f.Deciding = append(f.Deciding, shellline.CheckCall{Check: f.check, Call: c})
	}
	name := strings.TrimSuffix(path.Base(c.Name()), "w") // mvnw, gradlew
	args := c.Words[min(1, len(c.Words)):]
	has := func(words ...string) bool {
		return slices.ContainsFunc(args, func(w string) bool { return slices.Contains(words, w) })
	}
	switch base := path.Base(c.Name()); {
	case slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, base):
		f.addNPM(c, depth)
	case slices.Contains([]string{"jest", "vitest", "mocha", "ava", "tap", "karma", "playwright"}, base),
		base == "node" && has("--test"):
		f.addTests(c.Dir, js)
	case base == "go" && has("test"):
		f.addTests(dirFlag(c, "-C"), golang)
		if vendored := path.Join(dirFlag(c, "-C"), "vendor/modules.txt"); !f.isFile(vendored) {
			f.add(Protected{
				Path: vendored,
				Kind: KindForbiddenNew,
				Why:  "go would take the modules beside it instead of those that are named",
			})
		}
	case slices.Contains([]string{"pytest", "py.test", "tox", "nox"}, base):
		f.addTests(c.Dir, pytest)
	case regexp.MustCompile(`^python[0-9.]*$`).MatchString(base) && has("-m") && has("pytest", "unittest", "tox", "nox"):
		f.addTests(c.Dir, pytest)
	case slices.Contains([]string{"uv", "poetry", "pipenv", "pdm", "hatch", "rye"}, base) && len(args) > 1 &&
		args[0] == "run":
		f.addVirtualenv(c.Dir)
		f.scanCall(shellline.Call{Dir: c.Dir, Words: args[1:], Stdin: c.Stdin, Decides: c.Decides}.Unwrap(), depth)
	case base == "cargo" && has("test", "t", "nextest"):
		f.addTests(c.Dir, cargo)
	case base == "make" || base == "gmake":
		f.addMake(c, depth)
	case name == "mvn":
		f.addTests(c.Dir, maven)
	case name == "gradle":
		f.addTests(c.Dir, gradle)
	}
}

// addTests protects the tests of a runner that runs in dir, and its settings.
func (f *Scanner) addTests(dir string, r testRunner) {
	below := func(p string) (string, bool) {
		if dir == "." {
			return p, true
		}
		return strings.CutPrefix(p, dir+"/")
	}
	f.addLocked(func(p string) bool {
		rel, ok := below(p)
		return ok && r.tests.MatchString(rel)
	}, "an existing test of "+r.name)
	if r.name == js.name {
		f.forbidCloserModules(dir)
	}
	for file, part := range r.parts {
		f.addMonitored(path.Join(dir, file), part, "a setting of "+r.name)
	}
	for _, pattern := range r.appear {
		f.forbidNew(dir, pattern, "", r.name+" would load it by itself", below)
	}
	for pattern, text := range r.holding {
		f.forbidNew(dir, pattern, text, "it would decide how "+r.name+" ends", below)
	}
}

// forbidCloserModules forbids modules that would be found before the installed ones: beside tests,
// where no package is.
func (f *Scanner) forbidCloserModules(dir string) {
	looked := map[string]bool{dir: true, ".": true}
	for _, e := range f.sorted() {
		for at := path.Dir(e.Path); e.IsRegular() && js.tests.MatchString(e.Path) && !looked[at] &&
			(dir == "." || strings.HasPrefix(at, dir+"/")); at = path.Dir(at) {
			looked[at] = true
			modules := path.Join(at, "node_modules")
			if _, err := f.root.Lstat(modules); err != nil && !f.isFile(path.Join(at, "package.json")) {
				f.add(Protected{
					Path: modules,
					Kind: KindForbiddenNew,
					Part: AnyPart,
					Why:  "the tests beside it would take modules from there",
				})
			}
		}
	}
}

// forbidNew forbids new files of a name, and changes of those that are there.
func (f *Scanner) forbidNew(dir, pattern, holding, why string, below func(string) (string, bool)) {
	g, err := ignore.New(pattern)
	if err != nil {
		return // the patterns are written above and tried by a test
	}
	if holding == "" {
		for _, e := range f.sorted() {
			if rel, ok := below(e.Path); ok && e.IsRegular() && g.Match(rel) {
				f.add(Protected{Path: e.Path, Kind: KindMonitored, Why: why})
			}
		}
	}
	where := strings.TrimPrefix(pattern, "/")
	if where == pattern { // at any depth
		where = "**/" + where
	}
	f.add(Protected{Path: path.Join(dir, where), Kind: KindForbiddenNew, Holding: holding, Why: why})
}

// dirFlag is the folder that a flag names, seen from the call's own.
func dirFlag(c shellline.Call, flags ...string) string {
	for i, w := range c.Words {
		for _, flag := range flags {
			value, joined := strings.CutPrefix(w, flag+"=")
			if w == flag && i+1 < len(c.Words) {
				value, joined = c.Words[i+1], true
			}
			if joined {
				if p, ok := c.PathInFolder(value); ok {
					return p
				}
			}
		}
	}
	return c.Dir
}
