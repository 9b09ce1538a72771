package engine

import "path/filepath"

// geminiProfile is Gemini CLI.
func geminiProfile() Profile {
	return Profile{
		ID:      "gemini",
		Name:    "Gemini CLI",
		Command: "gemini",
		// the model is one that it knows; the goal's model answers
		Args:             []string{"--acp", "--model", "gemini-2.5-pro", "--admin-policy", "~/" + geminiPolicy},
		Tested:           []string{"0.61.0"},
		Install:          "npm install -g @google/gemini-cli@0.61.0",
		Licence:          "Apache-2.0",
		Resumes:          false, // it loses sessions that it loads
		ForgetsCancelled: true,
		CommandInTitle:   true,
		OwnHosts:         []string{"play.googleapis.com"},
		Node:             20,
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
		"GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + filepath.Join(m.Home, geminiSettings),
	}
}

// Paths in the home folder. The settings are those that a system has for all users: they override those of the goal's
// folder, which the agent can write. The policy's rules come before all others: without them, settings of that folder
// could allow calls.
const (
	geminiSettings = ".gemini/goalpost.json"
	geminiPolicy   = ".gemini/goalpost"
)

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
	})
	return map[string]string{geminiSettings: settings, geminiPolicy + "/rules.toml": geminiRules}
}
