package model

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"goalpost/backend/goal"
)

// changeForm changes the form in which a conversation is sent to what the server accepts. said is the server's error in
// lower case.
func (o *requestOptions) changeForm(said, model string) bool {
	switch {
	case !o.noCacheMarks && hasCacheMarks(model) &&
		(strings.Contains(said, "cache_control") || strings.Contains(said, "content") && strings.Contains(said, "string")):
		o.noCacheMarks = true
	case !o.shortIDs && isAboutCallID(said):
		o.shortIDs = true
	case !o.separateUsers && containsAny(said, "unexpected role 'user'", "must alternate"):
		o.separateUsers = true
	case !o.simpleSchemas && isAboutSchema(said):
		o.simpleSchemas = true
	default:
		return false
	}
	return true
}

// isAboutCallID reports whether a server does not accept the form of an id of a call. Mistral wants nine letters and
// digits, OpenAI at most 40 characters; ids of other providers are longer.
func isAboutCallID(said string) bool {
	return containsAny(said, "tool call id", "tool_call_id", "tool_calls[", "call_id") &&
		containsAny(said, "length", "too long", "a-z", "characters")
}

// isAboutSchema reports whether a server does not accept the schema of a tool: Gemini, Moonshot, llama.cpp and others
// know a part of JSON Schema.
func isAboutSchema(said string) bool {
	return containsAny(said, "function_declarations", "function.parameters", "function parameters", "json schema",
		"jsonschema", "json_schema", "invalid schema", "input_schema", "parse grammar") ||
		strings.Contains(said, "unknown name") && strings.Contains(said, "tools[")
}

// hasCacheMarks reports whether requests for a model have cache marks in the chat protocol. Anthropic's models cache
// nothing without them. OpenRouter and other gateways pass them on.
func hasCacheMarks(model string) bool { return strings.Contains(strings.ToLower(model), "claude") }

// markCache marks the ends of prefixes to cache as Anthropic's protocol does: the contract with the tools before it,
// the end of the conversation, and where it ended last time.
func (r *chatRequest) markCache() {
	if len(r.Messages) > 0 && r.Messages[0].Role == goal.System {
		r.Messages[0].markCache()
	}
	for i, marked, isDone := len(r.Messages)-1, 0, false; i > 0 && marked < 2; i-- {
		switch m := &r.Messages[i]; {
		case m.Role == goal.Assistant:
			isDone = false
		case !isDone && m.Role != goal.System && m.markCache():
			isDone = true
			marked++
		}
	}
}

// markCache marks the end of a message, in its last part: gateways do not accept a mark beside the content. A message
// without text cannot be marked.
func (m *chatMessage) markCache() bool {
	switch content := m.Content.(type) {
	case string:
		if strings.TrimSpace(content) == "" {
			return false
		}
		part := newTextPart(content)
		part.Cache = cacheBreakpoint()
		m.Content = []chatPart{part}
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
var shortCallID = regexp.MustCompile(`^[A-Za-z0-9]{9}$`)

// shortenIDs replaces the ids of calls by nine letters and digits, the same for the same id.
func (r *chatRequest) shortenIDs() {
	short := func(id string) string {
		if shortCallID.MatchString(id) {
			return id
		}
		sum := sha256.Sum256([]byte(id))
		return hex.EncodeToString(sum[:])[:9]
	}
	for i := range r.Messages {
		m := &r.Messages[i]
		for n := range m.ToolCalls {
			m.ToolCalls[n].ID = short(m.ToolCalls[n].ID)
		}
		if m.ToolCallID != nil {
			id := short(*m.ToolCallID)
			m.ToolCallID = &id
		}
	}
}

// separateUsers puts a reply before each message of the user that follows another one or a result, for servers that
// want a reply there.
func (r *chatRequest) separateUsers() {
	for i := len(r.Messages) - 1; i > 0; i-- {
		before := r.Messages[i-1].Role
		if r.Messages[i].Role == goal.User && (before == goal.User || before == goal.ToolRole) {
			r.Messages = slices.Insert(r.Messages, i, chatMessage{
				Content: "Understood.",
				Role:    goal.Assistant,
			})
		}
	}
}
