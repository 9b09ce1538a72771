package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/process"
	"goalpost/backend/sandbox"
)

// TestGitWritesItsConfiguration: in a repository that was there at the start git writes
// its configuration as anywhere, by a file beside that it renames; it is the goal's
// copy that changes, for its agent and its checks, and never the real one.
func TestGitWritesItsConfiguration(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	w := walls(t)
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

	s := enclose(t, w)
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
			`cp .git/config .git/x && git config -f .git/x a.whole c && chmod 600 .git/x && mv -f "$PWD/.git/x" "$PWD/.git/config" && git config a.whole && stat -c %a .git/config | grep 600`,
		},
		{
			"relative to a folder",
			`python3 -c 'import os; d = os.open(".git", os.O_PATH); open(".git/x", "w").write(open(".git/config").read() + "[a]\n\tfolder = c\n"); os.replace("x", "config", src_dir_fd=d, dst_dir_fd=d)' && git config a.folder`,
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

// TestGitCopiesAreNotReplacedOtherwise: what is no rename of a file beside is refused as
// ever, and nothing that was renamed is lost by it.
func TestGitCopiesAreNotReplacedOtherwise(t *testing.T) {
	w := walls(t)
	write(t, filepath.Join(w.Dir, ".git", "HEAD"), "ref: refs/heads/main\n", 0o644)
	write(t, filepath.Join(w.Dir, ".git", "config"), "[core]\n", 0o644)
	write(t, filepath.Join(w.Dir, ".git", "config.worktree"), "[core]\n", 0o644)
	write(t, filepath.Join(w.Dir, "config"), "evil\n", 0o644)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.Tools = []string{self}
	s := enclose(t, w)
	for name, script := range map[string]string{
		"from another folder":   `! python3 -c 'import os; os.rename("config", ".git/config")' && cat config | grep evil`,
		"a link":                `ln -s ../config .git/l; ! python3 -c 'import os; os.rename(".git/l", ".git/config")' && test -L .git/l`,
		"a pipe":                `mkfifo .git/p; ! python3 -c 'import os; os.rename(".git/p", ".git/config")' && test -p .git/p`,
		"a folder":              `mkdir .git/d; ! python3 -c 'import os; os.rename(".git/d", ".git/config")' && test -d .git/d`,
		"the copy itself":       `! python3 -c 'import os; os.rename(".git/config", ".git/other")' && grep core .git/config`,
		"one copy over another": `! python3 -c 'import os; os.rename(".git/config.worktree", ".git/config")' && grep core .git/config.worktree`,
		"an exchange": `! ` + attemptVariable + `=exchange ` + self +
			` .git/x .git/config && grep evil .git/x && grep core .git/config`,
		"nothing": `! python3 -c 'import os; os.rename(".git/none", ".git/config")' && grep core .git/config`,
		"an ordinary file of its " +
			"name": `mkdir sub && echo a > sub/config && echo b > sub/new && mv sub/new sub/config && grep b sub/config && ! test -e sub/new`,
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

// TestGitCopiesLast: whoever replaces a file takes away what was mounted upon it, in
// every sandbox. What the user's own git, editor or passwd replace while a goal runs is
// covered again: what the goal writes lands in its copy, and what was hidden stays so.
func TestGitCopiesLast(t *testing.T) {
	w := walls(t)
	for _, name := range []string{
		".git/HEAD", ".git/config", ".pre-commit-config.yaml", "sub/.git/HEAD",
		"sub/.git/config",
	} {
		write(t, filepath.Join(w.Dir, name), "old\n", 0o644)
	}
	write(t, filepath.Join(w.Dir, ".git", "hooks", "pre-commit"), "old\n", 0o755)
	granted := filepath.Join(filepath.Dir(w.Home), "granted")
	write(t, filepath.Join(granted, ".git", "HEAD"), "old\n", 0o644)
	write(t, filepath.Join(granted, ".git", "config"), "old\n", 0o644)
	hidden := ""
	if os.Getuid() == 0 { // who would read it inside, too
		hidden = filepath.Join("/etc", "goalpost-"+filepath.Base(filepath.Dir(t.TempDir())))
		write(t, hidden, "old\n", 0o600)
		t.Cleanup(func() { _ = os.Remove(hidden) })
	}
	s := enclose(t, w)
	opening, err := s.Grant(t.Context(), sandbox.RuntimeGrant{Write: granted})
	if err != nil {
		t.Fatal(err)
	}
	replaced := func(path string) {
		t.Helper()
		write(t, path+".new", "new\n", 0o644)
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, path string
		replace    func(path string)
	}{
		{"a configuration", w.Dir + "/.git/config", replaced},
		{"once more", w.Dir + "/.git/config", replaced},
		{"what hooks read", w.Dir + "/.pre-commit-config.yaml", replaced},
		{"that of a folder that was granted", granted + "/.git/config", replaced},
		{"the folder above a repository", w.Dir + "/sub/.git/config", func(path string) {
			must(os.RemoveAll(w.Dir + "/sub"))
			write(t, w.Dir+"/sub/.git/HEAD", "new\n", 0o644)
			write(t, path, "new\n", 0o644)
		}},
		{"a folder of hooks", w.Dir + "/.git/hooks/pre-commit", func(path string) {
			must(os.RemoveAll(filepath.Dir(path)))
			write(t, path, "new\n", 0o755)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.replace(c.path)
			// The copy is what the goal finds, as soon as it is there again.
			if text, status := output(t, s,
				inside(w, `until ! grep -q new "$1"; do :; done; grep -q evil "$1" || echo evil > "$1"; cat "$1"`,
					c.path)); status.Code != 0 || text != "evil\n" {
				t.Errorf("%s %v", text, status)
			}
			if real, err := os.ReadFile(c.path); err != nil || string(real) != "new\n" {
				t.Errorf("the real one became %q, %v", real, err)
			}
		})
	}
	if hidden != "" {
		replaced(hidden)
		must(os.Chmod(hidden, 0o600))
		if text, status := output(t, s,
			inside(w, `until ! grep -q new "$1"; do :; done; cat "$1"`, hidden)); status.Code != 0 || text != "" {
			t.Errorf("what is hidden of /etc: %s %v", text, status)
		}
	}
	must(opening.Revoke(t.Context()))
	replaced(granted + "/.git/config")
	if text, _ := output(t, s, inside(w, `cat "$1"; cat "$2/HEAD"`, granted+"/.git/config", granted+
		"/.git")); strings.Contains(text, "new") || strings.Contains(text, "evil") || strings.Contains(text, "old") {
		t.Errorf("after it was taken back: %s", text)
	}
}
