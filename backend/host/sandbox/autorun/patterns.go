package autorun

import (
	"path"
	"slices"
	"strings"
)

// Files that programs run or obey automatically when the user opens a folder, starts a shell or a debugger there, or
// commits. Files that every project changes are not among them (see docs/security.md).
var autorunPatterns = splitWords(
	// shells and version managers
	".envrc .autoenv .autoenv.zsh .autoenv.leave .autoenv_leave.zsh .mise.toml mise.toml .mise.local.toml "+
		"mise.local.toml .rtx.toml .tool-versions",
	".python-version .nvmrc .node-version .ruby-version .java-version .sdkmanrc rust-toolchain rust-toolchain.toml",
	// editors
	".exrc .vimrc .nvimrc .nvim.lua .lvimrc .local.vimrc .vimspector.json coc-settings.json .neoconf.json "+
		".dir-locals.el .dir-locals-2.el .rules .pylintrc pylintrc",
	".devcontainer.json .gitpod.yml .gitpod.Dockerfile .replit devfile.yaml .devfile.yaml tasks.vs.json launch.vs.json",
	"gradle-wrapper.properties gradle-wrapper.jar maven-wrapper.properties maven-wrapper.jar",
	// commit hooks
	".gitmodules .lfsconfig .pre-commit-config.yaml prek.toml lefthook.yml .lefthook.yml lefthook.yaml .lefthook.yaml "+
		"lefthook.toml .lefthook.toml lefthook.json .lefthook.json",
	"lefthook-local.yml .lefthook-local.yml .overcommit.yml captainhook.json grumphp.yml .simple-git-hooks.json "+
		".simple-git-hooks.js .simple-git-hooks.cjs",
	// debuggers and interactive interpreters
	".gdbinit .gdbearlyinit .lldbinit .pdbrc .perldb .rdbgrc .byebugrc .jdbrc .irbrc .pryrc .iex.exs .ghci .ocamlinit "+
		".erlang .Rprofile .Renviron .RData",
	// agents
	"AGENTS.md AGENTS.override.md AGENT.md CLAUDE.md CLAUDE.local.md GEMINI.md QWEN.md CRUSH.md WARP.md CODEX.md "+
		".cursorrules .windsurfrules .clinerules .roorules .goosehints .augment-guidelines",
	".mcp.json opencode.json opencode.jsonc crush.json .crush.json .aider.conf.yml copilot-instructions.md",
)

// Folders in which every file runs automatically, and folders in which only some files do.
var (
	fullyListedDirs = splitWords(
		".idea .zed .fleet .helix .nlsp-settings .bsp .mvn .externalToolBuilders .devcontainer .idx .mise .husky .githooks",
		".cursor .claude .codex .gemini .qwen .opencode .clinerules .roo .kilocode .kiro .windsurf .trae .junie .augment "+
			".continue .amazonq .openhands .crush .goose .agents")
	partlyListedDirs = map[string]map[string]bool{
		".vscode": splitWords("tasks.json settings.json launch.json mcp.json c_cpp_properties.json cmake-kits.json"),
		".hg":     splitWords("hgrc hgrc-not-shared"),
		"repo":    splitWords("config.toml"), // of .jj
		".cargo":  splitWords("config config.toml"),
		"mise":    splitWords("config.toml config.local.toml"),
	}
	autorunExtensions = []string{".code-workspace", ".sublime-project", ".instructions.md", ".prompt.md", ".chatmode.md"}
)

func splitWords(lines ...string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(strings.Join(lines, " ")) {
		set[word] = true
	}
	return set
}

// isAutorunFile reports whether programs run or obey a file of that name automatically.
func isAutorunFile(name string) bool {
	base, folders := path.Base(name), strings.Split(path.Dir(name), "/")
	in := folders[len(folders)-1]
	switch {
	case in == "repo":
		return partlyListedDirs[in][base] && slices.Contains(folders, ".jj")
	case in == ".direnv": // nix-direnv reads it without asking
		return strings.HasSuffix(base, ".rc")
	case strings.HasPrefix(base, ".lintstagedrc"), strings.HasPrefix(base, "lint-staged.config."):
		return true
	}
	return autorunPatterns[base] || partlyListedDirs[in][base] ||
		slices.ContainsFunc(autorunExtensions, func(end string) bool { return strings.HasSuffix(base, end) }) ||
		slices.ContainsFunc(folders, func(folder string) bool { return fullyListedDirs[folder] })
}
