package acp

import (
	"encoding/json"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"goalpost/backend/lib/text"
)

// ToolCall is the state of a tool call of the agent, as the agent reports it.
type ToolCall struct {
	ID     string
	Kind   string // read, edit, delete, move, search, execute, think, fetch, switch_mode, other; a hint, not a proof
	Title  string
	Status string // pending, in_progress, completed, failed
	// Input is the JSON of the tool's own arguments, "" if the agent does not send them.
	Input string
	Paths []string // as the agent wrote them
	Diffs []Diff
	// Output is the tool's result as the agent reports it.
	Output string
}

// Diff is a change of one file, as the agent announces it.
type Diff struct{ Path, Old, New string }

// IsOver reports whether the call has ended.
func (t ToolCall) IsOver() bool { return t.Status == "completed" || t.Status == "failed" }

// update holds the changes of a call in one message. Nil and empty fields change nothing.
type update struct {
	id, kind, title, status string
	input, output           any
	locations               []sdk.ToolCallLocation
	content                 []sdk.ToolCallContent
	terminal                string // terminal output since the last message
}

func updateOfStart(u sdk.SessionUpdateToolCall) update {
	return update{
		id: string(u.ToolCallId), kind: string(u.Kind), title: u.Title, status: string(u.Status),
		input: u.RawInput, output: u.RawOutput, locations: u.Locations, content: u.Content, terminal: terminalOutput(u.Meta),
	}
}

func updateOfUpdate(u sdk.SessionToolCallUpdate) update {
	return updateOfRequest(sdk.ToolCallUpdate{
		Meta:       u.Meta,
		ToolCallId: u.ToolCallId,
		Kind:       u.Kind,
		Title:      u.Title,
		Status:     u.Status,
		RawInput:   u.RawInput,
		RawOutput:  u.RawOutput,
		Locations:  u.Locations,
		Content:    u.Content,
	})
}

func updateOfRequest(u sdk.ToolCallUpdate) update {
	out := update{
		id: string(u.ToolCallId), input: u.RawInput, output: u.RawOutput, locations: u.Locations, content: u.Content,
		terminal: terminalOutput(u.Meta),
	}
	if u.Kind != nil {
		out.kind = string(*u.Kind)
	}
	if u.Title != nil {
		out.title = *u.Title
	}
	if u.Status != nil {
		out.status = string(*u.Status)
	}
	return out
}

// mergeInto adds the update to the call. Earlier details stay if a later message omits them.
func (u update) mergeInto(c *ToolCall) {
	c.ID = u.id
	for _, field := range []struct {
		to   *string
		text string
	}{{&c.Kind, u.kind}, {&c.Title, u.title}, {&c.Status, u.status}, {&c.Input, jsonText(u.input)}} {
		if field.text != "" {
			*field.to = text.TruncateBytes(field.text, maxCallText)
		}
	}
	if len(u.locations) > 0 {
		c.Paths = nil
		for _, l := range u.locations[:min(len(u.locations), 50)] {
			c.Paths = append(c.Paths, text.TruncateBytes(l.Path, 4096))
		}
	}
	var texts []string
	var diffs []Diff
	size := 0
	for _, part := range u.content[:min(len(u.content), 50)] {
		switch {
		case part.Diff != nil:
			d := Diff{Path: text.TruncateBytes(part.Diff.Path, 4096), New: text.TruncateBytes(part.Diff.NewText, maxCallText)}
			if part.Diff.OldText != nil {
				d.Old = text.TruncateBytes(*part.Diff.OldText, maxCallText)
			}
			if size += len(d.New) + len(d.Old); size <= maxDiffs {
				diffs = append(diffs, d)
			}
		case part.Content != nil && part.Content.Content.Text != nil:
			texts = append(texts, part.Content.Content.Text.Text)
		}
	}
	if len(diffs) > 0 {
		c.Diffs = diffs
	}
	switch {
	case len(texts) > 0:
		c.Output = text.TruncateBytes(strings.Join(texts, "\n"), maxCallText)
	case jsonText(u.output) != "":
		c.Output = text.TruncateBytes(jsonText(u.output), maxCallText)
	case u.terminal != "" && len(c.Output) < maxCallText:
		c.Output = text.TruncateBytes(c.Output+u.terminal, maxCallText)
	}
}

// terminalOutput returns a piece of the output of an agent's own terminal, which some agents send in _meta.
func terminalOutput(meta map[string]any) string {
	for _, name := range []string{"terminal_output_delta", "terminal_output"} {
		if part, ok := meta[name].(map[string]any); ok {
			text, _ := part["data"].(string)
			return text
		}
	}
	return ""
}

// jsonText returns a value as JSON, "" for nil and for an object without fields.
func jsonText(v any) string {
	if v == nil {
		return ""
	}
	b, err := json.Marshal(v)
	if err != nil || string(b) == "{}" || string(b) == "null" {
		return ""
	}
	return string(b)
}

// Limits on the messages of one agent.
const (
	maxOpenRequests = 64        // permission requests that wait at the same time
	maxToolCalls    = 100       // tool calls that have not ended
	maxCallText     = 32 << 10  // bytes of one text of a tool call
	maxDiffs        = 128 << 10 // bytes of all changes of a tool call
)
