package engine

// claudeProfile is Claude Code, through the adapter for its SDK. The adapter starts the native program that is
// installed with it.
func claudeProfile() Profile {
	return Profile{
		ID:      "claude",
		Name:    "Claude Code",
		Command: "claude-agent-acp",
		Tested:  []string{"0.101.0"},
		Install: "npm install -g @agentclientprotocol/claude-agent-acp@0.101.0",
		Licence: "the adapter: Apache-2.0; the program in it: proprietary",
		Resumes: true,
		Node:    22,
		SessionMeta: map[string]any{"claudeCode": map[string]any{"options": map[string]any{
			// Settings of the user and of the goal's folder could allow calls and run commands.
			"settingSources":  []string{},
			"strictMcpConfig": true,
			"disallowedTools": []string{"WebFetch", "WebSearch"}, // the model's provider would execute these
		}}},
		SessionOptions: map[string]string{"mode": "default"}, // otherwise the program decides about calls
		ExitError:      "process exited unexpectedly",
		Env:            claudeEnv,
	}
}

// claudeEnv configures Claude Code. Without tool search, the model sees our tools from the start.
func claudeEnv(m ModelServer) []string {
	return []string{
		"ANTHROPIC_BASE_URL=" + m.Address,
		"ANTHROPIC_API_KEY=" + m.Token,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"ENABLE_TOOL_SEARCH=false",
		"CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION=false", // each would be a request with the whole conversation
	}
}
