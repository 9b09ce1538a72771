package engine

import "path/filepath"

// geminiProfile is Gemini CLI.
func geminiProfile() Profile {
	return Profile{
		ID:             "gemini",
		Name:           "Gemini CLI",
		Command:        "gemini",
		Args:           []string{"--acp", "--model", "gemini-2.5-pro"}, // one that it knows; the goal's model answers
		Tested:         []string{"0.61.0"},
		Install:        "npm install -g @google/gemini-cli@0.61.0",
		Licence:        "Apache-2.0",
		Resumes:        false, // it loses sessions that it loads
		CommandInTitle: true,
		OwnHosts:       []string{"play.googleapis.com"},
		Node:           20,
		Env:            geminiEnv,
		Files:          geminiFiles,
	}
}

// geminiEnv configures Gemini CLI. In a folder that is not trusted it drops our tools.
func geminiEnv(m ModelServer) []string {
	return []string{
		"GOOGLE_GEMINI_BASE_URL=" + m.Address,
		"GEMINI_API_KEY=" + m.Token,
		"GEMINI_TELEMETRY_ENABLED=false",
		"GEMINI_CLI_TRUST_WORKSPACE=true",
		"GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + filepath.Join(m.Home, geminiSettings),
	}
}

// geminiSettings is the path of the settings that a system has for all users. They override those of the goal's folder,
// which the agent can write.
const geminiSettings = ".gemini/goalpost.json"

func geminiFiles(ModelServer) map[string]string {
	return map[string]string{geminiSettings: mustJSON(map[string]any{
		"general":   map[string]any{"enableAutoUpdate": false, "enableAutoUpdateNotification": false},
		"privacy":   map[string]any{"usageStatisticsEnabled": false},
		"telemetry": map[string]any{"enabled": false},
		"security":  map[string]any{"disableYoloMode": true, "disableAlwaysAllow": true},
		"tools": map[string]any{
			"allowed": []string{},
			"exclude": []string{"google_web_search", "web_fetch"}, // their provider would execute these
		},
	})}
}
