package inputs

import (
	"path"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// runner is a test runner or build tool that finds settings and tests by their names.
type runner struct {
	settings []string      // base names or ends of paths; * matches anything
	tests    *text.Pattern // of paths
}

var (
	jsTests = text.NewPattern(
		`(^|/)([^/]+[._-](test|spec)|test)\.[cm]?[jt]sx?$|(^|/)(__tests__|tests?|spec)/.*\.[cm]?[jt]sx?$|(^|/)__mocks__/|` +
			`(^|/)__snapshots__/`)
	pythonTests = text.NewPattern(`(^|/)(test_[^/]*|[^/]*_test|tests?)\.py$|(^|/)tests?/.*\.py$`)
)

// runnerTable lists the runners. A name counts only for the runner that looks for it.
var runnerTable = map[string]runner{
	"pytest": {
		settings: []string{
			"conftest.py", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini",
			"setup.cfg", "sitecustomize.py", "usercustomize.py", "entry_points.txt", "*.pth",
		},
		tests: pythonTests,
	},
	"unittest": {settings: []string{"sitecustomize.py", "usercustomize.py", "*.pth"}, tests: pythonTests},
	"python":   {settings: []string{"sitecustomize.py", "usercustomize.py", "*.pth", "pyvenv.cfg"}},
	"tox":      {settings: []string{"tox.ini", "pyproject.toml", "setup.cfg", "setup.py"}},
	"nox":      {settings: []string{"noxfile.py"}},
	"jest": {
		settings: []string{
			"jest.config.*", "package.json", "babel.config.*", ".babelrc*", "jest.setup.*", "/__mocks__/*", "/__mocks__/*/*",
		},
		tests: jsTests,
	},
	"vitest": {
		settings: []string{"vitest.config.*", "vitest.workspace.*", "vite.config.*", "package.json"},
		tests:    jsTests,
	},
	"mocha":     {settings: []string{".mocharc*", "package.json"}, tests: jsTests},
	"ava":       {settings: []string{"ava.config.*", "package.json"}, tests: jsTests},
	"node test": {settings: []string{}, tests: jsTests},
	"npm": {settings: []string{
		"package.json", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpm-workspace.yaml",
	}},
	"go": {settings: []string{"go.mod", "go.work", "vendor/modules.txt"}, tests: text.NewPattern(`_test\.go$`)},
	"cargo": {
		settings: []string{
			"Cargo.toml", ".cargo/config.toml", ".cargo/config", "rust-toolchain.toml", "rust-toolchain",
			".config/nextest.toml", "build.rs",
		},
		tests: text.NewPattern(`(^|/)tests/.*\.rs$`),
	},
	"maven": {
		settings: []string{"pom.xml", ".mvn/maven.config", ".mvn/jvm.config", ".mvn/extensions.xml"},
		tests:    text.NewPattern(`(^|/)src/test/`),
	},
	"gradle": {
		settings: []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties"},
		tests:    text.NewPattern(`(^|/)src/(test|[^/]*Test)/`),
	},
	"cmake": {settings: []string{"CMakeLists.txt", "*.cmake", "CTestTestfile.cmake"}},
	"rspec": {settings: []string{".rspec", "spec_helper.rb"}, tests: text.NewPattern(`_spec\.rb$`)},
	"prove": {settings: []string{".proverc"}, tests: text.NewPattern(`(^|/)t/.*\.t$`)},
}

// runnerWords maps the names of programs and modules to their runner.
var runnerWords = map[string]string{
	"pytest": "pytest", "py.test": "pytest", "unittest": "unittest", "tox": "tox", "nox": "nox", "jest": "jest",
	"vitest": "vitest", "mocha": "mocha", "_mocha": "mocha", "ava": "ava", "npm": "npm", "npx": "npm", "pnpm": "npm",
	"yarn": "npm", "npm-cli": "npm", "npx-cli": "npm", "go": "go", "cargo": "cargo", "rustc": "cargo",
	"mvn": "maven", "gradle": "gradle",
	"cmake": "cmake", "ctest": "cmake", "rspec": "rspec", "prove": "prove",
}

// runnersOf returns the runners that a program is, by its name, the script that it runs, and python -m.
func runnersOf(p program) []string {
	var found []string
	add := func(word string) {
		for _, name := range []string{path.Base(word), strings.TrimSuffix(path.Base(word), path.Ext(word))} {
			if r := runnerWords[name]; r != "" && !slices.Contains(found, r) {
				found = append(found, r)
			}
		}
	}
	for _, word := range slices.Concat([]string{p.name}, p.mains, p.modules) {
		add(word)
	}
	switch p.name {
	case "python":
		found = append(found, "python")
	case "node":
		if slices.Contains(p.Args, "--test") {
			found = append(found, "node test")
		}
	case "java":
		for _, w := range p.Args {
			if strings.Contains(w, "maven") {
				add("mvn")
			} else if strings.Contains(w, "gradle") {
				add("gradle")
			}
		}
	}
	return found
}

// summaries returns the names of the test runners that the program is and that print a summary here.
func (p *program) summaries() (names []string) {
	for _, r := range p.runners {
		switch r {
		case "pytest", "unittest", "jest", "vitest", "mocha":
			names = append(names, r)
		case "node test":
			names = append(names, "node --test")
		case "cargo":
			if slices.Contains(p.Args, "nextest") {
				names = append(names, "cargo nextest")
			} else if slices.Contains(p.Args, "test") || slices.Contains(p.Args, "t") {
				names = append(names, "cargo test")
			}
		case "go": // without -v it prints "ok" even if the tests ended early
			flags := []string{"-v", "-v=true", "-test.v", "-test.v=true", "-json", "--v", "--json"}
			isVerbose := slices.ContainsFunc(p.Args, func(w string) bool { return slices.Contains(flags, w) })
			if len(p.Args) > 1 && p.Args[1] == "test" && isVerbose {
				names = append(names, "go test")
			}
		}
	}
	isTest := func(main string) bool { return pythonTests.MatchString(main) }
	if p.name == "python" && len(names) == 0 && slices.ContainsFunc(p.mains, isTest) { // it may call unittest.main
		names = append(names, "unittest")
	}
	return names
}

// compilers read code without running it, as formatters and linters do. What they build is observed when it runs.
var compilers = []string{
	"gofmt", "goimports", "compile", "asm", "link", "cgo", "vet", "cover", "gcc", "g++", "cc", "c++", "clang", "clang++",
	"cc1", "cc1plus", "as", "ld", "ld.bfd", "ld.gold", "ld.lld", "rust-lld", "ar", "collect2", "lto1", "rustc", "rustfmt",
	"javac", "clang-format", "shellcheck", "shfmt", "ruff",
}

// textTools only pass on, transform or show what they read or what other programs print.
var textTools = []string{
	"cat", "tee", "grep", "egrep", "fgrep", "rg", "head", "tail", "sed", "awk", "cut", "sort", "uniq", "tr", "wc", "od",
	"xxd", "rm", "mkdir", "cp", "mv", "ln", "install", "chmod", "touch", "tar", "gzip", "cksum", "echo", "printf", "date",
	"sleep", "true", "false", "test", "[", "kill", "ls", "stat", "file", "env", "timeout",
}

// comparers are programs that compare what they read.
var comparers = []string{"diff", "cmp", "comm", "sdiff", "diff3", "join"}

// readsOnly reports whether all files are data to the program. What go run builds is observed when it runs.
func (p *program) readsOnly() bool {
	if p.name == "go" {
		return len(p.Args) > 1 && !slices.Contains([]string{"test", "generate", "tool"}, p.Args[1])
	}
	return p.kind == kindOther && slices.Contains(compilers, p.name) || p.looksAtSyntax() || p.isTextTool()
}

// looksAtSyntax reports whether an interpreter only reads the code in its arguments. perl -c is left out: it runs the
// blocks named BEGIN.
func (p *program) looksAtSyntax() bool {
	words := p.Args[min(1, len(p.Args)):]
	switch {
	case p.name == "python":
		return len(words) > 1 && words[0] == "-m" && slices.Contains([]string{"py_compile", "compileall"}, words[1])
	case len(words) < 2 || strings.HasPrefix(words[1], "-"):
		return false
	case p.kind == kindShell:
		return words[0] == "-n"
	case p.name == "node":
		return words[0] == "--check" || words[0] == "-c"
	}
	return p.name == "ruby" && words[0] == "-c"
}

// isTextTool reports whether the program takes every file for text.
func (p *program) isTextTool() bool {
	return p.kind == kindOther &&
		(slices.Contains(textTools, p.name) || slices.Contains(comparers, p.name) || checksumName.MatchString(p.name))
}

var checksumName = text.NewPattern(`^(sha|sha\d+|b2|md5)sum$`)

// compares reports whether a program compares what it reads.
func (p *program) compares() bool {
	return slices.Contains(comparers, p.name) || len(p.yardstickWords()) > 0
}

// yardstickWords lists the words of a command line that name what the program compares with: lists of checksums, and
// files of patterns.
func (p *program) yardstickWords() (words []string) {
	isChecksum := checksumName.MatchString(p.name)
	if !isChecksum && !slices.Contains([]string{"grep", "egrep", "fgrep", "rg"}, p.name) {
		return nil
	}
	isChecking := false
	args := p.Args[min(1, len(p.Args)):]
	for i, w := range args {
		_, value, hasValue := strings.Cut(w, "=")
		isShort := strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--")
		switch {
		case isChecksum && (w == "--check" || isShort && strings.Contains(w, "c")):
			isChecking = true
		case isChecksum && !strings.HasPrefix(w, "-"):
			words = append(words, w)
		case isChecksum:
		case strings.HasPrefix(w, "--file") && hasValue:
			words = append(words, value)
		case (w == "--file" || isShort && strings.HasSuffix(w, "f")) && i+1 < len(args):
			words = append(words, args[i+1])
		case isShort && strings.Contains(w, "f"): // -fpatterns.txt
			_, after, _ := strings.Cut(w, "f")
			words = append(words, after)
		}
	}
	if isChecksum && !isChecking {
		return nil
	}
	return words
}

// nameRole returns the role of a file for the runners that look for its name, "" if none does.
func nameRole(runners []string, file string) (role goal.FileRole) {
	for _, name := range runners {
		r := runnerTable[name]
		for _, pattern := range r.settings {
			if matchesName(pattern, file) {
				return goal.RoleSettings
			}
		}
		if r.tests != nil && r.tests.MatchString(file) {
			role = goal.RoleTest
		}
	}
	return role
}

// matchesName compares the end of a path with a pattern of the same number of elements. A pattern that begins with
// a slash must match the whole path.
func matchesName(pattern, file string) bool {
	if strings.HasPrefix(pattern, "/") {
		ok, err := path.Match(pattern, "/"+file)
		return err == nil && ok
	}
	parts := strings.Split(file, "/")
	n := strings.Count(pattern, "/") + 1
	if len(parts) < n {
		return false
	}
	ok, err := path.Match(pattern, strings.Join(parts[len(parts)-n:], "/"))
	return err == nil && ok
}

var codeEnding = text.NewPattern(
	`(?i)\.(py|pyc|pyo|pyd|pyx|[cm]?js|[cm]?ts|[jt]sx|vue|svelte|wasm|node|rb|pl|pm|pmc|t|php|lua|` +
		`r|jl|go|rs|java|class|jar|` +
		`kt|scala|groovy|c|h|cc|cpp|cxx|hh|hpp|inc|m|swift|zig|s|asm|o|a|so|so\.[0-9.]+|dll|dylib|` +
		`sh|bash|mk|awk|sed|jq|sql|` +
		`ex|exs|erl|hs|ml|lisp|clj|el|tcl|vim|ps1|bat|feature)$`)

// isRecipe reports whether a file contains the commands that a runner starts, as a makefile does.
func isRecipe(p *program, rel string) bool {
	return slices.Contains(p.runners, "tox") && path.Base(rel) == "tox.ini" ||
		slices.Contains(p.runners, "nox") && path.Base(rel) == "noxfile.py"
}

// testName matches the names of tests in compiled languages.
var testName = text.NewPattern(`(?i)(^|/)(tests?|spec)/|(^|[/._-])(test|spec)s?([._-]|$)`)

// startupFile matches settings that programs read without being asked: .curlrc, .sqliterc, .gitattributes.
var startupFile = text.NewPattern(`(^|/)(\.[a-z0-9]+rc|\.gitattributes|\.gitmodules)$`)

func isStartupFile(file string) bool { return startupFile.MatchString(file) }

// isCode reports whether a file's name is that of program code.
func isCode(file string) bool { return codeEnding.MatchString(file) }

// judgeName matches names of programs that judge the work instead of being part of it.
var judgeName = text.NewPattern(
	`(?i)(^|[./_-])(check(s|er)?|judge|verify|validate|assert|grade|accept(ance)?|tests?|spec)([./_-]|$)`)

// helperName matches names of code that only tests use.
var helperName = text.NewPattern(`(?i)(^|[./_-])(test|assert|expect|matcher|fixture|mock|stub|fake)s?[a-z]*([./_-]|$)`)

// installDirs are the folders into which packages are installed.
var installDirs = []string{"node_modules", ".venv", "venv", ".tox"}

// IsInstalled reports whether a file is in such a folder.
func IsInstalled(file string) bool { return InstalledTree(file) != "" }

// InstalledTree returns the outermost folder above a file into which packages are installed, "" if there is none.
func InstalledTree(file string) string {
	names := strings.Split(path.Dir(file), "/")
	at := slices.IndexFunc(names, func(name string) bool { return slices.Contains(installDirs, name) })
	return strings.Join(names[:at+1], "/")
}

// IsCache reports whether tools recreate a file automatically.
func IsCache(file string) bool { return cacheName.MatchString(file) }

// cacheName matches files that tools recreate automatically.
var cacheName = text.NewPattern(`(^|/)(__pycache__|node_modules/\.[^/]+)/`)

// isInstalledCode reports whether a used file is code of an installed program.
func isInstalledCode(u goal.UsedFile) bool {
	return u.Role != goal.RoleData && IsInstalled(u.Path) &&
		(!cacheName.MatchString(u.Path) || strings.Contains(u.Path, "/.bin/"))
}

// makefileName matches the files that make and similar programs read.
var makefileName = text.NewPattern(`(?i)(^|/)((gnu)?makefile|\.?justfile|[^/]+\.mk|taskfile\.ya?ml|rakefile)$`)
