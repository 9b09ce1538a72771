package sandbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"goalpost/backend/sandbox"
)

// TestSelfRun: everything in a folder that git or an editor runs by itself is named,
// wherever it lies, and what is harmless is not.
func TestSelfRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		".git/config":                       "[core]\n\tbare = false\n\tfsmonitor = ./evil\n[remote \"origin\"]\n\turl = https://example.org/x\n[alias]\n\tst = status\n\tx = !sh\n",
		".git/HEAD":                         "ref: refs/heads/main\n",
		".git/hooks/pre-commit":             "#!/bin/sh\n",
		".git/hooks/a.sample":               "#!/bin/sh\n",
		".git/modules/sub/config":           "[filter \"x\"] clean = evil\n",
		"deep/er/.git/config":               "[CORE] sshCommand = \\\nevil\n[include]\npath = /x\n",
		"tree/.git":                         "gitdir: ../elsewhere\n",
		".git/commondir":                    "../evil\n",
		"bare/HEAD":                         "ref: x\n",
		"bare/objects/.keep":                "",
		"bare/refs/.keep":                   "",
		"bare/config":                       "[core]\nhooksPath = /x\n",
		"bare/hooks/update":                 "#!/bin/sh\n",
		"src/config":                        "[core]\nfsmonitor = evil\n",
		".envrc":                            "evil\n",
		".git/rebase-merge/git-rebase-todo": "pick 1234 x\nexec ./evil\n",
		".git/sequencer/todo":               "x evil\n",
		"src/git-rebase-todo":               "exec ./evil\n",
		".git/info/attributes":              "* filter=lfs\n",
		".git/objects/info/alternates":      "/elsewhere\n",
		"long/.git/config":                  strings.Repeat("# nothing\n", 30_000) + "[core]\nfsmonitor = evil\n",
		".claude/settings.json":             "{}",
		"src/.idea/runConfigurations/a.xml": "x",
		"AGENTS.md":                         "x",
		".gitmodules":                       "x",
		".husky/pre-commit":                 "x",
		".vscode/tasks.json":                "{}",
		"settings.json":                     "{}",
		"node_modules/x/.git/config":        "[core]\nfsmonitor = evil\n",
		"quiet/.git/config":                 "[core]\nfsmonitor = true\n# editor = x\n[user]\nname = x\n",
	} {
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		at := filepath.Join(dir, name)
		must(os.MkdirAll(filepath.Dir(at), 0o755))
		mode := os.FileMode(0o644)
		if strings.Contains(name, "hooks/") {
			mode = 0o755
		}
		must(os.WriteFile(at, []byte(text), mode))
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, ".git/hooks/post-checkout")); err != nil {
		t.Fatal(err)
	}
	got, err := sandbox.SelfRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		".claude/settings.json: is obeyed", ".envrc: is obeyed", ".git/commondir: leads git to ../evil", ".git/config: alias.x = !sh", ".git/config: core.fsmonitor = ./evil",
		".git/hooks/post-checkout: is a hook (a link to /etc/passwd)", ".git/hooks/pre-commit: is a hook", ".git/info/attributes: says which filters", ".git/modules/sub/config: filter.x.clean = evil",
		`.git/objects/info/alternates: git reads contents in "/elsewhere"`, `.git/rebase-merge/git-rebase-todo: git rebase --continue runs "./evil"`, `.git/sequencer/todo: git rebase --continue runs "evil"`,
		".gitmodules: is obeyed", ".husky/pre-commit: is obeyed", ".vscode/tasks.json: is obeyed", "AGENTS.md: is obeyed", "bare/config: core.hookspath = /x", "bare/hooks/update: is a hook",
		"deep/er/.git/config: core.sshcommand = evil", "deep/er/.git/config: include.path = /x", "long/.git/config: is 300", "src/.idea/runConfigurations/a.xml: is obeyed", "tree/.git: leads git elsewhere",
	}
	if len(got) != len(want) || !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestSelfRunUnderAFlood: many files hide nothing of git's, and what was not looked
// at is said.
func TestSelfRunUnderAFlood(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/hooks/pre-commit", "x")
	write(".git/config", "[core]\nfsmonitor = evil\n")
	write(".git/HEAD", "x")
	write(".envrc", "x")
	write("~/.vscode/tasks.json", "x")
	for n := range 300 {
		write("!/"+strconv.Itoa(n), "")
		write(".git/!"+strconv.Itoa(n%10)+"/x", "")
	}
	got, err := sandbox.SelfRunOf(dir, 200)
	want := []string{".envrc: is obeyed", ".git/config: core.fsmonitor = evil", ".git/hooks/pre-commit: is a hook", ".: " + sandbox.NotAll + "more than 200 names"}
	if err != nil || len(got) != len(want) || !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got\n%s\n%v", strings.Join(got, "\n"), err)
	}
	if got, err = sandbox.SelfRunOf(dir, 2000); err != nil || len(got) != len(want) || !strings.HasPrefix(got[len(got)-1], "~/.vscode/tasks.json") {
		t.Errorf("got\n%s\n%v", strings.Join(got, "\n"), err)
	}
}
