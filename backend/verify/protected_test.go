package verify_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"goalpost/backend/goal"
	"goalpost/backend/process"
	"goalpost/backend/verify"
	"goalpost/backend/verify/protect/detect"
)

// folderOf writes a txtar archive; scripts may be run.
func folderOf(t testing.TB, archive string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		write(t, dir, f.Name, string(f.Data))
		if strings.HasPrefix(string(f.Data), "#!") {
			must(t, os.Chmod(filepath.Join(dir, f.Name), 0o755))
		}
	}
	return dir
}

func criterion(commands ...string) goal.Criterion {
	var c goal.Criterion
	for _, k := range commands {
		c.Checks = append(c.Checks, shell(k))
	}
	return c
}

const project = `
-- check.sh --
#!/bin/sh
pytest -q
-- lib/run.sh --
echo hello
-- app.py --
print("ok")
-- result.txt --
ok
-- tests/test_app.py --
def test(): pass
-- tests/data.json --
{}
-- conftest.py --
-- pyproject.toml --
[project]
name = "x"
[tool.pytest.ini_options]
addopts = "-q"
-- go.mod --
module x
-- x.go --
package x
-- x_test.go --
package x
-- testdata/golden --
1
-- package.json --
{"scripts": {"test": "node --test", "pretest": "sh lib/run.sh"}}
-- lib/util.test.js --
-- src/__tests__/a.ts --
-- Makefile --
CHECK = ./check.sh
all: build
test: unit
	@echo done
unit:
	$(CHECK)
build:
	cc x.c
-- sub/check.sh --
#!/bin/sh
-- sub/Makefile --
test:
	true
`

func namesOf(list []detect.Protected, kind detect.Kind) string {
	var all []string
	for _, p := range list {
		if p.Kind != kind {
			continue
		}
		name := p.Path
		if p.Part != "" {
			name += " (" + p.Part + ")"
		}
		all = append(all, name)
	}
	return strings.Join(all, ", ")
}

func TestFindProtected(t *testing.T) {
	dir := folderOf(t, project)
	must(t, os.Symlink("/bin/true", filepath.Join(dir, "linked")))
	const (
		pytests  = "tests/data.json, tests/test_app.py"
		settings = "conftest.py, pyproject.toml (pytest), setup.cfg (pytest), tox.ini (pytest)"
		jsTests  = "lib/util.test.js, src/__tests__/a.ts, tests/data.json"
	)
	for _, c := range []struct{ command, held, compared string }{
		{"test -f result.txt", "", ""},
		{"grep -q ok result.txt && python3 app.py", "", ""}, // the work, not the check
		{"./check.sh", "check.sh, " + pytests, settings},
		{"sh ./check.sh --now", "check.sh, " + pytests, settings},
		{"bash -eu -o pipefail lib/run.sh", "lib/run.sh", ""},
		{"sh -ec 'cd lib && sh run.sh'", "lib/run.sh", ""},
		{"sh < lib/run.sh", "lib/run.sh", ""},
		{". ./lib/run.sh", "lib/run.sh", ""},
		{"cd sub && ./check.sh", "sub/check.sh", ""},
		{"(cd sub; true); sh lib/run.sh", "lib/run.sh", ""},
		{`cd "$HOME" && ./check.sh`, "", ""}, // nobody can tell which
		{"env A=1 timeout -k 5 10 ./sub/check.sh", "sub/check.sh", ""},
		{"./linked", "linked", ""},
		{"../check.sh; /bin/true; ./missing.sh", "", ""},
		{"if true; then x=$(sh lib/run.sh); fi", "lib/run.sh", ""},
		{"pytest", pytests, settings},
		{"python3 -m pytest tests", pytests, settings},
		{"uv run pytest", pytests, settings},
		{"go test ./...", "testdata/golden, x_test.go", "go.mod (replace)"},
		{"go vet ./...", "", ""},
		{"npm test", "lib/run.sh, " + jsTests, "package.json (scripts)"},
		{"npm run test --silent", "lib/run.sh, " + jsTests, "package.json (scripts)"},
		{"npx jest", jsTests, "package.json (scripts)"},
		{"npm start", "", ""},
		{"make test", "check.sh, " + pytests, "Makefile (make test), " + settings},
		{"make -C sub test", "", "sub/Makefile (make test)"},
		{"make", "", "Makefile (make )"},
		{"cargo test", "", ""},
		{"mvn -q test", "", ""},
		{"./gradlew test", "", ""},
		{"(((", "", ""},
	} {
		t.Run(c.command, func(t *testing.T) {
			list, err := detect.FindProtected(t.Context(), dir, criterion(c.command), nil, nil)
			must(t, err)
			if got := namesOf(list, detect.KindLocked); got != c.held {
				t.Errorf("held: %s\nwant: %s", got, c.held)
			}
			if got := namesOf(list, detect.KindMonitored); got != c.compared {
				t.Errorf("compared: %s\nwant:     %s", got, c.compared)
			}
			for _, p := range list {
				if p.Why == "" || !slices.Equal(p.Checks, []int{0}) {
					t.Errorf("%+v", p)
				}
			}
		})
	}
}

