package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/mounts"
)

// TestRepositoryAbove_FolderInside_HasGit: git shows, compares and commits what a goal changed in its part of a work
// tree, in the main one and in a linked one. Elsewhere in it, programs read no file, not even an unfinished one of the
// user, and write none.
func TestRepositoryAbove_FolderInside_HasGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	env := []string{
		plainPath, "HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}
	user := func(t *testing.T, script string) string {
		t.Helper()
		c := exec.Command("sh", "-ec", script)
		c.Dir, c.Env = base, env
		text, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		return string(text)
	}
	user(t, `git init -q main && cd main && mkdir -p "packages/a [b]" packages/other .husky
		echo one >"packages/a [b]/file" && echo two >packages/other/file && echo three >top && echo '*.log' >.gitignore
		echo '*.tmp' >packages/other/.gitignore
		printf '#!/bin/sh\necho the hook ran >&2\n' >.husky/pre-commit && chmod +x .husky/pre-commit
		git add . && git commit -qm one && git config core.hooksPath .husky && git worktree add -q ../linked -b side
		git -C ../linked update-index --index-version 4
		for tree in ../main ../linked; do
			touch -r ../main/top "$(git -C $tree rev-parse --git-dir)/index" # as old as the files: git compares contents
			echo secret >$tree/.env && echo secret >$tree/packages/other/untracked && echo x >"$tree/packages/a [b]/x.log"
		done`)
	for _, tree := range []string{"main", "linked"} {
		t.Run(tree, func(t *testing.T) {
			w := newSpec(t)
			w.Dir = filepath.Join(base, tree, "packages", "a [b]")
			w.Repository = mounts.FindRepositoryAbove(w.Dir)
			if w.Repository == nil || w.Repository.GitDir != filepath.Join(base, "main", ".git") {
				t.Fatalf("found %+v", w.Repository)
			}
			w.Write = []string{w.Repository.GitDir}
			s := openSandbox(t, w)
			run := func(domain process.Domain, script string) string {
				t.Helper()
				c := inside(w, script)
				c.Domain = domain
				text, status := output(t, s, c)
				if status.Code != 0 {
					t.Errorf("%s: %s\n%s", script, status, text)
				}
				return text
			}
			for _, domain := range []process.Domain{"", process.DomainCheck} {
				if got := run(domain, "git status --porcelain && git diff && git log --format=%s"); got != "one\n" {
					t.Errorf("%s: it starts with %q", domain, got)
				}
				for _, script := range []string{
					"cat ../other/untracked", "cat ../../.env", "cp ../../.env /tmp", "ln ../../.env here", "echo x >../other/new",
					"mv ../other/untracked .", "echo x >>../../top", "git -C ../.. mv top moved",
				} {
					text, status := output(t, s, inside(w, "! { "+script+"; }"))
					if status.Code != 0 || strings.Contains(text, "secret") {
						t.Errorf("%s: %s: %s\n%s", domain, script, status, text)
					}
				}
			}
			text := run("", `echo new >added && echo more >>file && git status --porcelain && git diff . &&
				git config user.name a && git config user.email a@b && git add -A && git commit -qm two && git status --porcelain`)
			for _, want := range []string{` M "packages/a [b]/file"`, `?? "packages/a [b]/added"`, "+more", "the hook ran"} {
				if !strings.Contains(text, want) || strings.Contains(text, "other") || strings.Contains(text, "warning") {
					t.Errorf("no %q, or too much, in\n%s", want, text)
				}
			}
			got := user(t, "cd "+tree+` && git log --format=%s -1 && git show --format= --name-status && git status --porcelain`)
			want := "two\nA\tpackages/a [b]/added\nM\tpackages/a [b]/file\n?? .env\n?? packages/other/untracked\n"
			if got != want {
				t.Errorf("the user sees %q, want %q", got, want)
			}
			// The user commits in another part while the goal works: what git would store of it is not what is there.
			user(t, "cd "+tree+` && echo fou >packages/other/file && git commit -qam three`)
			text, status := output(t, s, inside(w, "git add -A"))
			if status.Code == 0 || !strings.Contains(text, "packages/other/file") {
				t.Errorf("an outline was added: %s\n%s", status, text)
			}
			other := filepath.Join(base, tree, "packages", "other")
			if _, err := s.Grant(t.Context(), sandbox.RuntimeGrant{Read: other}); err != nil {
				t.Fatal(err)
			}
			if text, status := output(t, s, inside(w, "cat ../other/untracked")); text != "secret\n" {
				t.Errorf("a granted folder cannot be read: %s\n%s", status, text)
			}
			config, err := os.ReadFile(filepath.Join(w.Repository.GitDir, "config"))
			if err != nil || strings.Contains(string(config), "a@b") {
				t.Errorf("the configuration became %s, %v", config, err)
			}
		})
	}
}
