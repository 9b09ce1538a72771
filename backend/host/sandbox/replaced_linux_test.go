package sandbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/lib/waittest"
)

// makeRepository makes a repository of the user.
func makeRepository(tb testing.TB, dir, text string) {
	tb.Helper()
	for _, name := range []string{"HEAD", "config", "hooks/pre-commit"} {
		write(tb, filepath.Join(dir, ".git", name), text, 0o755)
	}
}

// replaceFile renames a new file over an existing one, as git does with a configuration.
func replaceFile(tb testing.TB, path string) {
	tb.Helper()
	write(tb, path+".new", "new\n", 0o644)
	if err := os.Rename(path+".new", path); err != nil {
		tb.Fatal(err)
	}
}

// wantReplaced waits for the end of a sandbox, and fails if the reason does not name the file.
func wantReplaced(tb testing.TB, s *sandbox.Supervisor, path string) {
	tb.Helper()
	select {
	case <-s.Done():
	case <-time.After(waittest.Scale(time.Minute)):
		tb.Fatal("the sandbox has not ended")
	}
	var replaced *sandbox.ReplacedError
	if !errors.As(s.Err(), &replaced) || replaced.Path != path {
		tb.Fatalf("the sandbox ended with %v, want one about %s", s.Err(), path)
	}
}

// TestReplacedFile_CoveredByTheSandbox_EndsIt: a process outside that replaces a file detaches the mount over it. The
// programs end, checks are refused with the reason, and the next sandbox covers the new file.
func TestReplacedFile_CoveredByTheSandbox_EndsIt(t *testing.T) {
	for name, c := range map[string]struct {
		file    string // below the folder that change gets
		granted bool
		change  func(t *testing.T, dir string)
		lost    string // below that folder
	}{
		"a configuration": {file: ".git/config", lost: ".git/config", change: func(t *testing.T, dir string) {
			replaceFile(t, filepath.Join(dir, ".git", "config"))
		}},
		"what hooks read": {
			file: ".pre-commit-config.yaml",
			lost: ".pre-commit-config.yaml",
			change: func(t *testing.T, dir string) {
				replaceFile(t, filepath.Join(dir, ".pre-commit-config.yaml"))
			},
		},
		"a folder of hooks": {file: ".git/hooks/pre-commit", lost: ".git/hooks", change: func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, ".git", "hooks")); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, ".git", "hooks", "pre-commit"), "new\n", 0o755)
		}},
		"a granted folder": {file: ".git/config", lost: ".git/config", granted: true, change: func(t *testing.T, dir string) {
			replaceFile(t, filepath.Join(dir, ".git", "config"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSpec(t)
			dir := w.Dir
			if c.granted {
				dir = filepath.Join(filepath.Dir(w.Home), "granted")
			}
			makeRepository(t, dir, "old\n")
			write(t, filepath.Join(dir, ".pre-commit-config.yaml"), "old\n", 0o644)
			grant := func(s *sandbox.Supervisor) {
				if !c.granted {
					return
				}
				if _, err := s.Grant(t.Context(), sandbox.RuntimeGrant{Write: dir}); err != nil {
					t.Fatal(err)
				}
			}
			s := openSandbox(t, w)
			grant(s)
			p, err := s.Start(t.Context(), inside(w, "exec sleep 1000"))
			if err != nil {
				t.Fatal(err)
			}
			c.change(t, dir)
			wantReplaced(t, s, filepath.Join(dir, c.lost))
			wait(t, p)
			_, err = s.Start(t.Context(), check(w, "true"))
			if !errors.Is(err, sandbox.ErrClosed) || !strings.Contains(err.Error(), c.lost+" was replaced") {
				t.Errorf("a check afterwards: %v", err)
			}
			err = s.SealFolder(t.Context(), dir)
			if !errors.Is(err, sandbox.ErrClosed) || !strings.Contains(err.Error(), c.lost+" was replaced") {
				t.Errorf("sealing the folder afterwards: %v", err)
			}
			s = openSandbox(t, w)
			grant(s)
			file := filepath.Join(dir, c.file)
			if text, status := output(t, s, inside(w, `echo evil > "$1"; cat "$1"`, file)); text != "evil\n" {
				t.Errorf("the next sandbox: %q %v", text, status)
			}
			if text, err := os.ReadFile(file); err != nil || string(text) != "new\n" {
				t.Errorf("the real file became %q, %v", text, err)
			}
		})
	}
}

