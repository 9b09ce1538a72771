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
		Login: &Login{
			File:     ".claude/.credentials.json",
			Variable: "CLAUDE_CONFIG_DIR",
			Command:  "claude",
			Then:     "enter /login",
			Hosts:    []string{"api.anthropic.com"},
			Parse:    parseClaudeLogin,
		},
	}
}

// parseClaudeLogin leaves the refresh token out, which is replaced with each use. Claude Code then does not renew the
// access token. The file may also have tokens for MCP servers, which the agent does not get.
func parseClaudeLogin(file []byte) (c Credentials, err error) {
	all, err := parseObject(file)
	if err != nil {
		return c, err
	}
	login := all.object("claudeAiOauth")
	if c.Secrets = login.texts("accessToken"); len(c.Secrets) == 0 {
		return c, ErrNoLogin
	}
	delete(login, "refreshToken")
	c.Expires = login.milliseconds("expiresAt")
	c.File = []byte(mustJSON(object{"claudeAiOauth": login}))
	return c, nil
}

// claudeEnv configures Claude Code. Without tool search, the model sees our tools from the start.
func claudeEnv(m ModelServer) []string {
	env := []string{
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"ENABLE_TOOL_SEARCH=false",
		"CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION=false", // each would be a request with the whole conversation
	}
	if m.Login != nil {
		return env
	}
	return append(env, "ANTHROPIC_BASE_URL="+m.Address, "ANTHROPIC_API_KEY="+m.Token)
}
