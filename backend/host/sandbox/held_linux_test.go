package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/lib/waittest"
)

func check(w sandbox.Spec, script string, held ...process.FileOverride) process.Command {
	c := inside(w, script)
	c.Domain, c.Held = process.DomainCheck, held
	return c
}

func write(tb testing.TB, path, text string, mode os.FileMode) string {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		tb.Fatal(err)
	}
	return path
}

// TestCheck_HasItsOwnSandbox: a check does not see what the agent left in /tmp and in shared memory, but it sees the
// files in the folder.
func TestCheck_HasItsOwnSandbox(t *testing.T) {
	w := newSpec(t)
	s := openSandbox(t, w)
	output(t, s, inside(w, "echo agent > /tmp/a; echo agent > /dev/shm/b; echo agent > c; sleep 1000 >/dev/null 2>&1 &"))
	text, status := output(t, s, check(w, "ls -A /tmp /dev/shm; cat c; echo check > /tmp/d"))
	if want := "/dev/shm:\n\n/tmp:\n"; !strings.HasPrefix(text, want) || !strings.Contains(text, "agent\n") ||
		status.Code != 0 {
		t.Errorf("%q %v", text, status)
	}
	if text, _ := output(t, s, inside(w, "ls /tmp/[a-z]")); text != "/tmp/a\n" {
		t.Errorf("the agent's /tmp holds %q", text)
	}
	waitGone(t, filepath.Join(w.Layer, "checks"))
}