// TestPersonsPatterns: what the user adds and leaves out.
func TestPersonsPatterns(t *testing.T) {
	dir := folderOf(t, project)
	c := goal.Criterion{Checks: []goal.Check{shell("pytest"), {Type: goal.Manual}, {Type: goal.File, Path: "x"}}}
	list, err := detect.FindProtected(t.Context(), dir, c, []string{"sub/", "*.py"},
		[]string{"conftest.py", "tests/data.json", "pyproject.toml", "*.cfg"})
	must(t, err)
	if got := namesOf(list, detect.KindLocked); got != "app.py, sub/Makefile, sub/check.sh, tests/test_app.py" {
		t.Errorf("held: %s", got)
	}
	if got := namesOf(list, detect.KindMonitored); got != "tox.ini (pytest)" {
		t.Errorf("compared: %s", got)
	}
	if got := namesOf(list, detect.KindForbiddenNew); strings.Contains(got, "conftest") ||
		!strings.Contains(got, "pytest.ini") {
		t.Errorf("appears: %s", got)
	}
	for _, p := range list {
		if p.Path == "app.py" && fmt.Sprint(p.Checks) != "[0 1 2]" {
			t.Errorf("app.py decides %v", p.Checks)
		}
	}
	for _, bad := range [][]string{{""}, {"/"}, {"[z-a]"}} {
		if _, err := detect.FindProtected(t.Context(), dir, c, bad, nil); err == nil {
			t.Errorf("the pattern %q is taken", bad)
		}
		if _, err := detect.FindProtected(t.Context(), dir, c, nil, bad); err == nil {
			t.Errorf("the pattern %q is taken", bad)
		}
	}
}

