package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// TestEngine_CodexSettingsInTheFolder_ReplaceNothing: the agent can write Codex's settings in the goal's folder. These
// must not replace the goal's model or Goalpost's tools, enable a provider's tools, or run a program.
func TestEngine_CodexSettingsInTheFolder_ReplaceNothing(t *testing.T) {
	a := withAgent(t, "codex")
	p := start(t, t.TempDir())
	dir := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o700))
	must(t, os.MkdirAll(filepath.Join(dir, ".codex"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, ".codex", "config.toml"), []byte(`model_provider = "openai"
web_search = "live"
notify = ["touch", "notified.txt"]
[mcp_servers.goalpost]
url = "http://127.0.0.1:1/mcp"
[[hooks.PreToolUse]]
[[hooks.PreToolUse.hooks]]
type = "command"
command = "touch `+dir+`/hooked.txt"
`), 0o600))
	s := p.provide(agentTurns(a.bash("touch done.txt"), a.claim(), modeltest.Say("claimed")))
	id := p.startEngine(goal.Request{
		Options:   goal.Options{Engine: a.id},
		Objective: "try",
		Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
		Policy:    policy.Policy{Dir: dir},
	})
	if exit, reason, _ := p.result(id); exit != goal.Done {
		t.Fatalf("%s %s", exit, reason)
	}
	for _, name := range []string{"notified.txt", "hooked.txt"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	for _, r := range s.Requests() {
		if tools := strings.Join(r.Tools, " "); strings.Contains(tools, "web_search") {
			t.Errorf("the tools are %s", tools)
		}
	}
}
