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

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
)

// folderOf writes a txtar archive to a new folder. Scripts are executable.
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

func namesOf(list []protect.Item, kind protect.Kind) string {
	var all []string
	for _, p := range list {
		if p.Kind == kind {
			all = append(all, p.Path)
		}
	}
	return strings.Join(all, ", ")
}

// TestFind_FilesOfACommand_AreProtected covers checks that were not observed in pre-flight.
func TestFind_FilesOfACommand_AreProtected(t *testing.T) {
	dir := folderOf(t, `
-- check.sh --
#!/bin/sh
pytest -q
-- lib/run.sh --
echo hello
-- app.py --
print("ok")
-- judge.py --
print("ok")
-- tool --
#!/usr/bin/env node
-- result.txt --
ok
`)
	for _, c := range []struct{ command, locked string }{
		{"test -f result.txt", ""},
		{"grep -q set check.sh && python3 app.py", ""}, // these files are the work, not the check
		{"./check.sh", "check.sh"},
		{"sh ./check.sh --now", "check.sh"},
		{"bash -eu lib/run.sh", "lib/run.sh"},
		{"sh -ec 'sh lib/run.sh'", "lib/run.sh"},
		{". ./lib/run.sh", "lib/run.sh"},
		{"env A=1 timeout -k 5 10 ./tool", "tool"},
		{"sh " + dir + "/check.sh && python3 judge.py x", "check.sh, judge.py"},
		{`cd "$HOME" && ./nothing.sh; /bin/true`, ""},
		{`test "$(sh lib/run.sh)" = hello`, ""}, // only the output of the script is judged
		{"(((", ""},
	} {
		list, err := protect.Find(t.Context(), protect.Options{Dir: dir, Criterion: criterion(c.command)})
		must(t, err)
		if got := namesOf(list, protect.KindLocked); got != c.locked {
			t.Errorf("%s: %s, want %s", c.command, got, c.locked)
		}
		for _, p := range list {
			if p.Why == "" || !slices.Equal(p.Checks, []int{0}) {
				t.Errorf("%+v", p)
			}
		}
	}
}

// TestFind_UserPatterns covers the patterns that the user adds and excludes, also for files that git ignores.
func TestFind_UserPatterns(t *testing.T) {
	dir := folderOf(t, "-- .gitignore --\n.env\n-- .env --\nA=1\n-- sub/a.py --\n1\n-- b.py --\n2\n-- c.py --\n3\n"+
		"-- node_modules/d.py --\n4\n")
	c := goal.Criterion{Checks: []goal.Check{shell("pytest"), {Type: goal.Manual}, {Type: goal.File, Path: "x"}}}
	list, err := protect.Find(t.Context(), protect.Options{
		Dir:       dir,
		Criterion: c,
		Protect:   []string{"sub/", "*.py", ".env"},
		NoProtect: []string{"c.py"},
	})
	must(t, err)
	if got := namesOf(list, protect.KindLocked); got != ".env, b.py, sub/a.py" {
		t.Errorf("locked: %s", got)
	}
	for _, p := range list {
		if fmt.Sprint(p.Checks) != "[0 1 2]" {
			t.Errorf("%s decides %v", p.Path, p.Checks)
		}
	}
	for _, bad := range [][]string{{""}, {"/"}, {"[z-a]"}, {"spec/**"}} {
		if _, err := protect.Find(t.Context(), protect.Options{Dir: dir, Criterion: c, Protect: bad}); err == nil {
			t.Errorf("the pattern %q is taken", bad)
		}
	}
	if _, err := protect.Find(t.Context(), protect.Options{
		Dir:       dir,
		Criterion: c,
		NoProtect: []string{"[z-a]"},
	}); err == nil {
		t.Error("a pattern that cannot be read is taken")
	}
}