// TestTampered: each way in which an agent may change what decides it, and those
// that are its work.
func TestTampered(t *testing.T) {
	for _, c := range []tampering{
		{
			"the script", "./check.sh", "-- check.sh --\n#!/bin/sh\nexit 1\n", "-- check.sh --\n#!/bin/sh\nexit 0\n",
			"-exit 1\n+exit 0\n",
		},
		{"the script is gone", "./check.sh", "-- check.sh --\n#!/bin/sh\nexit 1\n", "-- check.sh --\n", "+++ (removed)"},
		{
			"a script that it reads", "./check.sh", "-- check.sh --\n#!/bin/sh\n. ./lib.sh\n-- lib.sh --\nexit 1\n",
			"-- lib.sh --\nexit 0\n", "-exit 1",
		},
		{"a program that it runs is the work", "python3 app.py", "-- app.py --\nexit(1)\n", "-- app.py --\nexit(0)\n", ""},
		{"a test file", "pytest", "-- test_a.py --\nassert False\n", "-- test_a.py --\nassert True\n", "+assert True"},
		{"a new test", "pytest", "-- test_a.py --\nassert False\n", "-- test_b.py --\nassert True\n", ""},
		{
			"a conftest.py", "pytest", "-- test_a.py --\n", "-- deep/conftest.py --\nimport os; os._exit(0)\n",
			"deep/conftest.py has appeared",
		},
		{
			"a pytest.ini", "pytest", "-- test_a.py --\n", "-- pytest.ini --\n[pytest]\naddopts = --co\n",
			"pytest.ini has appeared",
		},
		{
			"a module called pytest", "python -m pytest", "-- test_a.py --\n", "-- pytest.py --\npass\n",
			"pytest.py has appeared",
		},
		{
			"settings in a file of many uses", "pytest", "-- pyproject.toml --\n[project]\nname='x'\n",
			"-- pyproject.toml --\n[project]\nname='y'\n[tool.pytest.ini_options]\naddopts = '--co'\n",
			"+[tool.pytest.ini_options]",
		},
		{
			"other settings there", "pytest", "-- pyproject.toml --\n[project]\nname='x'\n",
			"-- pyproject.toml --\n[project]\nname='y'\n", "",
		},
		{"an existing conftest.py", "pytest", "-- conftest.py --\na\n", "-- conftest.py --\nb\n", "-a\n+b"},
		{"the scripts of package.json", "npm test", `-- package.json --
{"scripts": {"test": "jest"}}
`, `-- package.json --
{"scripts": {"test": "true"}}
`, `+  "scripts.test": "true"`},
		{"a hook of npm", "npm test", `-- package.json --
{"scripts": {"test": "jest"}}
`, `-- package.json --
{"scripts": {"test": "jest", "pretest": "rm -r test"}}
`, `pretest`},
		{"another script and a dependency", "npm test", `-- package.json --
{"scripts": {"test": "jest"}}
`, `-- package.json --
{"dependencies": {"x": "1"}, "scripts": {"start": "node .", "test": "jest"}}
`, ""},
		{"settings of jest", "npm test", `-- package.json --
{"scripts": {"test": "jest"}}
`, `-- package.json --
{"scripts": {"test": "jest"}, "jest": {"passWithNoTests": true}}
`, `passWithNoTests`},
		{
			"a package.json that is broken", "npm test", "-- package.json --\n{\"scripts\": {\"test\": \"jest\"}}\n",
			"-- package.json --\n{\n", "-",
		},
		{
			"a jest.config.js", "npm test", "-- package.json --\n{\"scripts\": {\"test\": \"jest\"}}\n",
			"-- jest.config.cjs --\n1\n", "jest.config.cjs has appeared",
		},
		{
			"an .npmrc", "npm test", "-- package.json --\n{\"scripts\": {\"test\": \"jest\"}}\n",
			"-- .npmrc --\nscript-shell=/bin/true\n", ".npmrc has appeared",
		},
		{
			"a test in node_modules", "npm test", "-- package.json --\n{\"scripts\": {\"test\": \"jest\"}}\n",
			"-- node_modules/m/jest.config.js --\n1\n", "",
		},
		{
			"the target", "make test", "-- Makefile --\ntest:\n\tfalse\n", "-- Makefile --\ntest:\n\ttrue\n",
			"-\tfalse\n+\ttrue",
		},
		{
			"what the target needs", "make test", "-- Makefile --\ntest: unit\nunit:\n\tfalse\n",
			"-- Makefile --\ntest: unit\nunit:\n\ttrue\n", "true",
		},
		{
			"a variable of the target", "make test", "-- Makefile --\nGO = go\nX = $(GO)\ntest:\n\t$(X) test\n",
			"-- Makefile --\nGO = true\nX = $(GO)\ntest:\n\t$(X) test\n", "+GO = true",
		},
		{
			"the shell of make", "make test", "-- Makefile --\ntest:\n\tfalse\n",
			"-- Makefile --\nSHELL = /bin/true\ntest:\n\tfalse\n", "+SHELL = /bin/true",
		},
		{
			"a second rule", "make test", "-- Makefile --\ntest:\n\tfalse\n", "-- Makefile --\ntest:\n\tfalse\ntest:\n\ttrue\n",
			"true",
		},
		{
			"an include", "make test", "-- Makefile --\ntest:\n\tfalse\n", "-- Makefile --\ninclude x.mk\ntest:\n\tfalse\n",
			"+include x.mk",
		},
		{
			"another target", "make test", "-- Makefile --\ntest:\n\tfalse\n",
			"-- Makefile --\nV = 1\ntest:\n\tfalse\nall:\n\ttrue $(V)\n", "",
		},
		{
			"a Makefile before the Makefile", "make test", "-- Makefile --\ntest:\n\tfalse\n",
			"-- GNUmakefile --\ntest:\n\ttrue\n", "GNUmakefile has appeared",
		},
		{
			"the first target", "make", "-- Makefile --\nall:\n\tfalse\n", "-- Makefile --\nquick:\n\ttrue\nall:\n\tfalse\n",
			"quick",
		},
		{"a go.work", "go test ./...", "-- a_test.go --\npackage a\n", "-- go.work --\ngo 1.26\n", "go.work has appeared"},
		{
			"a TestMain", "go test ./...", "-- a_test.go --\npackage a\n",
			"-- b_test.go --\npackage a\nfunc TestMain(m *testing.M) {}\n", "b_test.go has appeared",
		},
		{
			"a new test in Go", "go test ./...", "-- a_test.go --\npackage a\n",
			"-- b_test.go --\npackage a\nfunc TestB(t *testing.T) {}\n", "",
		},
		{"a golden file", "go test ./...", "-- testdata/want --\n1\n", "-- testdata/want --\n2\n", "-1\n+2"},
		{
			"a runner of cargo", "cargo test", "-- Cargo.toml --\n[package]\nname='x'\n",
			"-- .cargo/config.toml --\n[target.x]\nrunner = 'true'\n", ".cargo/config.toml has appeared",
		},
		{
			"tests that are left out", "cargo test", "-- Cargo.toml --\n[package]\nname='x'\n",
			"-- Cargo.toml --\n[package]\nname='x'\n[lib]\ntest = false\n", "+test = false",
		},
		{
			"a dependency of cargo", "cargo test", "-- Cargo.toml --\n[package]\nname='x'\n",
			"-- Cargo.toml --\n[package]\nname='x'\n[dependencies]\ny = '1'\n", "",
		},
		{
			"tests that maven skips", "mvn test", "-- pom.xml --\n<project><properties><v>1</v></properties></project>\n",
			"-- pom.xml --\n<project><properties><v>2</v><maven.test.skip>true</maven.test.skip></properties></project>\n",
			"maven.test.skip",
		},
		{
			"a dependency of maven", "mvn test", "-- pom.xml --\n<project></project>\n",
			"-- pom.xml --\n<project><dependencies><dependency>x</dependency></dependencies></project>\n", "",
		},
		{
			"the tests of gradle", "./gradlew test",
			"-- gradlew --\n#!/bin/sh\n-- build.gradle --\nplugins { }\ntest {\n  useJUnit()\n}\n",
			"-- build.gradle --\nplugins { }\ntest {\n  enabled = false\n}\n", "+enabled = false",
		},
		{
			"a dependency of gradle", "gradle test", "-- build.gradle --\ndependencies {\n}\ntest { }\n",
			"-- build.gradle --\ndependencies {\n  testImplementation 'x'\n}\ntest { }\n", "",
		},
	} {
		t.Run(c.name, c.try)
	}
}

