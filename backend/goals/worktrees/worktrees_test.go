package worktrees_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/goals/worktrees"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/storage/config"
)

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// open returns the worktrees of an empty home, and a repository with one commit. If a hook or filter of the repository
// runs, it writes to mark.
func open(t *testing.T) (w *worktrees.Worktrees, repo, mark string) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	cfg, err := config.Open(func(name string) string {
		return map[string]string{config.HomeVariable: home, "HOME": home}[name]
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sandbox.Open(t.Context(), sandbox.Options{Helper: sandboxtest.Helper(t), Name: "git"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := cfg.Close(); err != nil {
			t.Error(err)
		}
	})
	repo, mark = t.TempDir(), filepath.Join(home, "mark")
	git(t, repo, "init", "-q", "-b", "main")
	git(t, repo, "config", "user.name", "Ada")
	git(t, repo, "config", "user.email", "ada@example.org")
	write(t, repo, ".gitattributes", "*.big filter=mark\n")
	write(t, repo, ".gitignore", "*.log\n")
	write(t, repo, "a.txt", "one\n")
	git(t, repo, "add", "-A")
	git(t, repo, "commit", "-qm", "one")
	program := "sh -c 'echo ran >> " + mark + "; cat'"
	git(t, repo, "config", "filter.mark.clean", program)
	git(t, repo, "config", "filter.mark.smudge", program)
	for _, hook := range []string{"post-checkout", "post-commit", "reference-transaction"} {
		path := filepath.Join(repo, ".git", "hooks", hook)
		//nolint:gosec // it is a hook
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho ran >> "+mark+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return &worktrees.Worktrees{Config: cfg, Programs: s}, repo, mark
}

// TestRemove_WithWork_Refuses also checks that a second goal with the same objective gets another branch and folder.
func TestRemove_WithWork_Refuses(t *testing.T) {
	w, repo, _ := open(t)
	one, _, err := w.Create(t.Context(), repo, "same", "01k3aaaaaaaaaaa1")
	if err != nil {
		t.Fatal(err)
	}
	two, _, err := w.Create(t.Context(), repo, "same", "01k3aaaaaaaaaaa2")
	if err != nil || two.Branch == one.Branch || two.Dir == one.Dir {
		t.Fatalf("%+v and %+v: %v", one, two, err)
	}
	write(t, one.Dir, "new.txt", "work\n")
	_, _, err = w.Remove(t.Context(), one.Dir, false)
	if err == nil || !strings.Contains(err.Error(), "1 uncommitted file") {
		t.Errorf("uncommitted work: %v", err)
	}
	if _, _, _, err := w.Commit(t.Context(), one, "work"); err != nil {
		t.Fatal(err)
	}
	_, _, err = w.Remove(t.Context(), one.Dir, false)
	if err == nil || !strings.Contains(err.Error(), "no other branch has") {
		t.Errorf("unmerged work: %v", err)
	}
	if _, _, err := w.Remove(t.Context(), repo, true); err == nil {
		t.Error("the user's own folder was removed")
	}
	for _, dir := range []string{two.Dir, one.Dir} {
		if _, commit, err := w.Remove(t.Context(), dir, dir == one.Dir); err != nil || commit == "" {
			t.Errorf("remove %s: %q %v", dir, commit, err)
		}
	}
	left, err := w.List(t.Context())
	if err != nil || len(left) != 0 || git(t, repo, "branch", "--format=%(refname:short)") != "main" {
		t.Errorf("left %+v %v", left, err)
	}
}