// TestTampered_UnobservedCheck_NamesTheFile checks that a change of a deciding file is refused, and that a change of
// the work is not.
func TestTampered_UnobservedCheck_NamesTheFile(t *testing.T) {
	const npm = "-- package.json --\n{\"scripts\": {\"test\": \"jest\"}}\n"
	const python = "-- test_a.py --\nassert False\n"
	for _, c := range []struct {
		name, command, archive string
		change                 string // an archive; an empty file is removed
		file                   string // the file that the verdict names, "" if the check is intact
	}{
		{"a test", "true pytest", python, "-- test_a.py --\nassert True\n", "test_a.py"},
		{"a new test", "true pytest", python, "-- test_b.py --\nassert True\n", ""},
		{"a removed test", "true pytest", python, "-- test_a.py --\n", "test_a.py"},
		{"a conftest.py", "true pytest", python, "-- deep/conftest.py --\nx = 1\n", "deep/conftest.py"},
		{"the work", "true app.py", "-- app.py --\nexit(1)\n", "-- app.py --\nexit(0)\n", ""},
		{"a Makefile", "true", "-- Makefile --\ntest:\n\tfalse\n", "-- Makefile --\ntest:\n\ttrue\n", "Makefile"},
		{
			"a target that the user asks for", "make -s hello", "-- Makefile --\nall:\n\tfalse\n",
			"-- Makefile --\nall:\n\tfalse\nhello:\n\ttrue\n", "",
		},
		{
			"a target in another folder", "make -C sub test", "-- sub/Makefile --\ntest:\n\tfalse\n",
			"-- sub/Makefile --\ntest:\n\ttrue\n", "sub/Makefile",
		},
		{
			"a script that a Makefile names", "true", "-- Makefile --\ntest:\n\tsh ci/all.sh\n-- ci/all.sh --\nfalse\n",
			"-- ci/all.sh --\ntrue\n", "ci/all.sh",
		},
		{"a script of the work", "true", "-- deploy.sh --\nfalse\n", "-- deploy.sh --\ntrue\n", ""},
		{
			"another script and a dependency", "true", npm,
			"-- package.json --\n{\"dependencies\": {\"x\": \"1\"}, \"scripts\": {\"start\": \"node .\", \"test\": " +
				"\"jest\"}}\n", "",
		},
		{"settings of jest", "true", npm, "-- jest.config.cjs --\n1\n", "jest.config.cjs"},
		{"a dependency of go", "true", "-- go.mod --\nmodule x\n", "-- go.mod --\nmodule x\nrequire z v1.2.0\n", ""},
		{
			"a dependency of cargo", "true", "-- Cargo.toml --\n[package]\nname='x'\n",
			"-- Cargo.toml --\n[package]\nname='x'\n[dependencies]\ny = '1'\n", "",
		},
		{
			"a dependency of maven", "true", "-- pom.xml --\n<project></project>\n",
			"-- pom.xml --\n<project><dependencies><dependency>x</dependency></dependencies></project>\n", "",
		},
		{
			"a dependency of gradle", "true", "-- build.gradle --\ndependencies {\n}\ntest { }\n",
			"-- build.gradle --\ndependencies {\n  testImplementation 'x'\n}\ntest { }\n", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := host(t)
			h.Environment.Dir = folderOf(t, c.archive)
			k := shell("true || " + c.command)
			h.Folder = world(t, verify.Options{Dir: h.Environment.Dir, Criterion: goal.Criterion{Checks: []goal.Check{k}}})
			rewrite(t, h.Environment.Dir, c.change)
			v := one(t, h, k)
			if c.file == "" {
				if v.Outcome != goal.Pass || v.Assurance != goal.Weakened ||
					!strings.Contains(v.AssuranceReason, "could not observe") {
					t.Errorf("%s (%s), %s: %s", v.Outcome, v.Detail, v.Assurance, v.AssuranceReason)
				}
				return
			}
			if v.Outcome != goal.Tampered || !strings.Contains(v.Detail, c.file) {
				t.Fatalf("%s (%s)", v.Outcome, v.Detail)
			}
			if _, err := h.Folder.RecordShown(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestTampered_ChangedScript_IsReported covers scripts that the command itself starts, so that no observation is
// needed.
func TestTampered_ChangedScript_IsReported(t *testing.T) {
	for _, c := range []tampering{
		{
			"the script", "./check.sh", "-- check.sh --\n#!/bin/sh\nexit 1\n", "-- check.sh --\n#!/bin/sh\nexit 0\n",
			"-exit 1\n+exit 0\n",
		},
		{"the script is gone", "./check.sh", "-- check.sh --\n#!/bin/sh\nexit 1\n", "-- check.sh --\n", "+++ (removed)"},
		{"a judge", "python3 check.py out.txt", "-- check.py --\nexit(1)\n", "-- check.py --\nexit(0)\n", "+exit(0)"},
		{"a program that it runs is the work", "python3 app.py", "-- app.py --\nexit(1)\n", "-- app.py --\nexit(0)\n", ""},
	} {
		t.Run(c.name, c.try)
	}
}

// tampering is a change that an agent makes to a file that decides.
type tampering struct {
	name, command, archive string
	tamper                 string // an archive of what the agent writes; an empty file is removed
	diff                   string // part of the diff, "" if the check is intact
}

func (ta tampering) try(t *testing.T) {
	dir := folderOf(t, ta.archive)
	private := filepath.Join(t.TempDir(), "private")
	o := verify.Options{Dir: dir, Private: private, Criterion: criterion(ta.command)}
	w := world(t, o)
	if diff, err := w.Tampered(t.Context()); err != nil || diff != "" {
		t.Fatalf("at the start: %q, %v", diff, err)
	}
	for _, f := range txtar.Parse([]byte(ta.tamper)).Files {
		if len(f.Data) == 0 {
			must(t, os.Remove(filepath.Join(dir, f.Name)))
			continue
		}
		write(t, dir, f.Name, string(f.Data))
	}
	for name, w := range map[string]*verify.FolderState{"the same": w, "after a restart": world(t, o)} {
		diff, err := w.Tampered(t.Context())
		if err != nil || (diff == "") != (ta.diff == "") || !strings.Contains(diff, ta.diff) {
			t.Errorf("%s: %q, %v", name, diff, err)
		}
	}
	if ta.diff == "" {
		return
	}
	// no launcher: a tampered check must not be run
	h := verify.CheckRunner{Environment: check.Environment{Dir: dir}, Folder: w}
	if v := one(t, h, shell(ta.command)); v.Outcome != goal.Tampered || !strings.Contains(v.Tail, ta.diff) {
		t.Errorf("the verdict is %s, %q, %q", v.Outcome, v.Detail, v.Tail)
	}
	touched, _, err := protection(t, o).RestoreAll(t.Context())
	if err != nil || len(touched) == 0 {
		t.Errorf("put back %v, %v", touched, err)
	}
	if diff, err := w.Tampered(t.Context()); err != nil || diff != "" {
		t.Errorf("after it was put back: %q, %v", diff, err)
	}
	kept := 0
	for _, at := range []string{filepath.Join(private, "aside"), dir} {
		must(t, filepath.WalkDir(at, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (at != dir || strings.Contains(path, ".aside-")) { // see moveToBackup
				kept++
			}
			return nil
		}))
	}
	if removed := strings.HasSuffix(ta.tamper, "--\n"); (kept == 0) != removed {
		t.Errorf("%d files are kept aside", kept)
	}
}

// TestTampered_OtherChecksFile_StillRuns checks that tampering with one check does not stop a check whose own files are
// intact.
func TestTampered_OtherChecksFile_StillRuns(t *testing.T) {
	h := host(t)
	write(t, h.Environment.Dir, "plain.sh", "exit 1\n")
	c := criterion("sh plain.sh", "true")
	h.Folder = world(t, verify.Options{Dir: h.Environment.Dir, Criterion: c})
	write(t, h.Environment.Dir, "plain.sh", "exit 0\n")
	var got []goal.Outcome
	found, err := h.DecideClaim(
		t.Context(),
		goal.Goal{Request: goal.Request{Criterion: c}},
		goal.Claim{},
		func(v goal.Verdict) error {
			got = append(got, v.Outcome)
			return nil
		},
	)
	if err != nil || found != goal.NotVerified || fmt.Sprint(got) != "[tampered pass]" {
		t.Errorf("%s %v %v", found, got, err)
	}
}

// TestRestore_EachFileType_IsRestored covers everything that an agent can put in the place of a protected file.
func TestRestore_EachFileType_IsRestored(t *testing.T) {
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
			o := verify.Options{Dir: dir, Private: filepath.Join(t.TempDir(), "p"), Criterion: criterion("./check.sh")}
			w := world(t, o)
			must(t, os.Remove(filepath.Join(dir, "check.sh")))
			c.put(t, dir)
			if diff, err := w.Tampered(t.Context()); err != nil || diff == "" {
				t.Fatalf("%q %v", diff, err)
			}
			touched, _, err := protection(t, o).RestoreAll(t.Context())
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

// TestOverrides_SandboxedCheck_GetsStartCopies checks that a sandboxed launcher gets the copies from the start, in the
// domain of checks.
func TestOverrides_SandboxedCheck_GetsStartCopies(t *testing.T) {
	h := host(t)
	write(t, h.Environment.Dir, "plain.sh", "exit 0\n")
	c := criterion("true", "sh plain.sh")
	h.Folder, h.Environment.Sandboxed = world(t, verify.Options{Dir: h.Environment.Dir, Criterion: c}), true
	rec := &recorder{Launcher: h.Environment.Launcher}
	h.Environment.Launcher = rec
	if _, err := h.DecideClaim(t.Context(), goal.Goal{Request: goal.Request{Criterion: c}}, goal.Claim{},
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
	if err != nil || err2 != nil || string(text) != "exit 0\n" ||
		held.Path != filepath.Join(h.Environment.Dir, "plain.sh") ||
		info.Mode().Perm()&0o222 != 0 {
		t.Errorf("%+v %q %v %v", held, text, err, err2)
	}
}

// recorder records what is started, and starts it without a sandbox.
type recorder struct {
	process.Launcher
	commands []process.Command
}

func (r *recorder) Start(ctx context.Context, c process.Command) (process.Process, error) {
	r.commands = append(r.commands, c)
	c.Domain, c.Held = "", nil
	return r.Launcher.Start(ctx, c)
}

// TestRecordProtected_GoalCreated_FreezesChecks: a change by another goal before the first run is found. A deciding
// file that appears later is protected from then on.
func TestRecordProtected_GoalCreated_FreezesChecks(t *testing.T) {
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
	for _, w := range []*verify.FolderState{w, again} {
		if got, err := w.Tampered(t.Context()); err != nil || !strings.Contains(got, "later.sh") {
			t.Errorf("%q %v", got, err)
		}
	}
	if got := changed(t, again); !strings.Contains(got, "later.sh") || strings.Contains(got, "check.sh") {
		t.Errorf("the agent changed %q", got)
	}
}

// TestRestore_LinkOnTheWay_IsNotFollowed: if a folder was replaced with a link, restoring must not write to the link's
// target.
func TestRestore_LinkOnTheWay_IsNotFollowed(t *testing.T) {
	dir := folderOf(t, "-- tests/pre-commit --\n1\n-- .git/hooks/sample --\nx\n")
	o := verify.Options{
		Dir:       dir,
		Private:   filepath.Join(t.TempDir(), "p"),
		Criterion: criterion("true"),
		Protect:   []string{"tests/**"},
	}
	world(t, o)
	must(t, os.RemoveAll(filepath.Join(dir, "tests")))
	must(t, os.Symlink(".git/hooks", filepath.Join(dir, "tests")))
	_, _, err := protection(t, o).RestoreAll(t.Context())
	must(t, err)
	if _, err := os.Lstat(filepath.Join(dir, ".git/hooks/pre-commit")); err == nil {
		t.Error("a hook was written")
	}
	if b, err := os.ReadFile(filepath.Join(dir, "tests/pre-commit")); err != nil || string(b) != "1\n" {
		t.Errorf("the test is %q, %v", b, err)
	}
}