// tampering is a thing that an agent does to what decides it.
type tampering struct {
	name, command, archive string
	tamper                 string // an archive of what the agent writes; an empty file is removed
	diff                   string // part of it, "" if the check is intact
}

func (c tampering) try(t *testing.T) {
	dir := folderOf(t, c.archive)
	private := filepath.Join(t.TempDir(), "private")
	o := verify.Options{Dir: dir, Private: private, Criterion: criterion(c.command)}
	w := world(t, o)
	if diff, err := w.Tampered(t.Context()); err != nil || diff != "" {
		t.Fatalf("at the start: %q, %v", diff, err)
	}
	for _, f := range txtar.Parse([]byte(c.tamper)).Files {
		if len(f.Data) == 0 {
			must(t, os.Remove(filepath.Join(dir, f.Name)))
			continue
		}
		write(t, dir, f.Name, string(f.Data))
	}
	for name, w := range map[string]*verify.Workspace{"the same": w, "after a restart": world(t, o)} {
		diff, err := w.Tampered(t.Context())
		if err != nil || (diff == "") != (c.diff == "") || !strings.Contains(diff, c.diff) {
			t.Errorf("%s: %q, %v", name, diff, err)
		}
	}
	if c.diff == "" {
		return
	}
	h := verify.CheckRunner{Dir: dir, World: w} // nothing to start programs with: nothing is run
	if v := one(t, h, shell(c.command)); v.Outcome != goal.Tampered || !strings.Contains(v.Tail, c.diff) {
		t.Errorf("the verdict is %s, %q, %q", v.Outcome, v.Detail, v.Tail)
	}
	touched, _, err := w.RestoreProtected(t.Context())
	if err != nil || len(touched) == 0 {
		t.Errorf("put back %v, %v", touched, err)
	}
	if diff, err := w.Tampered(t.Context()); err != nil || diff != "" {
		t.Errorf("after it was put back: %q, %v", diff, err)
	}
	kept := 0
	for _, at := range []string{filepath.Join(private, "aside"), dir} {
		must(t, filepath.WalkDir(at, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (at != dir || strings.Contains(path, ".aside-")) { // a folder stays where it was
				kept++
			}
			return nil
		}))
	}
	if removed := strings.HasSuffix(c.tamper, "--\n"); (kept == 0) != removed {
		t.Errorf("%d files are kept aside", kept)
	}
}

