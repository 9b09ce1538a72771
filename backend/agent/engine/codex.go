package engine

import (
	"fmt"
	"strings"

	"goalpost/backend/agent/engine/relay"
)

// codexProfile is OpenAI's Codex, through its adapter. The adapter starts the native program that is installed with it.
// Codex's own sandbox cannot run inside ours, and without it Codex asks for no permission, so its calls are observed.
func codexProfile() Profile {
	return Profile{
		ID:          "codex",
		Name:        "Codex",
		Command:     "codex-acp",
		Tested:      []string{"2.6.0"},
		Install:     "npm install -g @agentclientprotocol/codex-acp@2.6.0",
		Licence:     "Apache-2.0",
		Resumes:     true,
		AsksNothing: true,
		DirSuffix:   codexDirSuffix,
		Node:        20,
		OwnHosts:    []string{"github.com", "api.github.com", "chatgpt.com"},
		Env:         codexEnv,
		Files:       codexFiles,
	}
}

// codexTokenVariable is the environment variable with the token for the model server.
const codexTokenVariable = "GOALPOST_MODEL_TOKEN"

// codexDirSuffix is appended to the session's folder. The adapter trusts the folder of each session, and Codex would
// start the MCP servers that a trusted folder's settings name. With the suffix, the trusted path is one that Codex
// does not look up. codexFiles marks the folder itself as untrusted.
const codexDirSuffix = "/."

// codexEnv configures the adapter. With the filter for MCP servers off, settings cannot replace our tools.
func codexEnv(m ModelServer) []string {
	return []string{
		codexTokenVariable + "=" + m.Token,
		"INITIAL_AGENT_MODE=agent-full-access",
		"NO_BROWSER=1",
		"DISABLE_MCP_CONFIG_FILTERING=true",
	}
}

// codexFiles returns Codex's settings and its model catalog. Without the catalog, Codex has no tool for edits. Codex's
// own goals and agents are off, because the host decides when a goal ends and sees each step. Hosted tools are off,
// because another provider may answer.
func codexFiles(m ModelServer) map[string]string {
	lines := []string{
		"model = " + tomlString(relay.ModelName),
		`model_provider = "goalpost"`,
		`model_catalog_json = "models.json"`,
		fmt.Sprintf("model_context_window = %d", m.Window),
		"check_for_update_on_startup = false",
		"include_permissions_instructions = false", // they would say that Codex has no sandbox
		`web_search = "disabled"`,
		"[projects." + tomlString(m.Dir) + "]",
		`trust_level = "untrusted"`,
		"[features]",
		"apps = false",
		"goals = false",
		"multi_agent = false",
		"plugins = false",
		"[skills.bundled]",
		"enabled = false",
		"[analytics]",
		"enabled = false",
		"[model_providers.goalpost]",
		`name = "Goalpost"`,
		"base_url = " + tomlString(m.Address+"/v1"),
		`wire_api = "responses"`,
		"env_key = " + tomlString(codexTokenVariable),
		"request_max_retries = 0", // the host itself retries
		"stream_max_retries = 0",
		"stream_idle_timeout_ms = 3600000", // a model may think for a long time
	}
	catalog := map[string]any{"models": []map[string]any{{
		"slug":                         relay.ModelName,
		"display_name":                 "Goalpost",
		"description":                  "The model of the goal",
		"visibility":                   "list",
		"supported_in_api":             true,
		"priority":                     1,
		"base_instructions":            codexInstructions,
		"shell_type":                   "unified_exec",
		"apply_patch_tool_type":        "freeform",
		"truncation_policy":            map[string]any{"mode": "tokens", "limit": 10000},
		"context_window":               m.Window,
		"input_modalities":             []string{"text", "image"},
		"supports_parallel_tool_calls": true,
		"supports_reasoning_summaries": false,
		"support_verbosity":            false,
		"supported_reasoning_levels":   []string{},
		"experimental_supported_tools": []string{},
	}}}
	return map[string]string{
		".codex/config.toml": strings.Join(lines, "\n") + "\n",
		".codex/models.json": mustJSON(catalog),
	}
}

// tomlString quotes a text for TOML, whose strings have the escapes of JSON.
func tomlString(s string) string { return mustJSON(s) }

// codexInstructions replaces the instructions for models that Codex knows.
const codexInstructions = "You are Codex, a coding agent that works in one folder until a goal is reached. " +
	"Run programs with exec_command, and change files with apply_patch. " +
	"Look at the files that matter before you change them, and try out what you changed. " +
	"Follow the instructions in files named AGENTS.md for the folders that they are in."
