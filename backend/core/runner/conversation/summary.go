package conversation

import (
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// Headings of a summary's parts.
const (
	planPrefix    = "Your plan:"
	summaryPrefix = "What was done before, in short; read_evidence gives a step's whole result:\n"
)

// summarize replaces the turns before the tail by a list of their steps. The objective, the user's notes and the
// last failure stay.
func (c *Conversation) summarize(tail int, todos string) {
	if tail <= 1 {
		return
	}
	first, old, rest := c.messages[0], c.messages[1:tail], slices.Clone(c.messages[tail:])
	text := summaryPrefix + strings.Join(summarizeSteps(old), "\n")
	if todos != "" {
		text += "\n" + planPrefix + "\n" + todos
	}
	pins := pinnedMessages(old)
	c.messages, c.bytes = nil, 0
	c.Add(first)
	c.Add(pins...)
	c.Add(goal.Message{Role: goal.User, Text: text})
	c.Add(rest...)
}

// summarizeSteps lists the steps of the given turns, one line each, the newest at the end.
func summarizeSteps(old []goal.Message) []string {
	const maxLines = 200
	var lines []string
	calls := map[string]goal.Call{}
	for _, m := range old {
		for _, call := range m.Calls {
			calls[call.ID] = call
		}
		if earlier, ok := strings.CutPrefix(m.Text, summaryPrefix); ok && m.Role == goal.User {
			earlier, _, _ = strings.Cut(earlier, "\n"+planPrefix) // the plan has changed since
			lines = append(lines, strings.Split(earlier, "\n")...)
		}
		if m.Role == goal.ToolRole {
			call := calls[m.CallID]
			lines = append(lines, fmt.Sprintf("step %d: %s %s: %s",
				m.Step, call.Tool, text.Truncate(call.Arguments, 160), text.Truncate(text.FirstLine(m.Text), MaxPreview)))
		}
	}
	if excess := len(lines) - maxLines; excess > 0 {
		lines = append([]string{fmt.Sprintf("(%d lines before)", excess)}, lines[excess:]...)
	}
	return lines
}

// pinnedMessages returns the user's notes and the last failure.
func pinnedMessages(old []goal.Message) []goal.Message {
	var pins []goal.Message
	failure := -1
	for i, m := range old {
		if m.Role == goal.User && strings.HasPrefix(m.Text, FailurePrefix) {
			failure = i
		}
	}
	for i, m := range old {
		if i == failure || m.Role == goal.User && strings.HasPrefix(m.Text, NotePrefix) {
			pins = append(pins, m)
		}
	}
	return pins
}
