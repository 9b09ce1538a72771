package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/host/sandbox/mounts"
)

// TestOutsideGitDir_LinkedWorktreesAndSubmodules_HaveGit: git commits there, and gets copies of the configuration. A
// link that git did not make opens nothing.
func TestOutsideGitDir_LinkedWorktreesAndSubmodules_HaveGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newSpec(t)
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-ec", `git init -q main && git -C main commit -q --allow-empty -m one
		git clone -q --bare main bare.git && git -C bare.git worktree add -q ../linked -b side
		git -c protocol.file.allow=always -C main submodule --quiet add ../bare.git sub
		mkdir forged && echo "gitdir: ../main/.git" >forged/.git
		mkdir stolen && cp linked/.git stolen/.git`)
	c.Dir, c.Env = top, []string{
		plainPath, "HOME=" + w.Home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}
	if text, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for dir, want := range map[string]string{
		"linked": "bare.git", "main/sub": "main/.git/modules/sub", "main": "", "forged": "", "stolen": "", ".": "",
	} {
		if want != "" {
			want = filepath.Join(top, want)
		}
		if got := mounts.OutsideGitDir(filepath.Join(top, dir)); got != want {
			t.Errorf("%s: %q, want %q", dir, got, want)
		}
	}
	for _, dir := range []string{"linked", "main/sub"} {
		one := w
		one.Dir, one.Layer = filepath.Join(top, dir), t.TempDir()
		one.Write = []string{mounts.OutsideGitDir(one.Dir)}
		text, status := output(t, openSandbox(t, one), inside(one, `git config user.name a && git config user.email a@b &&
			echo evil >"$(git rev-parse --git-common-dir)/hooks/post-commit" &&
			git commit -q --allow-empty -m two && git status`))
		if status.Code != 0 {
			t.Errorf("%s: %s\n%s", dir, status, text)
		}
		config, err := os.ReadFile(filepath.Join(one.Write[0], "config"))
		if err != nil || strings.Contains(string(config), "a@b") {
			t.Errorf("the configuration became %s, %v", config, err)
		}
		if _, err := os.Lstat(filepath.Join(one.Write[0], "hooks", "post-commit")); err == nil {
			t.Error("the real hooks were changed")
		}
	}
	if got := mounts.RepositoryAbove(filepath.Join(top, "main", ".git", "hooks")); got != filepath.Join(top, "main") {
		t.Errorf("above: %q", got)
	}
}
