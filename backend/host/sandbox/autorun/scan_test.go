package autorun_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"goalpost/backend/host/sandbox/autorun"
)

// TestListAutorun_FilesOfGitAndEditors_AreListed: such files are found everywhere in the folder, and harmless files
// are not listed.
func TestListAutorun_FilesOfGitAndEditors_AreListed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		".git/config": "[core]\n\tbare = false\n\tfsmonitor = ./evil\n[remote \"origin\"]\n\turl = " +
			"https://example.org/x\n[alias]\n\tst = status\n\tx = !sh\n",
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
	got, err := autorun.ListAutorun(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		".claude/settings.json: is obeyed", ".envrc: is obeyed", ".git/commondir: leads git to ../evil",
		".git/config: alias.x = !sh", ".git/config: core.fsmonitor = ./evil",
		".git/hooks/post-checkout: is a hook (a link to /etc/passwd)", ".git/hooks/pre-commit: is a hook",
		".git/info/attributes: says which filters", ".git/modules/sub/config: filter.x.clean = evil",
		`.git/objects/info/alternates: git reads contents in "/elsewhere"`,
		`.git/rebase-merge/git-rebase-todo: git rebase --continue runs "./evil"`,
		`.git/sequencer/todo: git rebase --continue runs "evil"`,
		".gitmodules: is obeyed", ".husky/pre-commit: is obeyed", ".vscode/tasks.json: is obeyed", "AGENTS.md: is obeyed",
		"bare/config: core.hookspath = /x", "bare/hooks/update: is a hook",
		"deep/er/.git/config: core.sshcommand = evil", "deep/er/.git/config: include.path = /x", "long/.git/config: is 300",
		"src/.idea/runConfigurations/a.xml: is obeyed", "tree/.git: leads git elsewhere",
	}
	if len(got) != len(want) || !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestListAutorun_FilesOfTools_AreListed: some program runs or obeys each of them automatically. Files that every
// project changes are not listed.
func TestListAutorun_FilesOfTools_AreListed(t *testing.T) {
	dir := t.TempDir()
	var want []string
	write := func(names string) []string {
		for _, name := range strings.Fields(names) {
			at := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return strings.Fields(names)
	}
	for _, names := range []string{
		".hg/hgrc sub/.hg/hgrc .jj/repo/config.toml .gdbinit .lldbinit .pdbrc .Rprofile .iex.exs .ghci .irbrc",
		".clinerules/a.md deep/.clinerules opencode.json .opencode/agent/x.md .roo/rules/x.md .kiro/steering/x.md " +
			".windsurf/rules/x.md .aider.conf.yml .goosehints CRUSH.md .github/instructions/x.instructions.md",
		".envrc .tool-versions mise.local.toml .config/mise/config.toml .direnv/flake-profile-1.rc rust-toolchain.toml " +
			".node-version .cargo/config.toml",
		".vscode/tasks.json .vscode/c_cpp_properties.json x.code-workspace x.sublime-project .idea/workspace.xml " +
			".helix/languages.toml .vim/coc-settings.json .nvim.lua .dir-locals-2.el .bsp/x.json .mvn/jvm.config " +
			"gradle/wrapper/gradle-wrapper.properties",
		".devcontainer/x/devcontainer.json .devcontainer.json .gitpod.yml .husky/pre-push .githooks/pre-push " +
			"lefthook-local.yml .pre-commit-config.yaml .lintstagedrc.json .overcommit.yml",
	} {
		want = append(want, write(names)...)
	}
	write("Makefile package.json conftest.py .gitattributes .npmrc .editorconfig .env src/repo/config.toml " +
		".direnv/python/x.py .vscode/extensions.json .github/workflows/x.yml .hg/store/data config.toml README.md")
	got, err := autorun.ListAutorun(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if !slices.EqualFunc(got, want, func(line, name string) bool { return strings.HasPrefix(line, name+": is obeyed") }) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestListAutorun_ManyFiles_HideNothing: the files of git are found, and the list says that it was truncated.
func TestListAutorun_ManyFiles_HideNothing(t *testing.T) {
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
	got, err := autorun.ListAutorunUpTo(dir, 200)
	want := []string{
		".envrc: is obeyed", ".git/config: core.fsmonitor = evil", ".git/hooks/pre-commit: is a hook",
		".: " + autorun.TruncatedPrefix + "more than 200 names",
	}
	if err != nil || len(got) != len(want) || !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got\n%s\n%v", strings.Join(got, "\n"), err)
	}
	if got, err = autorun.ListAutorunUpTo(dir, 2000); err != nil || len(got) != len(want) ||
		!strings.HasPrefix(got[len(got)-1], "~/.vscode/tasks.json") {
		t.Errorf("got\n%s\n%v", strings.Join(got, "\n"), err)
	}
}
