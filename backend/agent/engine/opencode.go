package engine

import (
	"os"
	"path/filepath"
	"runtime"

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
	}
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
		"model":             "relay/" + relay.ModelName,
		"small_model":       "relay/" + relay.ModelName,
		"enabled_providers": []string{"relay"},
		"autoupdate":        false,
		"formatter":         false, // would run programs of the goal's folder after an edit
		"lsp":               false,
		"share":             "disabled",
		"experimental":      map[string]any{"continue_loop_on_deny": true},
		"permission":        permission,
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
	return []string{
		"OPENCODE_CONFIG_CONTENT=" + mustJSON(config),
		"OPENCODE_PERMISSION=" + mustJSON(permission),
		"OPENCODE_DISABLE_AUTOUPDATE=1",
		"OPENCODE_DISABLE_MODELS_FETCH=1",
		"OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
		"OPENCODE_DISABLE_PROJECT_CONFIG=1",
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
