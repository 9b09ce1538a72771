package conversation

import (
	"fmt"

	"goalpost/backend/domain/goal"
)

// FitWindow shortens the conversation when it fills a window of the given tokens, and reports whether it did.
// besides is the size of the system prompt and the tools in bytes; a summary ends with todos. It shortens a lot at
// once, so that the prefix then stays the same for a long time and prompt caches hit.
func (c *Conversation) FitWindow(window, besides int, todos string) bool {
	if !c.FillsWindow(window, besides, shrinkAbove) {
		return false
	}
	capacity := int(float64(window) / c.tokensPerByte())
	c.Shrink(max(0, capacity*shrinkTo/100-besides), max(0, capacity*shrinkAbove/100-besides), todos)
	return true
}

// FillsWindow reports whether the conversation fills more than the given percentage of a window of the given
// tokens. besides is the size of the system prompt and the tools in bytes. It is false for an unknown window.
func (c *Conversation) FillsWindow(window, besides, hundredths int) bool {
	return window > 0 && float64(c.bytes+besides)*c.tokensPerByte()*100 > float64(window)*float64(hundredths)
}

// tokensPerByte is an estimate until Calibrate corrects it.
func (c *Conversation) tokensPerByte() float64 {
	if c.perByte > 0 {
		return c.perByte
	}
	return tokensPerByte
}

// Shrink replaces the oldest tool results and the oldest reasoning by stubs, then older turns by a summary, until
// no more than the given bytes remain. The last steps stay unchanged, unless more than limit bytes remain: then
// they are shortened too, the oldest first. The newest result stays.
func (c *Conversation) Shrink(bytes, limit int, todos string) {
	tail := c.recentStart(recentSteps)
	c.stubOldResults(tail, bytes)
	if c.bytes > bytes {
		c.summarize(tail, todos)
	}
	if c.bytes <= limit {
		return
	}
	c.stubOldResults(c.recentStart(1), bytes)
	if c.bytes > limit {
		c.summarize(c.recentStart(1), todos)
	}
	c.stubOldResults(c.lastResult(), limit)
}

// stubOldResults replaces the oldest results and readable reasoning before the given message, until no more than the
// given bytes are left. Signed reasoning stays: its provider refuses the conversation without it.
func (c *Conversation) stubOldResults(before, bytes int) {
	for i := range c.messages[:before] {
		if c.bytes <= bytes {
			return
		}
		if m := &c.messages[i]; m.Role == goal.ToolRole && len(m.Text) > minStubBytes {
			was := messageSize(*m)
			m.Text = stubText(*m)
			c.bytes += messageSize(*m) - was
		}
		if m := &c.messages[i]; m.Role == goal.Assistant && len(m.Reasoning.ReadableText()) > minStubBytes {
			was := messageSize(*m)
			m.Reasoning = m.Reasoning.WithoutText()
			c.bytes += messageSize(*m) - was
		}
	}
}

// recentStart returns where the turns of the given number of last steps begin.
func (c *Conversation) recentStart(n int) int {
	steps := 0
	for i := len(c.messages) - 1; i > 0; i-- {
		m := c.messages[i]
		if m.Role == goal.ToolRole {
			steps++
		}
		if m.Role == goal.Assistant && steps >= n {
			return i
		}
	}
	return min(1, len(c.messages))
}

// lastResult returns the index of the last tool result.
func (c *Conversation) lastResult() int {
	for i := len(c.messages) - 1; i >= 0; i-- {
		if c.messages[i].Role == goal.ToolRole {
			return i
		}
	}
	return 0
}

func stubText(m goal.Message) string {
	if m.Step == 0 {
		return "(left out to save space)"
	}
	return fmt.Sprintf("(left out to save space: %d bytes; read_evidence with the handle \"step:%d\" gives them)",
		len(m.Text), m.Step)
}
