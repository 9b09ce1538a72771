package engine

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

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
		Login: &Login{
			File:     ".codex/auth.json",
			Variable: "CODEX_HOME",
			Command:  "codex login",
			Parse:    parseCodexLogin,
		},
	}
}

// parseCodexLogin leaves the refresh token out, which is replaced with each use. Codex refuses a file without the
// field, and would try to renew what it received more than 8 days ago. An API key needs neither.
func parseCodexLogin(file []byte) (c Credentials, err error) {
	login, err := parseObject(file)
	if err != nil {
		return c, err
	}
	tokens := login.object("tokens")
	switch key := login.text("OPENAI_API_KEY"); {
	case tokens.text("access_token") != "":
		c.Secrets, c.Hosts = tokens.texts("access_token", "id_token"), []string{"chatgpt.com"}
		c.Expires = expiryOfJWT(tokens.text("access_token"))
		tokens["refresh_token"], login["OPENAI_API_KEY"] = "", nil
		login["last_refresh"] = time.Now().UTC().Format(time.RFC3339)
	case key != "":
		c.Secrets, c.Hosts = []string{key}, []string{"api.openai.com"}
	default:
		return c, ErrNoLogin
	}
	c.File = []byte(mustJSON(login))
	return c, nil
}

// expiryOfJWT returns when a token ends; the zero time if it does not say that.
func expiryOfJWT(token string) time.Time {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	b, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Expires int64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(b, &claims) != nil || claims.Expires == 0 {
		return time.Time{}
	}
	return time.Unix(claims.Expires, 0)
}

// codexTokenVariable is the environment variable with the token for the model server.
const codexTokenVariable = "GOALPOST_MODEL_TOKEN"

// codexDirSuffix is appended to the session's folder. The adapter trusts the folder of each session, and Codex would
// start the MCP servers that a trusted folder's settings name. With the suffix, the trusted path is one that Codex
// does not look up. codexFiles marks the folder itself as untrusted.
const codexDirSuffix = "/."

// codexEnv configures the adapter. With the filter for MCP servers off, settings cannot replace our tools.
func codexEnv(m ModelServer) []string {
	env := []string{
		"INITIAL_AGENT_MODE=agent-full-access",
		"NO_BROWSER=1",
		"DISABLE_MCP_CONFIG_FILTERING=true",
	}
	if m.Login != nil {
		return env
	}
	return append(env, codexTokenVariable+"="+m.Token)
}

// codexFiles returns Codex's settings and its model catalog. Without the catalog, Codex has no tool for edits. Codex's
// own goals and agents are off, because the host decides when a goal ends and sees each step. Hosted tools are off,
// because another provider may answer.
func codexFiles(m ModelServer) map[string]string {
	lines := []string{
		"check_for_update_on_startup = false",
		"include_permissions_instructions = false", // they would say that Codex has no sandbox
		`web_search = "disabled"`,
	}
	if m.Login != nil {
		lines = append(lines, `cli_auth_credentials_store = "file"`)
	} else {
		lines = append(lines,
			"model = "+tomlString(relay.ModelName),
			`model_provider = "goalpost"`,
			`model_catalog_json = "models.json"`,
			fmt.Sprintf("model_context_window = %d", m.Window),
		)
	}
	lines = append(lines,
		"[projects."+tomlString(m.Dir)+"]",
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
	)
	if m.Login != nil {
		return map[string]string{codexConfig: strings.Join(lines, "\n") + "\n"}
	}
	lines = append(lines,
		"[model_providers.goalpost]",
		`name = "Goalpost"`,
		"base_url = "+tomlString(m.Address+"/v1"),
		`wire_api = "responses"`,
		"env_key = "+tomlString(codexTokenVariable),
		"request_max_retries = 0", // the host itself retries
		"stream_max_retries = 0",
		"stream_idle_timeout_ms = 3600000", // a model may think for a long time
	)
	return map[string]string{
		codexConfig:          strings.Join(lines, "\n") + "\n",
		".codex/models.json": mustJSON(codexCatalog(m.Window)),
	}
}

// codexConfig is the path of Codex's settings in its home folder.
const codexConfig = ".codex/config.toml"

// codexCatalog returns the model catalog with the goal's model. window is its size in tokens.
func codexCatalog(window int) any {
	return map[string]any{"models": []map[string]any{{
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
		"context_window":               window,
		"input_modalities":             []string{"text", "image"},
		"supports_parallel_tool_calls": true,
		"supports_reasoning_summaries": false,
		"support_verbosity":            false,
		"supported_reasoning_levels":   []string{},
		"experimental_supported_tools": []string{},
	}}}
}

// tomlString quotes a text for TOML, whose strings have the escapes of JSON.
func tomlString(s string) string { return mustJSON(s) }

// codexInstructions replaces the instructions for models that Codex knows.
const codexInstructions = "You are Codex, a coding agent that works in one folder until a goal is reached. " +
	"Run programs with exec_command, and change files with apply_patch. " +
	"Look at the files that matter before you change them, and try out what you changed. " +
	"Follow the instructions in files named AGENTS.md for the folders that they are in."
