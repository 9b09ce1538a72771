package conversation

import (
	"fmt"

	"goalpost/backend/goal"
)

// FitWindow cuts the conversation when it fills a window of the given tokens, and reports whether something was cut.
// besides counts the bytes of system prompt and tools; a summary ends with todos. It cuts a lot at once, so that the
// prefix then stays the same for a long time and prompt caches hit.
func (c *Conversation) FitWindow(window, besides int, todos string) bool {
	if !c.FillsWindow(window, besides, shrinkAbove) {
		return false
	}
	most := int(float64(window) / c.tokensPerByte())
	c.Shrink(max(0, most*shrinkTo/100-besides), max(0, most*shrinkAbove/100-besides), todos)
	return true
}

// FillsWindow reports whether the conversation fills more than the given percentage of a window of the given tokens.
// besides counts the bytes of system prompt and tools. It is false where the window is not known.
func (c *Conversation) FillsWindow(window, besides, hundredths int) bool {
	return window > 0 && float64(c.bytes+besides)*c.tokensPerByte()*100 > float64(window)*float64(hundredths)
}

// tokensPerByte is an estimate until the first turn shows it.
func (c *Conversation) tokensPerByte() float64 {
	if c.perByte > 0 {
		return c.perByte
	}
	return tokensPerByte
}

// Shrink replaces the oldest tool results and the oldest reasoning by stubs, then older turns by a summary, until no
// more than the given bytes are left. The last steps stay as they are, unless more than most bytes remain: then they
// are shortened, too, the oldest first. The newest result stays.
func (c *Conversation) Shrink(bytes, most int, todos string) {
	tail := c.recentStart(recentSteps)
	c.stubOldResults(tail, bytes)
	if c.bytes > bytes {
		c.summarize(tail, todos)
	}
	if c.bytes <= most {
		return
	}
	c.stubOldResults(c.recentStart(1), bytes)
	if c.bytes > most {
		c.summarize(c.recentStart(1), todos)
	}
	c.stubOldResults(c.lastResult(), most)
}

// stubOldResults replaces the oldest results and readable reasoning before the given message, until no more than the
// given bytes are left. Signed reasoning stays: its provider refuses the conversation without it.
func (c *Conversation) stubOldResults(before, bytes int) {
	for i := range c.messages[:before] {
		if c.bytes <= bytes {
			return
		}
		if m := &c.messages[i]; m.Role == goal.ToolRole && len(m.Text) > stubMinBytes {
			was := messageSize(*m)
			m.Text = stubText(*m)
			c.bytes += messageSize(*m) - was
		}
		if m := &c.messages[i]; m.Role == goal.Assistant && len(m.Reasoning.ReadableText()) > stubMinBytes {
			was := messageSize(*m)
			m.Reasoning = m.Reasoning.WithoutText()
			c.bytes += messageSize(*m) - was
		}
	}
}

// recentStart returns where the turns of the given number of last steps begin.
func (c *Conversation) recentStart(most int) int {
	steps := 0
	for i := len(c.messages) - 1; i > 0; i-- {
		m := c.messages[i]
		if m.Role == goal.ToolRole {
			steps++
		}
		if m.Role == goal.Assistant && steps >= most {
			return i
		}
	}
	return min(1, len(c.messages))
}

// lastResult is where the last result is.
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
		return "(left out to save room)"
	}
	return fmt.Sprintf("(left out to save room: %d bytes; read_evidence with the handle \"step:%d\" gives them)",
		len(m.Text), m.Step)
}
