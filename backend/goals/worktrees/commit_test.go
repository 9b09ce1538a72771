package worktrees_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommit_HasWhatDiffers: the commit has new, changed and deleted files, links and modes. It leaves out files that
// git ignores, files that a filter would change, and other repositories. No program of the repository runs.
func TestCommit_HasWhatDiffers(t *testing.T) {
	w, repo, mark := open(t)
	made, dir, err := w.Create(t.Context(), repo, "Fix: the cart!", "01k3abcdefghijk")
	if err != nil {
		t.Fatal(err)
	}
	if made.Branch != "goalpost/fix-the-cart" || made.From != "main" || dir != made.Dir ||
		made.MergeCommand() != "git -C "+repo+" merge goalpost/fix-the-cart" {
		t.Errorf("made %+v", made)
	}
	if commit, n, _, err := w.Commit(t.Context(), made, "nothing"); commit != "" || n != 0 || err != nil {
		t.Errorf("nothing differs: %q %d %v", commit, n, err)
	}
	if err := os.Remove(filepath.Join(dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "b.txt", "two\n")
	write(t, dir, "c.log", "ignored\n")
	write(t, dir, "d.big", "filtered\n")
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "inner"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, filepath.Join(dir, "inner"), "init", "-q")
	commit, n, skipped, err := w.Commit(t.Context(), made, "Fix the cart")
	if err != nil || n != 3 || len(skipped) != 2 {
		t.Fatalf("%d files, without %v: %v", n, skipped, err)
	}
	got := git(t, repo, "show", "--format=%s", "--raw", "--abbrev=7", "--no-renames", commit)
	if !strings.Contains(got, "Fix the cart") ||
		!strings.Contains(got, "D\ta.txt") || !strings.Contains(got, ":000000 100644") ||
		!strings.Contains(got, ":000000 120000") || strings.Contains(got, "big") || strings.Contains(got, "log") {
		t.Errorf("the commit is %s", got)
	}
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("programs of the repository ran: %s", ran)
	}
	if git(t, repo, "symbolic-ref", "--short", "HEAD") != "main" || git(t, repo, "status", "--porcelain") != "" {
		t.Error("the user's work tree changed")
	}
}

// TestCommit_WithoutIdentity_IsByGoalpost: a user who has set no name in git must still get a branch to merge.
func TestCommit_WithoutIdentity_IsByGoalpost(t *testing.T) {
	w, repo, _ := open(t)
	git(t, repo, "config", "--remove-section", "user")
	git(t, repo, "config", "user.useConfigOnly", "true")
	made, dir, err := w.Create(t.Context(), repo, "add b", "01k3abcdefghijk")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "b.txt", "two\n")
	commit, _, _, err := w.Commit(t.Context(), made, "Add b")
	if err != nil {
		t.Fatal(err)
	}
	if got := git(t, repo, "log", "-1", "--format=%an <%ae> %s", commit); got != "Goalpost <goalpost@localhost> Add b" {
		t.Errorf("the commit is of %s", got)
	}
	git(t, repo, "merge", "-q", made.Branch)
}
