package model

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// changeForm adapts the form of the conversation to a server's error, and reports whether it did. message is the error
// in lower case.
func (r *requestOptions) changeForm(message, model string) bool {
	switch {
	case !r.noCacheMarks && hasCacheMarks(model) &&
		(strings.Contains(message, "cache_control") ||
			strings.Contains(message, "content") && strings.Contains(message, "string")):
		r.noCacheMarks = true
	case !r.shortIDs && isAboutCallID(message):
		r.shortIDs = true
	case !r.separateUsers && containsAny(message, "unexpected role 'user'", "must alternate"):
		r.separateUsers = true
	case !r.simpleSchemas && isAboutSchema(message):
		r.simpleSchemas = true
	default:
		return false
	}
	return true
}

// isAboutCallID reports whether a server rejects the form of a call id. Mistral wants nine letters and digits, OpenAI
// at most 40 characters; ids of other providers are longer.
func isAboutCallID(message string) bool {
	return containsAny(message, "tool call id", "tool_call_id", "tool_calls[", "call_id") &&
		containsAny(message, "length", "too long", "a-z", "characters")
}

// isAboutSchema reports whether a server rejects the schema of a tool: Gemini, Moonshot, llama.cpp and others support
// only a part of JSON Schema.
func isAboutSchema(message string) bool {
	return containsAny(message, "function_declarations", "function.parameters", "function parameters", "json schema",
		"jsonschema", "json_schema", "invalid schema", "input_schema", "parse grammar") ||
		strings.Contains(message, "unknown name") && strings.Contains(message, "tools[")
}

// hasCacheMarks reports whether requests for a model get cache breakpoints in the chat protocol. Anthropic's models
// cache nothing without them, and OpenRouter and other gateways pass them on.
func hasCacheMarks(model string) bool { return strings.Contains(strings.ToLower(model), "claude") }

// markCache sets the same cache breakpoints as Anthropic's protocol: after the system prompt, at the end of the
// conversation, and where it ended in the turn before.
func (c *chatRequest) markCache() {
	if len(c.Messages) > 0 && c.Messages[0].Role == goal.System {
		c.Messages[0].markCache()
	}
	for i, marked, isDone := len(c.Messages)-1, 0, false; i > 0 && marked < 2; i-- {
		switch m := &c.Messages[i]; {
		case m.Role == goal.Assistant:
			isDone = false
		case !isDone && m.Role != goal.System && m.markCache():
			isDone = true
			marked++
		}
	}
}

// markCache sets a cache breakpoint in the last part of a message, because gateways reject one beside the content. It
// reports false for a message without text, which cannot have one.
func (c *chatMessage) markCache() bool {
	switch content := c.Content.(type) {
	case string:
		if strings.TrimSpace(content) == "" {
			return false
		}
		part := newTextPart(content)
		part.Cache = cacheBreakpoint()
		c.Content = []chatPart{part}
		return true
	case []chatPart:
		if last := len(content) - 1; last >= 0 && content[last].Text != nil && strings.TrimSpace(*content[last].Text) != "" {
			content[last].Cache = cacheBreakpoint()
			return true
		}
	}
	return false
}

// shortCallID matches ids that every server accepts.
var shortCallID = text.NewPattern(`^[A-Za-z0-9]{9}$`)

// shortenIDs replaces each call id by nine letters and digits, always the same for the same id.
func (c *chatRequest) shortenIDs() {
	short := func(id string) string {
		if shortCallID.MatchString(id) {
			return id
		}
		sum := sha256.Sum256([]byte(id))
		return hex.EncodeToString(sum[:])[:9]
	}
	for i := range c.Messages {
		m := &c.Messages[i]
		for n := range m.ToolCalls {
			m.ToolCalls[n].ID = short(m.ToolCalls[n].ID)
		}
		if m.ToolCallID != nil {
			id := short(*m.ToolCallID)
			m.ToolCallID = &id
		}
	}
}

// separateUsers inserts a reply before each user message that follows another one or a result, for servers that require
// it.
func (c *chatRequest) separateUsers() {
	for i := len(c.Messages) - 1; i > 0; i-- {
		before := c.Messages[i-1].Role
		if c.Messages[i].Role == goal.User && (before == goal.User || before == goal.ToolRole) {
			c.Messages = slices.Insert(c.Messages, i, chatMessage{
				Content: "Understood.",
				Role:    goal.Assistant,
			})
		}
	}
}
