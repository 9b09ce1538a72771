package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/process"
)

// TestGitConfig_Written_ChangesTheCopy: git writes a file beside the configuration and renames it. This changes the
// goal's copy, for its agent and its checks, but never the real file.
func TestGitConfig_Written_ChangesTheCopy(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := newSpec(t)
	git := func(dir string, args ...string) {
		t.Helper()
		c := exec.Command("git", args...)
		c.Dir, c.Env = dir, []string{
			plainPath, "HOME=" + w.Home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1",
			"GIT_CONFIG_KEY_0=protocol.file.allow", "GIT_CONFIG_VALUE_0=always",
		}
		if text, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, text)
		}
	}
	commit := []string{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m"}
	git(w.Dir, "init", "-q", "--bare", "origin")
	git(w.Dir, "init", "-q", "other")
	git(w.Dir+"/other", append(commit, "one")...)
	git(w.Dir, "init", "-q", "-b", "main", "repo")
	repo := filepath.Join(w.Dir, "repo")
	git(repo, append(commit, "one")...)
	git(repo, "submodule", "--quiet", "add", "../other", "sub")
	git(repo, append(commit, "two", "-a")...)
	write(t, filepath.Join(repo, ".git", "hooks", "pre-commit"), "#!/bin/sh\nexit 0\n", 0o755)
	write(t, filepath.Join(repo, ".pre-commit-config.yaml"), "repos: []\n", 0o644)
	real := filepath.Join(repo, ".git", "config")
	before, err := os.ReadFile(real)
	if err != nil {
		t.Fatal(err)
	}

	s := openSandbox(t, w)
	for _, c := range []struct{ name, script string }{
		{"a value", "git config user.name Somebody && git config user.email a@b && git config user.name | grep Somebody"},
		{"one that makes it shorter", "git config x.long " + strings.Repeat("long", 2000) +
			" && git config --unset x.long && ! grep -e long -e '^$' .git/config"},
		{"another remote", "git remote add origin ../origin && git remote rename origin far && git remote rename far origin"},
		{"a branch that follows", "git push -q -u origin main && git config branch.main.remote | grep origin"},
		{
			"another name of a branch",
			"git branch -m trunk && git config branch.trunk.remote | grep origin && git branch -m main",
		},
		{
			"a submodule",
			"git -c protocol.file.allow=always submodule --quiet add ../other more && git config submodule.more.url",
		},
		{"that of a submodule", "git -C sub config user.name Other && git -C sub config user.name | grep Other"},
		{
			"submodules of a clone",
			"git -c protocol.file.allow=always clone -q --recurse-submodules $PWD ../copy && git -C ../copy/sub config a.b c",
		},
		{"a worktree", "git worktree add -q ../tree && git -C ../tree config a.tree c && git config a.tree"},
		{"init once more", "git init -q && git config core.filemode | grep true"},
		{"an editor", "sed -i 's/Somebody/Else/' .git/config && git config user.name | grep Else"},
		{
			"by a whole path",
			`cp .git/config .git/x && git config -f .git/x a.whole c && chmod 600 .git/x && ` +
				`mv -f "$PWD/.git/x" "$PWD/.git/config" && ` +
				`git config a.whole && stat -c %a .git/config | grep 600`,
		},
		{
			"relative to a folder",
			`python3 -c 'import os; d = os.open(".git", os.O_PATH); ` +
				`open(".git/x", "w").write(open(".git/config").read() + "[a]\n\tfolder = c\n"); ` +
				`os.replace("x", "config", src_dir_fd=d, dst_dir_fd=d)' && git config a.folder`,
		},
		{"what hooks read", "sed -i 's/\\[\\]/[evil]/' .pre-commit-config.yaml && grep evil .pre-commit-config.yaml"},
	} {
		t.Run(c.name, func(t *testing.T) {
			command := inside(w, c.script)
			command.Dir = repo
			if text, status := output(t, s, command); status.Code != 0 {
				t.Errorf("%s\n%s", status, text)
			}
		})
	}
	command := inside(w, "git config user.email c@d && git config user.name | grep Else")
	command.Dir, command.Domain = repo, process.DomainCheck
	if text, status := output(t, s, command); status.Code != 0 {
		t.Errorf("a check: %s\n%s", status, text)
	}
	if now, err := os.ReadFile(real); err != nil || string(now) != string(before) {
		t.Errorf("the real configuration became\n%s%v", now, err)
	}
	if now, err := os.ReadFile(filepath.Join(repo, ".pre-commit-config.yaml")); err != nil ||
		string(now) != "repos: []\n" {
		t.Errorf("what the user's hooks read became\n%s%v", now, err)
	}
	if left, _ := filepath.Glob(filepath.Join(repo, ".git", "config?*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestGitCopies_ReplacedOtherwise_AreRefused: a copy can be replaced only by renaming a file that is beside it. If a
// rename is refused, the renamed file is not lost.
func TestGitCopies_ReplacedOtherwise_AreRefused(t *testing.T) {
	w := newSpec(t)
	write(t, filepath.Join(w.Dir, ".git", "HEAD"), "ref: refs/heads/main\n", 0o644)
	write(t, filepath.Join(w.Dir, ".git", "config"), "[core]\n", 0o644)
	write(t, filepath.Join(w.Dir, ".git", "config.worktree"), "[core]\n", 0o644)
	write(t, filepath.Join(w.Dir, "config"), "evil\n", 0o644)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.Tools = []string{self}
	s := openSandbox(t, w)
	for name, script := range map[string]string{
		"from another folder": `! python3 -c 'import os; os.rename("config", ".git/config")' && cat config | grep evil`,
		"a link": `ln -s ../config .git/l; ! python3 -c 'import os; os.rename(".git/l", ".git/config")' && ` +
			`test -L .git/l`,
		"a pipe": `mkfifo .git/p; ! python3 -c 'import os; os.rename(".git/p", ".git/config")' && ` +
			`test -p .git/p`,
		"a folder": `mkdir .git/d; ! python3 -c 'import os; os.rename(".git/d", ".git/config")' && ` +
			`test -d .git/d`,
		"the copy itself": `! python3 -c 'import os; os.rename(".git/config", ".git/other")' && grep core .git/config`,
		"one copy over another": `! python3 -c 'import os; os.rename(".git/config.worktree", ".git/config")' && ` +
			`grep core .git/config.worktree`,
		"an exchange": `! ` + attemptVariable + `=exchange ` + self +
			` .git/x .git/config && grep evil .git/x && grep core .git/config`,
		"nothing": `! python3 -c 'import os; os.rename(".git/none", ".git/config")' && grep core .git/config`,
		"an ordinary file of its name": `mkdir sub && echo a > sub/config && echo b > sub/new && ` +
			`mv sub/new sub/config && grep b sub/config && ! test -e sub/new`,
	} {
		t.Run(name, func(t *testing.T) {
			if text, status := output(t, s, inside(w, script)); status.Code != 0 {
				t.Errorf("%s\n%s", status, text)
			}
			if real, err := os.ReadFile(filepath.Join(w.Dir, ".git", "config")); err != nil || string(real) != "[core]\n" {
				t.Errorf("the real configuration became %q, %v", real, err)
			}
		})
	}
}
