package conversation

import (
	"fmt"
	"slices"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// IsFull reports whether the conversation must be compacted before the next turn. besides is the size of the system
// prompt and the tools in bytes.
func (c *Conversation) IsFull(window, besides int) bool {
	share := replyShare
	if window < smallWindow {
		share = smallReplyShare
	}
	reserve := window * share / 100
	if c.longest > 0 { // each compaction breaks the prompt cache, so a model that replies shortly gets fewer of them
		reserve = min(reserve, max(reserve/2, int(2*float64(c.longest)*c.tokensPerByte())))
	}
	return window > 0 && c.tokens(besides) > float64(window-reserve)
}

// tokens estimates the size of the conversation with the given other bytes.
func (c *Conversation) tokens(besides int) float64 {
	return float64(c.bytes+besides) * c.tokensPerByte()
}

// FillsWindow reports whether the conversation fills more than the given percentage of a window of the given
// tokens. besides is the size of the system prompt and the tools in bytes. It is false for an unknown window.
func (c *Conversation) FillsWindow(window, besides, hundredths int) bool {
	return window > 0 && c.tokens(besides)*100 > float64(window)*float64(hundredths)
}

// CompactSize returns the size in bytes that a compacted conversation should have in a window of the given tokens.
func (c *Conversation) CompactSize(window, besides int) int {
	return max(0, int(float64(window)/c.tokensPerByte())*compactTo/100-besides)
}

// tokensPerByte is an estimate until Calibrate corrects it.
func (c *Conversation) tokensPerByte() float64 {
	if c.perByte > 0 {
		return c.perByte
	}
	return tokensPerByte
}

// Old returns the messages that a compaction replaces: those after the first one and before the newest turns, which
// together have at most the given bytes. The newest turn is never old.
func (c *Conversation) Old(bytes int) []goal.Message {
	start, size := len(c.messages), 0
	for i := len(c.messages) - 1; i > 0; i-- {
		size += messageSize(c.messages[i])
		if size > bytes && start < len(c.messages) {
			break
		}
		if c.messages[i].Role == goal.Assistant {
			start = i
		}
	}
	if start == len(c.messages) { // no turn yet
		return nil
	}
	return c.messages[min(1, start):start]
}

// Compaction returns how the conversation becomes short after the given old messages were replaced by a text of
// textBytes. If more than limit bytes would remain, the oldest results and reasoning of the newest turns are
// shortened, except the newest result.
func (c *Conversation) Compaction(old []goal.Message, textBytes, limit int) goal.Compaction {
	kept := c.messages[min(len(c.messages), 1+len(old)):]
	size, shortened := textBytes+Size(kept), 0
	for _, m := range kept[:lastResult(kept)] {
		if size <= limit {
			break
		}
		size += messageSize(shorten(m)) - messageSize(m)
		shortened++
	}
	return goal.Compaction{Kept: len(kept), Shortened: shortened}
}

// replaceOld puts a message in the place of the old ones.
func (c *Conversation) replaceOld(m goal.Message) {
	kept := slices.Clone(c.messages[max(1, len(c.messages)-m.Compaction.Kept):])
	for i := range min(m.Compaction.Shortened, len(kept)) {
		kept[i] = shorten(kept[i])
	}
	c.messages = slices.Concat(c.messages[:1], []goal.Message{m}, kept)
	c.bytes = Size(c.messages)
}

// shorten returns a message with less of a long result or of readable reasoning. Signed reasoning stays: its provider
// refuses the conversation without it.
func shorten(m goal.Message) goal.Message {
	if m.Role == goal.ToolRole && len(m.Text) > minShortenedBytes {
		m.Text = shortResult(m)
	}
	if m.Role == goal.Assistant && len(m.Reasoning.ReadableText()) > minShortenedBytes {
		m.Reasoning = m.Reasoning.WithoutText()
	}
	return m
}

func shortResult(m goal.Message) string {
	where := ""
	if m.Step > 0 {
		where = fmt.Sprintf("; read_evidence with the handle \"step:%d\" gives them", m.Step)
	}
	return text.TruncateBytes(m.Text, minShortenedBytes/2) +
		fmt.Sprintf("\n(left out to save space: the rest of %d bytes%s)", len(m.Text), where)
}

// lastResult returns the index of the last tool result, 0 if there is none.
func lastResult(messages []goal.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == goal.ToolRole {
			return i
		}
	}
	return 0
}
