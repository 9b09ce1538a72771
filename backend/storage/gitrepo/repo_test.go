package gitrepo_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/storage/gitrepo"
)

func launcher(t *testing.T) process.Launcher {
	t.Helper()
	s, err := sandbox.Open(t.Context(), sandbox.Options{Helper: sandboxtest.Helper(t), Name: "git"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

// env returns the environment of a user whose configuration contains only a name.
func env(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	write(t, home, ".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n")
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", args...)
	c.Dir, c.Env = dir, env
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// repository creates a repository with one commit, a staged file and an unstaged change.
func repository(t *testing.T, env []string) string {
	t.Helper()
	dir := t.TempDir()
	git(t, dir, env, "init", "-q", "-b", "main")
	write(t, dir, "sub/a.txt", "one\n")
	write(t, dir, "sub/gone.txt", "gone\n")
	write(t, dir, "other.txt", "other\n")
	git(t, dir, env, "add", "-A")
	git(t, dir, env, "commit", "-qm", "one")
	write(t, dir, "staged.txt", "staged\n")
	git(t, dir, env, "add", "staged.txt")
	write(t, dir, "other.txt", "unstaged\n")
	return dir
}

func file(path, mode, content string) gitrepo.File {
	return gitrepo.File{Path: path, Mode: mode, Content: func() ([]byte, error) { return []byte(content), nil }}
}

// changes returns changes below the folder sub.
func changes() []gitrepo.File {
	return []gitrepo.File{
		file("a.txt", "100644", "two\n"), file("new/b \"ü\"\n.sh", "100755", "#!/bin/sh\n"), file("link", "120000", "a.txt"),
		{Path: "gone.txt"},
	}
}

// hashTree returns a hash of every file below a folder.
func hashTree(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		sum.Write([]byte(path))
		sum.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func open(t *testing.T, l process.Launcher, env []string, dir string) *gitrepo.Repo {
	t.Helper()
	r, err := gitrepo.Open(t.Context(), l, env, dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCommit_NewBranch_LeavesIndexAndCheckoutAlone(t *testing.T) {
	env := env(t)
	dir := repository(t, env)
	before := git(t, dir, env, "status", "--porcelain=v2", "--branch")
	index := hashTree(t, filepath.Join(dir, ".git", "index"))
	r := open(t, launcher(t), env, filepath.Join(dir, "sub"))
	commit, err := r.Commit(t.Context(), "goalpost/x", "Count items\n\nAll of them.\n", changes())
	if err != nil {
		t.Fatal(err)
	}
	if got := git(t, dir, env, "rev-parse", "goalpost/x"); got != commit {
		t.Errorf("the branch is at %s, want %s", got, commit)
	}
	const want = "Ada <ada@example.org> Count items\n\nAll of them.\n\n\n" +
		":100644 100644 M\tsub/a.txt\n:100644 000000 D\tsub/gone.txt\n:000000 120000 A\tsub/link\n" +
		":000000 100755 A\t\"sub/new/b \\\"\\303\\274\\\"\\n.sh\""
	got := git(t, dir, env, "log", "-1", "--raw", "--abbrev=0", "--format=%an <%ae> %B", "goalpost/x")
	if strip := stripObjects(got); strip != want {
		t.Errorf("the commit is\n%s\nwant\n%s", strip, want)
	}
	if got := git(t, dir, env, "status", "--porcelain=v2", "--branch"); got != before {
		t.Errorf("the status was\n%s\nand is\n%s", before, got)
	}
	if got := hashTree(t, filepath.Join(dir, ".git", "index")); got != index {
		t.Error("the index changed")
	}
	if refs := git(t, dir, env, "for-each-ref", "refs/goalpost"); refs != "" {
		t.Errorf("left behind: %s", refs)
	}
	if _, err := r.Commit(t.Context(), "goalpost/x", "again\n", changes()); err == nil ||
		!strings.Contains(err.Error(), "already exists") {
		t.Errorf("a second time: %v", err)
	}
	if _, err := r.Commit(t.Context(), "../x", "bad\n", changes()); err == nil {
		t.Error("a bad name was taken")
	}
	same := []gitrepo.File{file("a.txt", "100644", "one\n")}
	if _, err := r.Commit(t.Context(), "same", "same\n", same); !errors.Is(err, gitrepo.ErrNothing) {
		t.Errorf("of what is committed: %v", err)
	}
}

// stripObjects removes the object names from the lines of git log --raw.
func stripObjects(log string) string {
	lines := strings.Split(log, "\n")
	for i, line := range lines {
		if words := strings.SplitN(line, " ", 5); strings.HasPrefix(line, ":") && len(words) == 5 {
			lines[i] = words[0] + " " + words[1] + " " + words[4]
		}
	}
	return strings.Join(lines, "\n")
}

func TestCommit_CurrentBranch_MovesItAndItsIndexEntries(t *testing.T) {
	env := env(t)
	dir := repository(t, env)
	sub := filepath.Join(dir, "sub")
	write(t, sub, "a.txt", "two\n")
	r := open(t, launcher(t), env, sub)
	if r.Branch() != "main" {
		t.Fatalf("the branch is %q", r.Branch())
	}
	change := []gitrepo.File{file("a.txt", "100644", "two\n")}
	if _, err := r.Commit(t.Context(), "main", "Change a\n", change); err != nil {
		t.Fatal(err)
	}
	if got := git(t, dir, env, "log", "--format=%s"); got != "Change a\none" {
		t.Errorf("the log is %q", got)
	}
	if got := git(t, dir, env, "status", "--porcelain"); got != "M other.txt\nA  staged.txt" {
		t.Errorf("the status is %q", got)
	}
}

func TestWritePatch_IsTakenByGitAm(t *testing.T) {
	env := env(t)
	dir := repository(t, env)
	patch, err := os.Create(filepath.Join(t.TempDir(), "patch"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = patch.Close() }()
	files := append(changes(), file("binary", "100644", "a\x00b"))
	r := open(t, launcher(t), env, filepath.Join(dir, "sub"))
	if err := r.WritePatch(t.Context(), "Count items\n", files, patch); err != nil {
		t.Fatal(err)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	git(t, dir, env, "clone", "-q", dir, clone)
	git(t, clone, env, "am", "-q", patch.Name())
	b, err := os.ReadFile(filepath.Join(clone, "sub", "binary"))
	if err != nil || string(b) != "a\x00b" || git(t, clone, env, "log", "-1", "--format=%s") != "Count items" {
		t.Errorf("%q %v", b, err)
	}
	if branches := git(t, dir, env, "branch"); branches != "* main" {
		t.Errorf("branches %q", branches)
	}
}

// TestCommit_HostileRepository_RunsNothing: every program that the repository can name would write a file when git
// starts it.
func TestCommit_HostileRepository_RunsNothing(t *testing.T) {
	env := env(t)
	dir := repository(t, env)
	marks := t.TempDir()
	trap := filepath.Join(marks, "trap.sh")
	write(t, marks, "trap.sh", "#!/bin/sh\ntouch "+marks+"/ran-$$\ncat\n")
	if err := os.Chmod(trap, 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	for _, hook := range []string{"pre-commit", "post-commit", "reference-transaction", "post-index-change"} {
		if err := os.Symlink(trap, filepath.Join(dir, ".git", "hooks", hook)); err != nil {
			t.Fatal(err)
		}
	}
	for _, setting := range []string{
		"core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "gpg.program",
		"filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "filter.a=b.c.clean",
		"diff.trap.command", "diff.trap.textconv", "diff.external", "credential.helper",
	} {
		git(t, dir, env, "config", setting, trap)
	}
	git(t, dir, env, "config", "commit.gpgSign", "true")
	git(t, dir, env, "config", "filter.trap.required", "true")
	write(t, dir, ".git/info/attributes", "* filter=trap diff=trap\n")
	sub := filepath.Join(dir, "sub")
	r := open(t, launcher(t), env, sub)
	filtered, err := r.Filtered(t.Context(), []string{"a.txt"})
	if err != nil || filtered["a.txt"] != "trap" {
		t.Errorf("filtered %v %v", filtered, err)
	}
	if _, err := r.Committed(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := r.Commit(t.Context(), "new", "x\n", changes()); err != nil {
		t.Error(err)
	}
	if _, err := r.Commit(t.Context(), "main", "x\n", changes()); err != nil {
		t.Error(err)
	}
	patch, err := os.Create(filepath.Join(t.TempDir(), "patch"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = patch.Close() }()
	if err := r.WritePatch(t.Context(), "y\n", []gitrepo.File{file("c", "100644", "c")}, patch); err != nil {
		t.Error(err)
	}
	list, err := os.ReadDir(marks)
	if err != nil || len(list) != 1 {
		t.Errorf("%d programs ran: %v", len(list)-1, err)
	}
}

func TestOpen_NoRepository(t *testing.T) {
	l, env := launcher(t), env(t)
	if _, err := gitrepo.Open(t.Context(), l, env, t.TempDir()); !errors.Is(err, gitrepo.ErrNoRepository) {
		t.Errorf("an empty folder: %v", err)
	}
	dir := repository(t, env)
	git(t, dir, env, "config", "core.worktree", "/")
	if _, err := gitrepo.Open(t.Context(), l, env, dir); !errors.Is(err, gitrepo.ErrNoRepository) {
		t.Errorf("a work tree elsewhere: %v", err)
	}
}