// TestTamperedIsOfItsGate: a gate whose own things are intact is run.
func TestTamperedIsOfItsGate(t *testing.T) {
	h := host(t)
	write(t, h.Dir, "plain.sh", "exit 1\n")
	c := criterion("sh plain.sh", "true")
	h.World = world(t, verify.Options{Dir: h.Dir, Criterion: c})
	write(t, h.Dir, "plain.sh", "exit 0\n")
	var got []goal.Outcome
	found, err := h.Criterion(t.Context(), goal.Goal{Criterion: c}, goal.Claim{}, func(v goal.Verdict) error {
		got = append(got, v.Outcome)
		return nil
	})
	if err != nil || found != goal.NotVerified || fmt.Sprint(got) != "[tampered pass]" {
		t.Errorf("%s %v %v", found, got, err)
	}
}

// TestPutBackTypes: whatever the agent put at the place of a held file.
func TestPutBackTypes(t *testing.T) {
	for _, c := range []struct {
		name string
		put  func(t *testing.T, dir string)
	}{
		{"a folder", func(t *testing.T, dir string) { write(t, dir, "check.sh/inner", "x") }},
		{"a link out", func(t *testing.T, dir string) { must(t, os.Symlink("/bin/true", filepath.Join(dir, "check.sh"))) }},
		{"a link to nowhere", func(t *testing.T, dir string) {
			must(t, os.Symlink("nowhere", filepath.Join(dir, "check.sh")))
		}},
		{"a link that turns in a circle", func(t *testing.T, dir string) {
			must(t, os.Symlink("check.sh", filepath.Join(dir, "check.sh")))
		}},
		{"an empty file", func(t *testing.T, dir string) { write(t, dir, "check.sh", "") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := folderOf(t, "-- check.sh --\n#!/bin/sh\nexit 1\n")
			w := world(t, verify.Options{Dir: dir, Criterion: criterion("./check.sh")})
			must(t, os.Remove(filepath.Join(dir, "check.sh")))
			c.put(t, dir)
			if diff, err := w.Tampered(t.Context()); err != nil || diff == "" {
				t.Fatalf("%q %v", diff, err)
			}
			touched, _, err := w.RestoreProtected(t.Context())
			if err != nil || !slices.Equal(touched, []string{"check.sh"}) {
				t.Fatalf("%v %v", touched, err)
			}
			text, err := os.ReadFile(filepath.Join(dir, "check.sh"))
			info, err2 := os.Lstat(filepath.Join(dir, "check.sh"))
			if err != nil || err2 != nil || string(text) != "#!/bin/sh\nexit 1\n" || info.Mode() != 0o755 {
				t.Errorf("%q %v %v", text, err, err2)
			}
		})
	}
}

