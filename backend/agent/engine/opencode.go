package engine

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"goalpost/backend/agent/engine/relay"
)

// opencodeProfile is OpenCode, a native program.
func opencodeProfile() Profile {
	return Profile{
		ID:       "opencode",
		Name:     "OpenCode",
		Command:  "opencode",
		Args:     []string{"acp"},
		Tested:   []string{"1.18.33"},
		Install:  "npm install -g opencode-ai@1.18.33",
		Licence:  "MIT",
		Resumes:  true,
		OwnHosts: []string{"registry.npmjs.org"},
		Env:      opencodeEnv,
		Native:   opencodeProgram,
		Login: &Login{
			File:    ".local/share/opencode/auth.json",
			Command: "opencode auth login",
			Parse:   parseOpencodeLogin,
		},
	}
}

// opencodeHosts are the hosts of the providers whose keys OpenCode can use.
var opencodeHosts = map[string][]string{
	"anthropic":      {"api.anthropic.com"},
	"cerebras":       {"api.cerebras.ai"},
	"deepseek":       {"api.deepseek.com"},
	"github-copilot": {"api.githubcopilot.com", "api.github.com"},
	"google":         {"generativelanguage.googleapis.com"},
	"groq":           {"api.groq.com"},
	"mistral":        {"api.mistral.ai"},
	"openai":         {"api.openai.com"},
	"opencode":       {"opencode.ai"},
	"openrouter":     {"openrouter.ai"},
	"xai":            {"api.x.ai"},
}

// parseOpencodeLogin takes the providers whose hosts are known. A refresh token stays only if it is not replaced with
// each use: GitHub's is the token itself.
func parseOpencodeLogin(file []byte) (c Credentials, err error) {
	all, err := parseObject(file)
	if err != nil {
		return c, err
	}
	taken := object{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		login, hosts := all.object(name), opencodeHosts[name]
		kind := login.text("type")
		if hosts == nil || kind != "api" && kind != "oauth" {
			continue
		}
		if kind == "oauth" && name != "github-copilot" {
			login["refresh"] = ""
			c.Expires = login.milliseconds("expires")
			if name == "openai" { // a subscription has a server of its own
				hosts = []string{"chatgpt.com"}
			}
		}
		taken[name], c.Providers = login, append(c.Providers, name)
		c.Secrets, c.Hosts = append(c.Secrets, login.texts("key", "access", "refresh")...), append(c.Hosts, hosts...)
	}
	if len(c.Secrets) == 0 {
		return c, ErrNoLogin
	}
	if len(taken) > 1 { // another provider may still answer
		c.Expires = time.Time{}
	}
	c.File = []byte(mustJSON(taken))
	return c, nil
}

// opencodeEnv configures OpenCode. It asks for permission for everything but reading, which the sandbox limits. The
// settings in the goal's folder are ignored, because the agent can write them.
func opencodeEnv(m ModelServer) []string {
	permission := map[string]string{
		"*": "ask", "read": "allow", "list": "allow", "glob": "allow", "grep": "allow", "todowrite": "allow",
		"todoread": "allow", serverName + "_*": "allow",
		"external_directory": "allow", // the sandbox limits it, and the tool itself asks
	}
	config := map[string]any{
		"autoupdate":   false,
		"formatter":    false, // would run programs of the goal's folder after an edit
		"lsp":          false,
		"share":        "disabled",
		"experimental": map[string]any{"continue_loop_on_deny": true},
		"permission":   permission,
	}
	plugins := "1"
	if m.Login != nil {
		config["enabled_providers"] = m.Login.Providers
		plugins = "" // those for sign-ins are among them
	} else {
		maps.Copy(config, opencodeRelay(m))
	}
	return []string{
		"OPENCODE_CONFIG_CONTENT=" + mustJSON(config),
		"OPENCODE_PERMISSION=" + mustJSON(permission),
		"OPENCODE_DISABLE_AUTOUPDATE=1",
		"OPENCODE_DISABLE_MODELS_FETCH=1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"OPENCODE_DISABLE_DEFAULT_PLUGINS=" + plugins,
		"OPENCODE_DISABLE_PROJECT_CONFIG=1",
	}
}

// opencodeRelay returns the settings with which OpenCode asks the goal's model, and no other.
func opencodeRelay(m ModelServer) map[string]any {
	return map[string]any{
		"model":             "relay/" + relay.ModelName,
		"small_model":       "relay/" + relay.ModelName,
		"enabled_providers": []string{"relay"},
		"provider": map[string]any{"relay": map[string]any{
			"npm":     "@ai-sdk/openai-compatible",
			"name":    "Goalpost",
			"options": map[string]any{"baseURL": m.Address + "/v1", "apiKey": m.Token},
			"models": map[string]any{relay.ModelName: map[string]any{
				"name":       "Goalpost",
				"limit":      map[string]int{"context": m.Window, "output": min(32000, m.Window/4)},
				"attachment": true,
				"modalities": map[string]any{"input": []string{"text", "image"}, "output": []string{"text"}},
			}},
		}},
	}
}

// opencodeProgram returns the binary behind the command of OpenCode's npm package, which is a script or a copy of the
// binary. It returns "" for a command that is not from npm.
func opencodeProgram(command string) string {
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	name := "opencode-" + runtime.GOOS + "-" + arch
	for dir := filepath.Dir(command); filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		for _, modules := range []string{dir, filepath.Join(dir, "node_modules")} {
			program := filepath.Join(modules, name, "bin", "opencode")
			if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() {
				return program
			}
		}
	}
	return ""
}
