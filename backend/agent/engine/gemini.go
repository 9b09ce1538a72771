package engine

// geminiProfile is Gemini CLI.
func geminiProfile() Profile {
	return Profile{
		ID:      "gemini",
		Name:    "Gemini CLI",
		Command: "gemini",
		Args: []string{
			"--acp", "--admin-policy", "~/" + geminiPolicy,
			"--allowed-mcp-server-names", serverName, "--extensions", "none",
		},
		Tested:           []string{"0.61.0"},
		Install:          "npm install -g @google/gemini-cli@0.61.0",
		Licence:          "Apache-2.0",
		Resumes:          false, // it loses the sessions that it loads
		ForgetsCancelled: true,
		CommandInTitle:   true,
		OwnHosts:         []string{"play.googleapis.com"},
		Node:             20,
		Preload:          geminiPreload,
		Env:              geminiEnv,
		Files:            geminiFiles,
		Login: &Login{
			File:    ".gemini/oauth_creds.json",
			Command: "gemini",
			Then:    "choose the sign-in with Google",
			Hosts:   []string{"cloudcode-pa.googleapis.com", "oauth2.googleapis.com", "www.googleapis.com"},
			Parse:   parseGeminiLogin,
		},
	}
}

// parseGeminiLogin keeps the refresh token: Google does not replace it, and an access token ends after an hour.
func parseGeminiLogin(file []byte) (c Credentials, err error) {
	login, err := parseObject(file)
	if err != nil {
		return c, err
	}
	if c.Secrets = login.texts("access_token", "refresh_token", "id_token"); len(c.Secrets) == 0 {
		return c, ErrNoLogin
	}
	if login.text("refresh_token") == "" {
		c.Expires = login.milliseconds("expiry_date")
	}
	c.File = []byte(mustJSON(login))
	return c, nil
}

// geminiEnv configures Gemini CLI. It trusts the folder, because Gemini CLI drops our tools in an untrusted one.
func geminiEnv(m ModelServer) []string {
	env := []string{
		"GEMINI_TELEMETRY_ENABLED=false",
		"GEMINI_CLI_TRUST_WORKSPACE=true",
		"GEMINI_CLI_NO_RELAUNCH=true", // otherwise it restarts itself with more memory
	}
	if m.Login != nil {
		return env
	}
	return append(env,
		"GOOGLE_GEMINI_BASE_URL="+m.Address,
		"GEMINI_API_KEY="+m.Token,
		"GEMINI_MODEL=gemini-2.5-pro", // one that Gemini CLI knows; the goal's model answers
	)
}

// Paths in the home folder. The rules of the policy have the highest priority.
const (
	geminiSettings = ".gemini/settings.json"
	geminiPolicy   = ".gemini/goalpost"
	geminiPreload  = ".gemini/goalpost.cjs"
)

// geminiReader hides the settings and variables in the .gemini folder of a goal's folder from Gemini CLI. They take
// precedence over those of the home folder and could start programs; only settings owned by root take precedence over
// them. Marking the folder as untrusted would hide them, too, but also disable MCP servers.
const geminiReader = `const fs = require("fs"), path = require("path"), read = fs.readFileSync
const home = path.join(require("os").homedir(), ".gemini")
const none = { "settings.json": "{}", ".env": "" }
fs.readFileSync = (file, options) => {
	const parts = typeof file === "string" ? path.parse(path.resolve(file)) : { dir: "" }
	if (path.basename(parts.dir) !== ".gemini" || parts.dir === home || !(parts.base in none)) return read(file, options)
	return options ? none[parts.base] : Buffer.from(none[parts.base])
}
require("module").syncBuiltinESMExports()
`

// geminiRules require permission for everything but reading. The host decides about our own tools when a call arrives.
const geminiRules = `[[rule]]
toolName = "*"
mcpName = "` + serverName + `"
decision = "allow"
priority = 950

[[rule]]
toolName = ["run_shell_command", "write_file", "replace"]
decision = "ask_user"
priority = 900
allowRedirection = true

[[rule]]
toolName = "*"
mcpName = "*"
decision = "ask_user"
priority = 900
`

func geminiFiles(m ModelServer) map[string]string {
	security := map[string]any{"disableYoloMode": true, "disableAlwaysAllow": true}
	if m.Login != nil {
		security["auth"] = map[string]any{"selectedType": "oauth-personal"}
	}
	settings := mustJSON(map[string]any{
		"general":   map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
		"privacy":   map[string]any{"usageStatisticsEnabled": false},
		"telemetry": map[string]any{"enabled": false},
		"security":  security,
		"tools": map[string]any{
			"exclude": []string{"google_web_search", "web_fetch"}, // the model's provider would execute these
		},
		"hooksConfig": map[string]any{"enabled": false},
		"advanced":    map[string]any{"ignoreLocalEnv": true},
	})
	return map[string]string{
		geminiSettings:               settings,
		geminiPolicy + "/rules.toml": geminiRules,
		geminiPreload:                geminiReader,
	}
}