// TestHeldIsOfferedToTheSandbox: a launcher with walls gets the copies of the
// start, under the domain of checks.
func TestHeldIsOfferedToTheSandbox(t *testing.T) {
	h := host(t)
	write(t, h.Dir, "plain.sh", "exit 0\n")
	c := criterion("true", "sh plain.sh")
	h.World, h.Sandboxed = world(t, verify.Options{Dir: h.Dir, Criterion: c}), true
	rec := &recorder{Launcher: h.Launcher}
	h.Launcher = rec
	if _, err := h.Criterion(t.Context(), goal.Goal{Criterion: c}, goal.Claim{},
		func(goal.Verdict) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if len(rec.commands) != 2 || len(rec.commands[0].Held) != 0 || len(rec.commands[1].Held) != 1 ||
		rec.commands[1].Domain != process.DomainCheck {
		t.Fatalf("%+v", rec.commands)
	}
	held := rec.commands[1].Held[0]
	text, err := os.ReadFile(held.Copy)
	info, err2 := os.Stat(held.Copy)
	if err != nil || err2 != nil || string(text) != "exit 0\n" || held.Path != filepath.Join(h.Dir, "plain.sh") ||
		info.Mode().Perm()&0o222 != 0 {
		t.Errorf("%+v %q %v %v", held, text, err, err2)
	}
}

// recorder notes what is started, and starts it without walls.
type recorder struct {
	process.Launcher
	commands []process.Command
}

func (r *recorder) Start(ctx context.Context, c process.Command) (process.Process, error) {
	r.commands = append(r.commands, c)
	c.Domain, c.Held = "", nil
	return r.Launcher.Start(ctx, c)
}

// TestAFloodHidesNothing: names are looked at however many there are, and where
// nobody can look, that is a difference.
func TestAFloodHidesNothing(t *testing.T) {
	dir := folderOf(t, project)
	c := criterion("pytest")
	for i := range 20_001 {
		if i == 0 {
			must(t, os.Mkdir(filepath.Join(dir, "000"), 0o755))
		}
		must(t, os.WriteFile(filepath.Join(dir, "000", fmt.Sprint(i)), nil, 0o644))
	}
	list, err := detect.FindProtected(t.Context(), dir, c, nil, nil)
	must(t, err)
	if got := namesOf(list, detect.KindLocked); !strings.Contains(got, "tests/test_app.py") {
		t.Errorf("held behind a flood: %s", got)
	}
	w := world(t, verify.Options{Dir: dir, Criterion: c})
	intact := func() string {
		s, err := w.Tampered(t.Context())
		must(t, err)
		return s
	}
	if got := intact(); got != "" {
		t.Errorf("a flood alone: %q", got)
	}
	write(t, dir, "zz/conftest.py", "")
	if got := intact(); !strings.Contains(got, "zz/conftest.py has appeared") {
		t.Errorf("behind a flood: %q", got)
	}
	must(t, os.RemoveAll(filepath.Join(dir, "zz")))
	must(t, os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", 102)), 0o755))
	if got := intact(); !strings.Contains(got, "nobody can see") {
		t.Errorf("too deep to be looked at: %q", got)
	}
	if _, _, err := w.RestoreProtected(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := detect.FindProtected(t.Context(), dir, c, nil, nil); err == nil ||
		!strings.Contains(err.Error(), "--no-protect") {
		t.Errorf("too deep at the start: %v", err)
	}
	if _, err := detect.FindProtected(t.Context(), dir, criterion("test -f x"), nil, nil); err != nil {
		t.Errorf("nobody asks for names: %v", err)
	}
}

// TestAFolderThatIsShutIsADifference where programs could still use what is in it.
func TestAFolderThatIsShutIsADifference(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("nothing is shut for root")
	}
	dir := folderOf(t, project)
	w := world(t, verify.Options{Dir: dir, Criterion: criterion("pytest")})
	shut := filepath.Join(dir, "shut")
	must(t, os.Mkdir(shut, 0o300))
	t.Cleanup(func() { must(t, os.Chmod(shut, 0o700)) })
	if got, err := w.Tampered(t.Context()); err != nil || !strings.Contains(got, "shut cannot be looked into") {
		t.Errorf("%q %v", got, err)
	}
}

// TestARunnerThatIsInstalledInTheFolder decides only as it was installed.
func TestARunnerThatIsInstalledInTheFolder(t *testing.T) {
	const js = "-- package.json --\n{\"scripts\":{\"test\":\"jest\"}}\n-- a.test.js --\nx\n-- " +
		"node_modules/jest/bin/jest.js --\n#!/bin/sh\nexit 1\n" +
		"-- node_modules/jest/package.json --\n{}\n-- node_modules/.bin/jest --\n#!/bin/sh\nexit 1\n-- " +
		"node_modules/.package-lock.json --\n{}\n"
	const py = "-- .venv/bin/pytest --\n#!/bin/sh\nexit 1\n-- .venv/lib/site-packages/pytest.py --\nx\n-- " +
		".venv/bin/activate --\nPATH=$PWD/.venv/bin:$PATH\n"
	change := func(dir, name string) { write(t, dir, name, "exit 0\n") }
	for _, c := range []struct {
		name, folder, command string
		do                    func(dir string)
		want                  string // in the tail, "" for a check that runs
	}{
		{"npm, the package rewritten", js, "npm test", func(dir string) {
			change(dir, "node_modules/jest/bin/jest.js")
		}, "node_modules/jest/bin/jest.js"},
		{"npm, the link rewritten", js, "npm test", func(dir string) {
			change(dir, "node_modules/.bin/jest")
		}, "node_modules/.bin/jest"},
		{"npx, a file removed", js, "npx jest", func(dir string) {
			must(t, os.Remove(filepath.Join(dir, "node_modules/jest/package.json")))
		}, "package.json (removed)"},
		{"all of it removed", js, "npx jest", func(dir string) {
			must(t, os.RemoveAll(filepath.Join(dir, "node_modules")))
		}, "jest.js (removed)"},
		{"more installed", js, "npx jest || true; exit 1", func(dir string) {
			change(dir, "node_modules/more/index.js")
			change(dir, "node_modules/.package-lock.json")
		}, ""},
		{"installed again", js, "npx jest || true; exit 1", func(dir string) {
			must(t, os.RemoveAll(filepath.Join(dir, "node_modules/jest/package.json")))
			write(t, dir, "node_modules/jest/package.json", "{}\n")
		}, ""},
		{"a virtual environment", py, ".venv/bin/pytest", func(dir string) {
			change(dir, ".venv/lib/site-packages/pytest.py")
		}, "site-packages/pytest.py"},
		{"an activated one", py, ". .venv/bin/activate && pytest", func(dir string) {
			change(dir, ".venv/lib/site-packages/pytest.py")
		}, "site-packages/pytest.py"},
		{"nothing of it runs", js, "test -f done", func(dir string) { change(dir, "node_modules/jest/bin/jest.js") }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := host(t)
			h.Dir = folderOf(t, c.folder)
			h.World = world(t, verify.Options{Dir: h.Dir, Criterion: criterion(c.command)})
			c.do(h.Dir)
			v := claimed(t, h, goal.Check{Type: goal.Shell, Command: c.command}, goal.Claim{})
			said := strings.Contains(v.Detail, "was installed at the start")
			if v.Outcome != goal.Fail || said != (c.want != "") || !strings.Contains(v.Tail, c.want) {
				t.Errorf("%s: %s\n%s", v.Outcome, v.Detail, v.Tail)
			}
			if diff, err := h.World.Tampered(t.Context()); err != nil || diff != "" && !strings.Contains(diff, "activate") {
				t.Errorf("the run would pause: %q %v", diff, err)
			}
		})
	}
}

// TestARunnerThatTheAgentInstalledIsTold: nothing can be compared with what was not
// there, so a pass says so; what was there at the start needs no word.
func TestARunnerThatTheAgentInstalledIsTold(t *testing.T) {
	const js = "-- package.json --\n{\"scripts\":{\"test\":\"sh -c ./node_modules/.bin/jest\"}}\n"
	const bin = "node_modules/.bin/jest"
	for _, c := range []struct{ name, folder, command, installs, want string }{
		{
			"by a script", js, "npm test >/dev/null 2>&1 || " + bin, bin,
			"exit 0; what runs it is not compared: node_modules was installed since the start",
		},
		{
			"a virtual environment", "", "sub/.venv/bin/pytest", "sub/.venv/bin/pytest",
			"exit 0, 2 tests ran; what runs it is not compared: sub/.venv was installed since the start",
		},
		{"it was there", js + "-- " + bin + " --\n#!/bin/sh\n", "sh " + bin, "", "exit 0"},
		{"nothing of it runs", js, "true", bin, "exit 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := host(t)
			h.Dir = folderOf(t, c.folder)
			h.World = world(t, verify.Options{Dir: h.Dir, Criterion: criterion(c.command)})
			if c.installs != "" {
				write(t, h.Dir, c.installs, "#!/bin/sh\necho 2 passed in 0.01s\n")
				must(t, os.Chmod(filepath.Join(h.Dir, c.installs), 0o755))
			}
			if v := claimed(t, h, goal.Check{Type: goal.Shell, Command: c.command}, goal.Claim{}); v.Outcome != goal.Pass ||
				v.Detail != c.want {
				t.Errorf("%s: %q, want %q", v.Outcome, v.Detail, c.want)
			}
		})
	}
}

