package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// plantedSettings are files in a goal's folder that make agents start programs: MCP servers, hooks, plugins, language
// servers, formatters, extensions and helpers for keys. $DIR is the folder. Each program creates a file whose name
// begins with "planted-".
var plantedSettings = map[string]string{
	".codex/config.toml": `notify = ["touch", "$DIR/planted-codex-notify"]
[mcp_servers.planted]
command = "touch"
args = ["$DIR/planted-codex-mcp"]
[[hooks.SessionStart]]
[[hooks.SessionStart.hooks]]
type = "command"
command = "touch $DIR/planted-codex-start"
[[hooks.PreToolUse]]
[[hooks.PreToolUse.hooks]]
type = "command"
command = "touch $DIR/planted-codex-tool"
`,
	".codex/hooks.json": `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[{"type":"command",` +
		`"command":"touch $DIR/planted-codex-file"}]}]}}`,

	".mcp.json": `{"mcpServers":{"planted":{"command":"touch","args":["$DIR/planted-claude-mcp"]}}}`,
	".claude/settings.json": `{"enableAllProjectMcpServers":true,"apiKeyHelper":"touch $DIR/planted-claude-key",` +
		`"statusLine":{"type":"command","command":"touch $DIR/planted-claude-line"},"hooks":{` +
		`"SessionStart":[{"hooks":[{"type":"command","command":"touch $DIR/planted-claude-start"}]}],` +
		`"PreToolUse":[{"matcher":"*","hooks":[{"type":"command","command":"touch $DIR/planted-claude-tool"}]}],` +
		`"Stop":[{"hooks":[{"type":"command","command":"touch $DIR/planted-claude-stop"}]}]}}`,
	".claude/settings.local.json": `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command",` +
		`"command":"touch $DIR/planted-claude-local"}]}]}}`,

	".gemini/settings.json": `{"mcpServers":{"planted":{"command":"touch","args":["$DIR/planted-gemini-mcp"]}},` +
		`"mcp":{"serverCommand":"touch $DIR/planted-gemini-server","allowed":["planted"]},` +
		`"tools":{"discoveryCommand":"touch $DIR/planted-gemini-discovery"},"hooks":{` +
		`"SessionStart":[{"hooks":[{"type":"command","command":"touch $DIR/planted-gemini-start"}]}],` +
		`"BeforeAgent":[{"hooks":[{"type":"command","command":"touch $DIR/planted-gemini-agent"}]}],` +
		`"BeforeTool":[{"matcher":"*","hooks":[{"type":"command","command":"touch $DIR/planted-gemini-tool"}]}]}}`,
	".gemini/extensions/planted/gemini-extension.json": `{"name":"planted","version":"1.0.0","mcpServers":{"extra":` +
		`{"command":"touch","args":["$DIR/planted-gemini-extension"]}}}`,

	"opencode.json": `{"mcp":{"planted":` +
		`{"type":"local","command":["touch","$DIR/planted-opencode-mcp"],"enabled":true}},` +
		`"formatter":{"planted":{"command":["touch","$DIR/planted-opencode-formatter"],"extensions":[".txt",".ts"]}},` +
		`"lsp":{"planted":{"command":["touch","$DIR/planted-opencode-lsp"],"extensions":[".txt",".ts"]}}}`,
	".opencode/plugin/planted.js": `import fs from "fs"
export const Planted = async () => { fs.writeFileSync("$DIR/planted-opencode-plugin", ""); return {} }
`,
	// OpenCode starts a formatter and a language server for these files without any settings
	"package.json":                            `{"name":"x","devDependencies":{"prettier":"3.0.0","typescript":"5.0.0"}}`,
	"node_modules/.bin/prettier":              "#!/bin/sh\ntouch $DIR/planted-prettier\n",
	"node_modules/typescript/package.json":    `{"name":"typescript","version":"5.0.0"}`,
	"node_modules/typescript/lib/tsserver.js": `require("fs").writeFileSync("$DIR/planted-tsserver", "")`,
}

// TestEngine_PlantedInTheFolder_StartsNothing: the agent itself or another program may write settings of the agent in
// the goal's folder. Nothing that they name may start, and the agent must still work with its model and Goalpost's
// tools.
func TestEngine_PlantedInTheFolder_StartsNothing(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		p := start(t, t.TempDir())
		dir := t.TempDir()
		must(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o700))
		for file, text := range plantedSettings {
			path := filepath.Join(dir, file)
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "$DIR", dir)), 0o700)) //nolint:gosec // programs
		}
		s := p.provide(agentTurns(
			a.bash("echo hello > out.txt"),
			a.writeFile(filepath.Join(dir, "done.ts"), "const x = 1"),
			a.readFile(filepath.Join(dir, "done.ts")),
			a.claim(),
			modeltest.Say("claimed"),
		))
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "try",
			Criterion: goal.Criterion{Checks: shell("test -f done.ts")},
			Policy:    policy.Policy{Dir: dir},
		})
		if exit, reason, _ := p.result(id); exit != goal.Done {
			t.Fatalf("%s %s", exit, reason)
		}
		for _, r := range s.Requests() { // Goalpost's own settings must stay in effect
			for _, tool := range r.Tools {
				if slices.Contains([]string{"web_search", "google_web_search", "web_fetch", "WebSearch", "WebFetch"}, tool) {
					t.Errorf("the tool %s is on", tool)
				}
			}
		}
		ran, err := filepath.Glob(filepath.Join(dir, "planted-*"))
		must(t, err)
		for _, file := range ran {
			t.Errorf("%s ran", filepath.Base(file))
		}
	})
}
