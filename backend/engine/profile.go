// Package engine drives goals with external agents: it finds the installed ones, starts them in a goal's sandbox, and
// makes a Session of one look like a model to the loop of a goal, so that limits, approvals, claims, the journal and
// the report are the same for both.
package engine

import (
	"encoding/json"
	"fmt"
	"strconv"

	"goalpost/backend/engine/relay"
)

// Profile says how an agent is found, started and configured. Its settings turn off telemetry, updates and the agent's
// own decisions about permissions, and give it the host's model only.
type Profile struct {
	ID      string // in settings and flags
	Name    string
	Command string // on the PATH
	Args    []string
	Tested  []string // versions
	Install string   // the command that installs it
	Licence string
	Resumes bool // it continues its sessions reliably
	// CommandInTitle: a permission request for a command has the command as its title, and no arguments.
	CommandInTitle bool
	// OwnHosts are hosts that the program itself tries, for updates and packages. They are refused and not asked about.
	OwnHosts []string

	// Env are the variables for the program.
	Env func(modelURL, token string, window int) []string
	// Native returns the program to start for a command that was found.
	Native func(command string) string
}

// Profiles are the supported agents.
func Profiles() []Profile {
	return []Profile{{
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
	}}
}

// FindProfile returns the profile with an id.
func FindProfile(profiles []Profile, id string) (Profile, bool) {
	for _, p := range profiles {
		if p.ID == id {
			return p, true
		}
	}
	return Profile{}, false
}

// defaultWindow is assumed where a model's window is not known, in tokens.
const defaultWindow = 128000

// opencodeEnv configures OpenCode. It asks for everything but reading, which the sandbox limits. Its own file of
// settings in the goal's folder is ignored, because the agent can write it.
func opencodeEnv(modelURL, token string, window int) []string {
	if window <= 0 {
		window = defaultWindow
	}
	permission := map[string]string{
		"*": "ask", "read": "allow", "list": "allow", "glob": "allow", "grep": "allow", "todowrite": "allow",
		"todoread": "allow", serverName + "_*": "allow",
		"external_directory": "allow", // the sandbox decides what is there, and the tool itself asks
	}
	config := map[string]any{
		"model":             "relay/" + relay.ModelName,
		"small_model":       "relay/" + relay.ModelName,
		"enabled_providers": []string{"relay"},
		"autoupdate":        false,
		"share":             "disabled",
		"experimental":      map[string]any{"continue_loop_on_deny": true},
		"permission":        permission,
		"provider": map[string]any{"relay": map[string]any{
			"npm":     "@ai-sdk/openai-compatible",
			"name":    "Goalpost",
			"options": map[string]any{"baseURL": modelURL, "apiKey": token},
			"models": map[string]any{relay.ModelName: map[string]any{
				"name":       "Goalpost",
				"limit":      map[string]int{"context": window, "output": min(32000, window/4)},
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

// mustJSON is the JSON of a value that always has one.
func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("engine: %s: %v", strconv.Quote(fmt.Sprint(v)), err))
	}
	return string(b)
}