// TestReplacedFile_HiddenFromRoot_StaysHidden: as root, a program in the sandbox could otherwise read the file.
func TestReplacedFile_HiddenFromRoot_StaysHidden(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("an ordinary user reads no such file")
	}
	hidden := filepath.Join("/etc", "goalpost-"+filepath.Base(filepath.Dir(t.TempDir())))
	write(t, hidden, "old\n", 0o600)
	t.Cleanup(func() { _ = os.Remove(hidden) })
	w := newSpec(t)
	s := openSandbox(t, w)
	for _, again := range []func(){
		func() { replaceFile(t, hidden) },
		func() { replaceFile(t, hidden) },
		func() {
			if err := os.Remove(hidden); err != nil {
				t.Fatal(err)
			}
			write(t, hidden, "new\n", 0o600)
		},
	} {
		again()
		script := `until ! grep -q new "$1"; do :; done; cat "$1"`
		if text, status := output(t, s, inside(w, script, hidden)); status.Code != 0 || text != "" {
			t.Errorf("%q %v", text, status)
		}
	}
}

// TestMovedRepository_WhenACheckStarts_EndsTheSandbox: the mounts of the agent's sandbox move
// along, but a sandbox that is made for a check would show the repository uncovered.
func TestMovedRepository_WhenACheckStarts_EndsTheSandbox(t *testing.T) {
	w := newSpec(t)
	sub, moved := filepath.Join(w.Dir, "sub"), filepath.Join(w.Dir, "moved")
	makeRepository(t, sub, "old\n")
	s := openSandbox(t, w)
	if err := os.Rename(sub, moved); err != nil {
		t.Fatal(err)
	}
	makeRepository(t, sub, "another\n") // another repository in place of the moved one
	if text, _ := output(t, s, inside(w, "echo evil > moved/.git/config; cat moved/.git/config")); text != "evil\n" {
		t.Errorf("the agent reads %q", text)
	}
	if _, err := s.Start(t.Context(), check(w, "echo evil > moved/.git/config")); !errors.Is(err, sandbox.ErrClosed) {
		t.Errorf("a check began: %v", err)
	}
	wantReplaced(t, s, sub)
	if text, err := os.ReadFile(filepath.Join(moved, ".git", "config")); err != nil || string(text) != "old\n" {
		t.Errorf("the moved configuration became %q, %v", text, err)
	}
	s = openSandbox(t, w)
	output(t, s, check(w, "echo evil > moved/.git/config"))
	if text, err := os.ReadFile(filepath.Join(moved, ".git", "config")); err != nil || string(text) != "old\n" {
		t.Errorf("in the next sandbox it became %q, %v", text, err)
	}
}

// TestReplacedFile_Locked_ChecksStillReadTheCopy: the agent can write the new file, but the check uses the state at
// the start.
func TestReplacedFile_Locked_ChecksStillReadTheCopy(t *testing.T) {
	w := newSpec(t)
	real := write(t, filepath.Join(w.Dir, "check.sh"), "echo real\n", 0o755)
	copied := write(t, filepath.Join(filepath.Dir(w.Layer), "held"), "echo real\n", 0o444)
	w.Held = []string{real}
	s := openSandbox(t, w)
	replaceFile(t, real)
	if text, _ := output(t, s, inside(w, "echo 'echo fake' > check.sh; cat check.sh")); text != "echo fake\n" {
		t.Errorf("the agent reads %q", text)
	}
	override := process.FileOverride{Path: real, Copy: copied}
	if text, status := output(t, s, check(w, "sh check.sh", override)); text != "real\n" {
		t.Errorf("the check: %q %v", text, status)
	}
}

// TestMovedRepository_ByTheAgent_KeepsTheSandbox: an agent that moves its own files detaches nothing.
func TestMovedRepository_ByTheAgent_KeepsTheSandbox(t *testing.T) {
	w := newSpec(t)
	w.Held = []string{write(t, filepath.Join(w.Dir, "tests", "check.sh"), "echo real\n", 0o755)}
	makeRepository(t, w.Dir, "old\n")
	s := openSandbox(t, w)
	output(t, s, inside(w, "mv tests other; mkdir tests; echo x > tests/check.sh; rm -rf .git; mv .git away"))
	if text, status := output(t, s, check(w, "echo fine")); text != "fine\n" {
		t.Errorf("%q %v", text, status)
	}
}
