package engine

// geminiProfile is Gemini CLI.
func geminiProfile() Profile {
	return Profile{
		ID:      "gemini",
		Name:    "Gemini CLI",
		Command: "gemini",
		// the model is one that it knows; the goal's model answers
		Args: []string{
			"--acp", "--model", "gemini-2.5-pro", "--admin-policy", "~/" + geminiPolicy,
			"--allowed-mcp-server-names", serverName, "--extensions", "none",
		},
		Tested:           []string{"0.61.0"},
		Install:          "npm install -g @google/gemini-cli@0.61.0",
		Licence:          "Apache-2.0",
		Resumes:          false, // it loses sessions that it loads
		ForgetsCancelled: true,
		CommandInTitle:   true,
		OwnHosts:         []string{"play.googleapis.com"},
		Node:             20,
		Preload:          geminiPreload,
		Env:              geminiEnv,
		Files:            geminiFiles,
	}
}

// geminiEnv configures Gemini CLI. In a folder that is not trusted it drops our tools.
func geminiEnv(m ModelServer) []string {
	return []string{
		"GOOGLE_GEMINI_BASE_URL=" + m.Address,
		"GEMINI_API_KEY=" + m.Token,
		"GEMINI_TELEMETRY_ENABLED=false",
		"GEMINI_CLI_TRUST_WORKSPACE=true",
		"GEMINI_CLI_NO_RELAUNCH=true", // it would start itself again, with more memory
	}
}

// Paths in the home folder. The policy's rules come before all others.
const (
	geminiSettings = ".gemini/settings.json"
	geminiPolicy   = ".gemini/goalpost"
	geminiPreload  = ".gemini/goalpost.cjs"
)

// geminiReader makes Gemini CLI find no settings and variables in the .gemini of a folder. They come before those of
// the home folder and could start programs; only settings that belong to root come before them. An untrusted folder
// would have none, and no MCP servers either.
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

// geminiRules ask for everything that is not reading. Our own tools are decided by the host when a call arrives.
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

func geminiFiles(ModelServer) map[string]string {
	settings := mustJSON(map[string]any{
		"general":   map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
		"privacy":   map[string]any{"usageStatisticsEnabled": false},
		"telemetry": map[string]any{"enabled": false},
		"security":  map[string]any{"disableYoloMode": true, "disableAlwaysAllow": true},
		"tools": map[string]any{
			"exclude": []string{"google_web_search", "web_fetch"}, // their provider would execute these
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
