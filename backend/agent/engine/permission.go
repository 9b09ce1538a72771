package engine

import (
	"context"
	"slices"
	"strings"

	"goalpost/backend/agent/engine/acp"
	"goalpost/backend/domain/goal"
)

func (l listener) Permission(ctx context.Context, c acp.ToolCall) acp.Permission {
	s := l.s
	s.mu.Lock()
	if s.turn == nil || s.inbox.permissions[c.ID] != nil && !s.inbox.permissions[c.ID].started {
		s.mu.Unlock()
		return acp.Withdrawn
	}
	s.silence.restart(s.opts.Now())
	if s.ourTool(c) != "" && len(c.Diffs) == 0 { // the host decides when the call arrives
		s.mu.Unlock()
		return acp.Allowed
	}
	r := s.inbox.add(&request{
		call: s.agentCall(c, false), toolCall: c, answer: make(chan acp.Permission, 1), ended: make(chan struct{}),
	})
	s.inbox.permissions[c.ID] = r
	s.mu.Unlock()
	s.wake()
	select {
	case p := <-r.answer:
		return p
	case <-ctx.Done():
		return acp.Withdrawn
	}
}

// ourTool returns the name of our tool that a call is for, found by the call's title or id; "" if it is for a tool of
// the agent.
func (s *Session) ourTool(c acp.ToolCall) string {
	for _, form := range []struct{ before, after string }{
		{before: serverName + "_"},
		{before: "mcp__" + serverName + "__"},
		{before: "mcp_" + serverName + "_"},
		{before: "mcp." + serverName + "."},
		{after: " (" + serverName + " MCP Server)"},
	} {
		name, begins := strings.CutPrefix(c.Title, form.before)
		name, ends := strings.CutSuffix(name, form.after)
		if begins && ends && slices.ContainsFunc(s.opts.Tools, func(t goal.ToolSpec) bool { return t.Name == name }) {
			return name
		}
	}
	if rest, ours := strings.CutPrefix(c.ID, "mcp_"+serverName+"_"); ours { // Gemini, whose title may be an argument
		for _, t := range s.opts.Tools {
			if strings.HasPrefix(rest, t.Name+"__") {
				return t.Name
			}
		}
	}
	return ""
}