// TestCheck_Processes_AreHiddenFromTheAgent: the agent cannot kill the processes of a check, and cannot reach their
// memory or their shared memory. Agent and check have the same network.
func TestCheck_Processes_AreHiddenFromTheAgent(t *testing.T) {
	w := newSpec(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.Tools = []string{self}
	s := openSandbox(t, w)
	if err := unix.Mkfifo(filepath.Join(w.Dir, "go"), 0o666); err != nil {
		t.Fatal(err)
	}
	const spaces = `for n in pid mnt ipc user net; do readlink /proc/self/ns/$n; done; `
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	judge := check(w, spaces+attemptVariable+"=segment "+self+
		` && sed -n '2s/^ *[0-9]* *\([0-9]*\) .*/\1/p' /proc/sysvipc/shm; `+
		`sleep 87654 & read x < go; kill $! && echo unharmed`)
	judge.Files = []*os.File{nil, out, out}
	p, err := s.Start(t.Context(), judge)
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewReader(r)
	lines := func(n int) (list []string) {
		for range n {
			line, err := said.ReadString('\n')
			if err != nil {
				t.Fatal(list, err)
			}
			list = append(list, strings.TrimSpace(line))
		}
		return list
	}
	checks, segment := lines(5), lines(1)[0]
	text, _ := output(t, s, inside(w, spaces))
	for i, own := range strings.Fields(text) {
		if apart := i < 3; apart == (own == checks[i]) {
			t.Errorf("the agent's %s, the check's %s", own, checks[i])
		}
	}
	for _, script := range []string{
		attemptVariable + "=attach " + self + " " + segment,
		"[ $(wc -l < /proc/sysvipc/shm) != 1 ]", // only its heading
	} {
		if text, status := output(t, s, inside(w, script)); status.Code != 1 {
			t.Errorf("%s: %s %v", script, text, status)
		}
	}
	// The agent cannot open the memory of a process that it does not see, and has no PID to kill it with.
	if text, _ := output(t, s, inside(w, "sleep 76543 & cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | "+
		"grep -o 'sleep [0-9]*[34]' | sort -u; kill $!")); text != "sleep 76543\n" {
		t.Errorf("the agent sees %q", text)
	}
	output(t, s, inside(w, "kill -KILL -1")) // kills everything that the agent may kill
	output(t, s, inside(w, "echo > go"))
	if got := lines(1)[0]; got != "unharmed" {
		t.Errorf("the check says %q", got)
	}
	wait(t, p)
}

// TestCheck_Home_IsItsOwn: a check does not see files that the agent or another check left in the home or in caches.
// It sees those of the user.
func TestCheck_Home_IsItsOwn(t *testing.T) {
	w := newSpec(t)
	cache := filepath.Join(w.Home, ".cache", "go-build")
	write(t, filepath.Join(cache, "warm"), "the user's\n", 0o644)
	tool := write(t, filepath.Join(w.Home, ".local", "bin", "tool"), "#!/bin/sh\necho the user\n", 0o755)
	w.Caches = []spec.Cache{{From: cache, To: cache}}
	w.Tools = []string{filepath.Dir(tool)}
	s := openSandbox(t, w)
	env := func(c process.Command) process.Command {
		c.Env = environ.ForAgent(
			[]string{"PATH=" + w.Home + "/bin:" + w.Dir + ":" + filepath.Dir(tool) + ":.:/usr/bin:/bin"}, w)
		if c.Domain == process.DomainCheck {
			c.Env = environ.ForCheck(c.Env, w)
		}
		return c
	}
	const leave = "mkdir -p ~/bin ~/.config/go; for p in ~/bin/true ~/bin/tool tool; do printf '#!/bin/sh\necho " +
		"fake\n' > $p; chmod +x $p; done; " +
		"echo GOFLAGS=-run=none > ~/.config/go/env; echo fake > ~/.npmrc; echo fake > ~/.cache/go-build/warm; echo fake " +
		"> ~/.cache/go-build/more; tool"
	if text, status := output(t, s, env(inside(w, leave))); text != "fake\n" || status.Code != 0 {
		t.Fatalf("the agent: %q %v", text, status)
	}
	const look = "cat ~/.config/go/env ~/.npmrc ~/left 2>/dev/null; true; tool; cat ~/.cache/go-build/*; echo $PATH; " +
		"echo x > ~/left; echo x > ~/.cache/go-build/left"
	want := "the user\nthe user's\n" + filepath.Dir(tool) + ":/usr/bin:/bin\n"
	for range 2 {
		if text, status := output(t, s, env(check(w, look))); text != want || status.Code != 0 {
			t.Errorf("the check: %q %v, want %q", text, status, want)
		}
	}
	if text, _ := output(t, s,
		env(inside(w,
			"cat ~/.cache/go-build/warm; ls ~/left ~/.cache/go-build/left 2>&1 | grep -c left"))); text != "fake\n2\n" {
		t.Errorf("the agent's own: %q", text)
	}
}

// waitGone waits until a folder is empty.
func waitGone(tb testing.TB, dir string) {
	tb.Helper()
	waittest.Until(tb, "empty folder "+dir, func() bool {
		left, _ := os.ReadDir(dir)
		return len(left) == 0
	})
}

// TestCheck_BackgroundChild_EndsWithIt: a check's background child has ended when the verdict is known.
func TestCheck_BackgroundChild_EndsWithIt(t *testing.T) {
	w := newSpec(t)
	s := openSandbox(t, w)
	if _, status := output(t, s, check(w, "(setsid sh -c 'while :; do date +%N > beat; sleep 0.01; done' </dev/null "+
		">/dev/null 2>&1 &); until [ -s beat ]; do sleep 0.01; done; exit 3")); status.Code != 3 {
		t.Fatal(status)
	}
	before, err := os.ReadFile(filepath.Join(w.Dir, "beat"))
	if err != nil {
		t.Fatal(err)
	}
	output(t, s, check(w, "sleep 0.1"))
	if after, _ := os.ReadFile(filepath.Join(w.Dir, "beat")); string(after) != string(before) {
		t.Error("a child of the check still writes")
	}
}

func TestHeldFile_Changed_CheckReadsTheCopy(t *testing.T) {
	w := newSpec(t)
	real := write(t, filepath.Join(w.Dir, "tests", "deep", "check.sh"), "echo real\n", 0o755)
	copied := write(t, filepath.Join(filepath.Dir(w.Layer), "held", "0"), "echo real\n", 0o444)
	if err := os.Chmod(copied, 0o555); err != nil {
		t.Fatal(err)
	}
	s := openSandbox(t, w)
	held := process.FileOverride{Path: real, Copy: copied}
	for name, change := range map[string]string{
		"untouched":           "true",
		"rewritten":           "echo 'echo fake' > tests/deep/check.sh",
		"removed":             "rm -r tests",
		"parent renamed":      "mv tests other; mkdir -p tests/deep; echo 'echo fake' > tests/deep/check.sh",
		"parent is a link":    "rm -rf tests; mkdir -p evil/deep; echo 'echo fake' > evil/deep/check.sh; ln -s evil tests",
		"parent is a file":    "rm -rf tests; echo x > tests",
		"itself a link":       "rm -rf tests; mkdir -p tests/deep; ln -s /etc/passwd tests/deep/check.sh",
		"parent is a symlink": "rm -rf tests; ln -s / tests",
	} {
		t.Run(name, func(t *testing.T) {
			if err := errors.Join(os.RemoveAll(filepath.Join(w.Dir, "tests")),
				os.RemoveAll(filepath.Join(w.Dir, "other"))); err != nil {
				t.Fatal(err)
			}
			write(t, real, "echo real\n", 0o755)
			if text, status := output(t, s, inside(w, change)); status.Code != 0 {
				t.Fatalf("%s %v", text, status)
			}
			text, status := output(t, s, check(w, "sh tests/deep/check.sh; echo x > tests/deep/check.sh; rm -f "+
				"tests/deep/check.sh; sh tests/deep/check.sh; ./tests/deep/check.sh", held))
			if !strings.HasPrefix(text, "real\n") || !strings.HasSuffix(text, "real\nreal\n") || status.Code != 0 {
				t.Errorf("%q %v", text, status)
			}
		})
	}
}

// TestHeldFile_WithoutACopy_IsAbsent: a check does not find the file or folder, and may make it anew. The goal's folder
// keeps it.
func TestHeldFile_WithoutACopy_IsAbsent(t *testing.T) {
	w := newSpec(t)
	hidden := write(t, filepath.Join(w.Dir, "tests", "extra.sh"), "echo extra\n", 0o755)
	write(t, filepath.Join(w.Dir, "tests", "check.sh"), "echo real\n", 0o755)
	write(t, filepath.Join(w.Dir, "vendor", "deep", "lib.sh"), "echo lib\n", 0o755)
	s := openSandbox(t, w)
	text, status := output(t, s, check(w, "ls -d vendor tests 2>/dev/null; mkdir vendor && ls vendor; "+
		"cd tests; ls; cat extra.sh 2>&1; echo made > extra.sh; cat extra.sh",
		process.FileOverride{Path: hidden}, process.FileOverride{Path: filepath.Join(w.Dir, "vendor")}))
	if want := "tests\ncheck.sh\ncat: extra.sh: No such file or directory\nmade\n"; text != want || status.Code != 0 {
		t.Errorf("%q %v", text, status)
	}
	if text, err := os.ReadFile(hidden); err != nil || string(text) != "echo extra\n" {
		t.Errorf("%q %v", text, err)
	}
}

// TestAgent_HeldFile_IsReadOnly: the agent cannot write a held file, but it can write the files beside it. A check
// reads the copy in any case.
func TestAgent_HeldFile_IsReadOnly(t *testing.T) {
	w := newSpec(t)
	real := write(t, filepath.Join(w.Dir, "tests", "check.sh"), "echo real\n", 0o755)
	copied := write(t, filepath.Join(filepath.Dir(w.Layer), "held"), "echo real\n", 0o444)
	w.Held = []string{real, filepath.Join(w.Dir, "gone"), filepath.Join(w.Dir, "link"), "/etc/passwd"}
	if err := os.Symlink(real, filepath.Join(w.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	s := openSandbox(t, w)
	for script, want := range map[string]string{
		"cat tests/check.sh":                                 "echo real",
		"echo x > tests/check.sh":                            "Read-only file system",
		"sed -i s/real/x/ tests/check.sh":                    "Device or resource busy",
		"rm -f tests/check.sh":                               "Device or resource busy",
		"echo x > y; mv y tests/check.sh":                    "Device or resource busy",
		"chmod 777 tests/check.sh":                           "Read-only file system",
		"echo x > link":                                      "Read-only file system",
		"echo x > tests/new && rm tests/new && echo mine":    "mine",
		"ln -s nowhere other && rm -f other && echo its own": "its own",
	} {
		if text, _ := output(t, s, inside(w, script+" 2>&1")); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", script, text, want)
		}
	}
	held := process.FileOverride{Path: real, Copy: copied}
	if text, status := output(t, s, inside(w, "mv tests away && mkdir tests && "+
		"echo 'echo fake' > tests/check.sh && cat tests/check.sh")); text != "echo fake\n" {
		t.Errorf("by way of its folder: %q %v", text, status) // a held file prevents mistakes, not this
	}
	if text, status := output(t, s, check(w, "sh tests/check.sh", held)); text != "real\n" {
		t.Errorf("the check: %q %v", text, status)
	}
}

// TestHeldFile_ParentRenamed_CheckReadsTheCopy: the agent renames the parent in a loop while the check reads.
func TestHeldFile_ParentRenamed_CheckReadsTheCopy(t *testing.T) {
	w := newSpec(t)
	real := write(t, filepath.Join(w.Dir, "tests", "check.sh"), "real\n", 0o644)
	copied := write(t, filepath.Join(filepath.Dir(w.Layer), "held"), "real\n", 0o444)
	s := openSandbox(t, w)
	p, err := s.Start(context.Background(), inside(w, "mkdir -p fake; echo fake > fake/check.sh; touch begun; while "+
		":; do mv tests a; mv fake tests; mv tests fake; mv a tests; done"))
	if err != nil {
		t.Fatal(err)
	}
	output(t, s, check(w, "until [ -e begun ]; do sleep 0.01; done"))
	text, _ := output(t, s, check(w, "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 "+
		"27 28 29 30; do cat tests/check.sh || exit 1; done | sort -u", process.FileOverride{Path: real, Copy: copied}))
	if text != "real\n" {
		t.Errorf("the check read %q", text)
	}
	if err := p.Signal(9); err != nil {
		t.Error(err)
	}
	wait(t, p)
}

// TestHeldFile_OutsideOfChecks_IsRefused: a held file would have no effect on a program that is not a check.
func TestHeldFile_OutsideOfChecks_IsRefused(t *testing.T) {
	w := newSpec(t)
	held := []process.FileOverride{{Path: filepath.Join(w.Dir, "x"), Copy: "/etc/passwd"}}
	agent := inside(w, "true")
	agent.Held = held
	if _, err := openSandbox(t, w).Start(context.Background(), agent); err == nil {
		t.Error("the agent held a file")
	}
	plain := check(w, "true", held...)
	if _, err := open(t).Start(context.Background(), plain); err == nil {
		t.Error("a supervisor without a sandbox held a file")
	}
}

// TestHeldLink_ToGitFiles_CannotBeChanged: the agent cannot replace a link to git's hooks or to the repository, and
// behind the link is the goal's copy.
func TestHeldLink_ToGitFiles_CannotBeChanged(t *testing.T) {
	w := newSpec(t)
	write(t, filepath.Join(w.Dir, "githooks", "pre-push"), "#!/bin/sh\n", 0o755)
	write(t, filepath.Join(w.Dir, "repo", "config"), "[core]\n", 0o644)
	for name, to := range map[string]string{".git": "repo", "repo/hooks": "../githooks"} {
		if err := os.Symlink(to, filepath.Join(w.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s := openSandbox(t, w)
	for _, script := range []string{
		"rm .git", "mv .git g", "rm repo/hooks", "mv repo r", "mv githooks g",
		"echo evil > .git/config", "echo evil > repo/hooks/pre-push", "echo evil > githooks/pre-commit",
	} {
		output(t, s, inside(w, script))
	}
	for path, want := range map[string]string{"githooks/pre-push": "#!/bin/sh\n", "repo/config": "[core]\n"} {
		if text, err := os.ReadFile(filepath.Join(w.Dir, path)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	for name, to := range map[string]string{".git": "repo", "repo/hooks": "../githooks"} {
		if got, err := os.Readlink(filepath.Join(w.Dir, name)); err != nil || got != to {
			t.Errorf("%s leads to %q, %v", name, got, err)
		}
	}
	if there(filepath.Join(w.Dir, "githooks", "pre-commit"))() {
		t.Error("a hook was added")
	}
}
