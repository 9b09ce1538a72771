package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox/mounts"
	"goalpost/backend/host/sandbox/spec"
)

// TestWorkPaths_AgentsPrograms_ChangeNothingElse also tries renames, links and git as detours.
func TestWorkPaths_AgentsPrograms_ChangeNothingElse(t *testing.T) {
	w := newSpec(t)
	for name, text := range map[string]string{
		"judge.sh": "exit 1\n", "work/code": "old\n", "notes.md": "old\n", "deep/work/a": "old\n", "deep/other": "old\n",
	} {
		write(t, filepath.Join(w.Dir, name), text, 0o644)
	}
	repository(t, w.Dir)
	for _, name := range []string{"work", "deep/work", "notes.md"} {
		w.Work = append(w.Work, filepath.Join(w.Dir, name))
	}
	s := openSandbox(t, w)
	for script, want := range map[string]string{
		"echo new > work/code; mkdir work/sub; echo new > work/sub/b; mv work/sub/b work/b; " +
			"cat work/code work/b": "new\nnew\n",
		"echo new > deep/work/a; cat deep/work/a": "new\n",
		"echo more >> notes.md; cat notes.md":     "old\nmore\n",
	} {
		if text, status := output(t, s, inside(w, script)); text != want || status.Code != 0 {
			t.Errorf("%s: %q %v, want %q", script, text, status, want)
		}
	}
	before := map[string]string{}
	for _, name := range []string{"judge.sh", "deep/other", ".git/HEAD"} {
		text, err := os.ReadFile(filepath.Join(w.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		before[name] = string(text)
	}
	const readOnly, busy = "Read-only file system", "Device or resource busy"
	for _, c := range []struct{ script, want string }{
		{"echo x > judge.sh", readOnly},
		{"echo x > new", readOnly},
		{"rm -f judge.sh", readOnly},
		{"chmod +x judge.sh", readOnly},
		{"mv judge.sh work/", readOnly},
		{"mv work/code judge.sh", readOnly},
		{"mv work gone", readOnly},
		{"mv deep gone", readOnly},
		{"mv notes.md gone", readOnly},
		{"ln judge.sh work/hard && echo x > work/hard", "Invalid cross-device link"},
		{"ln -s ../judge.sh work/soft; echo x >work/soft", readOnly},
		{"ln -s .. work/up; echo x > work/up/judge.sh", readOnly},
		{"echo x > work/../judge.sh", readOnly},
		{"mv \"$PWD\" \"$PWD\"-2", busy},
		{"git add work && git commit -m x", readOnly},
		{"echo '[core]' >> .git/config", readOnly},
		{"echo true > .git/hooks/pre-commit", readOnly},
		{"echo x > beside && mv beside notes.md", readOnly},
		{"echo x > work/beside && mv -f work/beside notes.md", readOnly},
		{"rm -r work", readOnly},
	} {
		text, status := output(t, s, inside(w, c.script))
		if !strings.Contains(text, c.want) || status.Code == 0 {
			t.Errorf("%s: %q %v, want %q", c.script, text, status, c.want)
		}
	}
	for name, want := range before {
		if text, err := os.ReadFile(filepath.Join(w.Dir, name)); err != nil || string(text) != want {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	text, status := output(t, s, check(w, "echo x > made && mv deep moved && cat moved/work/a && mv moved deep"))
	if text != "new\n" || status.Code != 0 {
		t.Errorf("a check, which may write all of the folder: %q %v", text, status)
	}
}

// TestWorkPath_ReplacedOutside_EndsTheSandbox: the user's editor replaces a file by a rename, or removes a folder. The
// next sandbox lets the agent change what is there then.
func TestWorkPath_ReplacedOutside_EndsTheSandbox(t *testing.T) {
	for name, replace := range map[string]func(path string){
		"notes.md": func(path string) { replaceFile(t, path) },
		"work": func(path string) {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSpec(t)
			write(t, filepath.Join(w.Dir, "work/code"), "old\n", 0o644)
			write(t, filepath.Join(w.Dir, "notes.md"), "old\n", 0o666)
			w.Work = []string{filepath.Join(w.Dir, "work"), filepath.Join(w.Dir, "notes.md")}
			s := openSandbox(t, w)
			path := filepath.Join(w.Dir, name)
			replace(path)
			wantReplaced(t, s, path)
			write(t, filepath.Join(w.Dir, "work/code"), "the user's\n", 0o644)
			text, status := output(t, openSandbox(t, w), inside(w, "echo new >> work/code && echo new >> notes.md"))
			if status.Code != 0 {
				t.Errorf("the next sandbox: %q %v", text, status)
			}
		})
	}
}

// TestWorkPath_ExtendedByAGrant_CanBeChanged: programs that start after the grant can change the new path, except for
// held files.
func TestWorkPath_ExtendedByAGrant_CanBeChanged(t *testing.T) {
	w := newSpec(t)
	for _, name := range []string{"work/code", "docs/page", "docs/held", "other"} {
		write(t, filepath.Join(w.Dir, name), "old\n", 0o644)
	}
	w.Work = []string{filepath.Join(w.Dir, "work")}
	w.Held = []string{filepath.Join(w.Dir, "docs/held")}
	s := openSandbox(t, w)
	const script = "echo new > docs/page; echo new > docs/held; echo new > other; cat docs/page docs/held other work/code"
	if text, _ := output(t, s, inside(w, script)); !strings.HasSuffix(text, "\nold\nold\nold\nold\n") {
		t.Errorf("before: %q", text)
	}
	granted, err := s.Grant(t.Context(), spec.RuntimeGrant{Write: filepath.Join(w.Dir, "docs")})
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := output(t, s, inside(w, script)); !strings.HasSuffix(text, "\nnew\nold\nold\nold\n") {
		t.Errorf("while it is granted: %q", text)
	}
	if err := granted.Revoke(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, status := output(t, s, inside(w, "echo late > docs/page")); status.Code == 0 {
		t.Errorf("after it was revoked: %q", text)
	}
}

// TestWorkPath_Missing_IsRefused also checks that a work path outside of the folder is refused.
func TestWorkPath_Missing_IsRefused(t *testing.T) {
	w := newSpec(t)
	for path, want := range map[string]string{
		filepath.Join(w.Dir, "missing"):  "--work",
		filepath.Join(w.Home, "outside"): "not inside",
	} {
		if filepath.Base(path) == "outside" {
			write(t, path, "", 0o644)
		}
		w.Work = []string{path}
		if _, err := mounts.Build(w, "/bin/true"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// TestHiddenCheckDir_OnlyChecksReadIt: the folder is inside or outside of the goal's folder. While a check runs the
// agent's code, what that code writes is discarded.
func TestHiddenCheckDir_OnlyChecksReadIt(t *testing.T) {
	for _, name := range []string{"tests", "deep/tests", "../outside"} {
		t.Run(name, func(t *testing.T) {
			w := newSpec(t)
			w.CheckDir = filepath.Join(w.Dir, name)
			write(t, filepath.Join(w.CheckDir, "answer"), "forty-two\n", 0o644)
			write(t, filepath.Join(w.Dir, "mine"), "x\n", 0o644)
			repository(t, w.Dir)
			s := openSandbox(t, w)
			for _, script := range []string{
				"cat " + w.CheckDir + "/answer", "grep -r forty-two --include=answer .", "mv deep d && cat d/tests/answer",
				"mv tests t && cat t/answer", "rm -r " + w.CheckDir, "cp -r " + w.CheckDir + "/. copy && cat copy/answer",
				"ln " + w.CheckDir + "/answer hard",
			} {
				if text, status := output(t, s, inside(w, script)); status.Code == 0 || strings.Contains(text, "forty-two") {
					t.Errorf("%s: %q %v", script, text, status)
				}
			}
			leak := "cat " + w.CheckDir + "/answer; cp " + w.CheckDir + "/answer leaked && cp " + w.CheckDir +
				"/answer .git/leaked; echo x > " + w.CheckDir + "/new; true"
			if text, status := output(t, s, check(w, leak)); !strings.HasPrefix(text, "forty-two\n") ||
				!strings.Contains(text, "Read-only file system") || status.Code != 0 {
				t.Errorf("the check: %q %v", text, status)
			}
			for _, left := range []string{"leaked", ".git/leaked"} {
				if _, err := os.Stat(filepath.Join(w.Dir, left)); err == nil {
					t.Errorf("the check left %s", left)
				}
			}
			if _, err := os.Stat(filepath.Join(w.CheckDir, "new")); err == nil {
				t.Error("the check changed what it reads")
			}
		})
	}
}

// TestHiddenPaths_ChecksOfAChildGoal_DoNotSeeThem: the hidden paths belong to the parent goal's checks.
func TestHiddenPaths_ChecksOfAChildGoal_DoNotSeeThem(t *testing.T) {
	w := newSpec(t)
	parent := filepath.Join(w.Home, "parent")
	write(t, filepath.Join(parent, "tests/answer"), "forty-two\n", 0o644)
	w.Read, w.Hidden = []string{parent}, []string{filepath.Join(parent, "tests")}
	s := openSandbox(t, w)
	command := "cat " + parent + "/tests/answer"
	for _, c := range []process.Command{inside(w, command), check(w, command)} {
		if text, status := output(t, s, c); status.Code == 0 {
			t.Errorf("%q: %q", c.Domain, text)
		}
	}
}

// repository makes a repository of the user with one commit.
func repository(tb testing.TB, dir string) {
	tb.Helper()
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one"},
	} {
		c := exec.Command("git", args...)
		c.Dir, c.Env = dir, []string{plainPath, "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
		if text, err := c.CombinedOutput(); err != nil {
			tb.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, text)
		}
	}
}