// TestFrozenWhenTheGoalIsMade: what another goal does before the first run is seen;
// what comes to decide is held from then on.
func TestFrozenWhenTheGoalIsMade(t *testing.T) {
	dir := folderOf(t, "-- check.sh --\nexit 1\n")
	o := verify.Options{
		Dir:       dir,
		Private:   filepath.Join(t.TempDir(), "kept"),
		Criterion: criterion("sh check.sh && ./later.sh"),
	}
	must(t, verify.RecordProtected(t.Context(), o))
	write(t, dir, "check.sh", "exit 0\n")
	write(t, dir, "later.sh", "exit 1\n")
	w := world(t, o)
	if got, err := w.Tampered(t.Context()); err != nil || !strings.Contains(got, "check.sh") ||
		strings.Contains(got, "later.sh") {
		t.Errorf("%q %v", got, err)
	}
	write(t, dir, "later.sh", "exit 0\n")
	again := world(t, o)
	for _, w := range []*verify.Workspace{w, again} {
		if got, err := w.Tampered(t.Context()); err != nil || !strings.Contains(got, "later.sh") {
			t.Errorf("%q %v", got, err)
		}
	}
	if got := changed(t, again); !strings.Contains(got, "later.sh") || strings.Contains(got, "check.sh") {
		t.Errorf("the agent changed %q", got)
	}
}
