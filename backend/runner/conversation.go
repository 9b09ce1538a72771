package runner

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"goalpost/backend/goal"
)

// conversation is what the model sees, kept within its window. The journal has
// all of it; what is left out here can be read again by its handle.
type conversation struct {
	messages []goal.Message
	bytes    int
	perByte  float64  // tokens per byte, as the last turn showed; 0 before the first
	waiting  []string // host's words that are said after the restored part
}

// What a full window is cut down to and what one result may take of it, in
// hundredths, and what is cut last.
const (
	shrinkAbove    = 80
	shrinkTo       = 50
	resultShare    = 10
	recentSteps    = 10
	minResultBytes = 2 << 10 // bytes, whatever the window
	tokensPerByte  = 0.3     // English and code; the first turn corrects it
	stubMinBytes   = 400     // bytes: shorter results are not worth a stub
)

func (c *conversation) add(messages ...goal.Message) {
	for _, m := range messages {
		c.messages = append(c.messages, m)
		c.bytes += size(m)
	}
}

func (c *conversation) addDeferred(text string) { c.waiting = append(c.waiting, text) }

func size(m goal.Message) int {
	n := len(m.Text) + len(m.CallID) + 16
	for _, call := range m.Calls {
		n += len(call.Tool) + len(call.Arguments) + len(call.ID)
	}
	return n
}

// calibrate corrects the guess of how many tokens a byte is.
func (c *conversation) calibrate(tokens int64, besides int) {
	if sent := c.bytes + besides; tokens > 0 && sent > 0 {
		c.perByte = float64(tokens) / float64(sent)
	}
}

// bytesForTokens guesses how many bytes a window of so many tokens holds; without end
// where it is not known.
func bytesForTokens(window int) int {
	if window <= 0 {
		return math.MaxInt
	}
	return int(float64(window) / tokensPerByte)
}

// MinContextWindow guesses how many tokens a window must have for a goal with these tools: its
// rules, tools and objective are sent with every turn, and something has to fit beside them.
func MinContextWindow(g goal.Goal, specs []goal.ToolSpec) int {
	return int(float64(len(systemPrompt(g))+toolSpecBytes(specs)+len(g.Objective)) * tokensPerByte * 100 / shrinkAbove)
}

// shrinkableHalf of a window is for what can be shortened; the rest is for what cannot.
func shrinkableHalf(bytes int) int { return bytes / 2 }

// maxResultBytes bounds one result in bytes, so that a few of them do not fill the window.
func maxResultBytes(window int) int {
	return min(maxResult, max(minResultBytes, bytesForTokens(window)/100*resultShare))
}

// fitWindow cuts the conversation when it fills the window; besides counts the bytes
// of contract and tools. It says whether something was cut. A cut goes deep, so
// that the prefix then stays the same for long and prompt caches hit.
func (c *conversation) fitWindow(window, besides int, todos string) bool {
	perByte := c.perByte
	if perByte <= 0 {
		perByte = tokensPerByte
	}
	most := int(float64(window) / perByte)
	if window <= 0 || (c.bytes+besides)*100 <= most*shrinkAbove {
		return false
	}
	c.shrink(max(0, most*shrinkTo/100-besides), max(0, most*shrinkAbove/100-besides), todos)
	return true
}

// shrink replaces the oldest tool results by stubs, then older turns by a summary,
// until no more than the given bytes are left. The last steps stay as they are,
// unless more than most bytes are left then: the window decides. Of them, too, the
// oldest goes first, and the newest result stays.
func (c *conversation) shrink(bytes, most int, todos string) {
	tail := c.recentStart(recentSteps)
	c.stubOldResults(tail, bytes)
	if c.bytes > bytes {
		c.summarise(tail, todos)
	}
	if c.bytes <= most {
		return
	}
	c.stubOldResults(c.recentStart(1), bytes)
	if c.bytes > most {
		c.summarise(c.recentStart(1), todos)
	}
	c.stubOldResults(c.lastResult(), most)
}

// stubOldResults replaces the oldest results before the given message, until no more than
// so many bytes are left.
func (c *conversation) stubOldResults(before, bytes int) {
	for i := range c.messages[:before] {
		if c.bytes <= bytes {
			return
		}
		if m := &c.messages[i]; m.Role == goal.ToolRole && len(m.Text) > stubMinBytes {
			was := size(*m)
			m.Text = stubText(*m)
			c.bytes += size(*m) - was
		}
	}
}

// recentStart is where the turns of the last so many steps begin.
func (c *conversation) recentStart(most int) int {
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
func (c *conversation) lastResult() int {
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
	return fmt.Sprintf("(left out to save room: %d bytes; read_evidence with the handle \"step:%d\" gives them)", len(m.Text), m.Step)
}

// How the host's messages begin that are looked for again.
const (
	failurePrefix    = "Verification failed: "
	notePrefix       = "A note from the user: "
	todosPrefix      = "Before the host verifies: "
	reviewWorkPrefix = "Before the host asks a judge or the user: "
	planPrefix       = "Your plan:"
	summaryPrefix    = "What was done before, in short; read_evidence gives a step's whole result:\n"
)

// summarise replaces the turns before the tail by a list of what was done. The
// objective, the user's notes and the last failure stay.
func (c *conversation) summarise(tail int, todos string) {
	if tail <= 1 {
		return
	}
	first, old, rest := c.messages[0], c.messages[1:tail], slices.Clone(c.messages[tail:])
	text := summaryPrefix + strings.Join(summarizeSteps(old), "\n")
	if todos != "" {
		text += "\n" + planPrefix + "\n" + todos
	}
	kept := pinnedMessages(old)
	c.messages, c.bytes = nil, 0
	c.add(first)
	c.add(kept...)
	c.add(goal.Message{Role: goal.User, Text: text})
	c.add(rest...)
}

// summarizeSteps lists the steps of the given turns, one line each, the newest at the end.
func summarizeSteps(old []goal.Message) []string {
	const most = 200
	var lines []string
	calls := map[string]goal.Call{}
	for _, m := range old {
		for _, call := range m.Calls {
			calls[call.ID] = call
		}
		if earlier, ok := strings.CutPrefix(m.Text, summaryPrefix); ok && m.Role == goal.User {
			earlier, _, _ = strings.Cut(earlier, "\n"+planPrefix) // the plan has continued since
			lines = append(lines, strings.Split(earlier, "\n")...)
		}
		if m.Role == goal.ToolRole {
			call := calls[m.CallID]
			lines = append(lines, fmt.Sprintf("step %d: %s %s: %s", m.Step, call.Tool, truncate(call.Arguments, 160), firstLine(m.Text)))
		}
	}
	if over := len(lines) - most; over > 0 {
		lines = append([]string{fmt.Sprintf("(%d lines before)", over)}, lines[over:]...)
	}
	return lines
}

// pinnedMessages picks the user's notes and the last failure.
func pinnedMessages(old []goal.Message) []goal.Message {
	var kept []goal.Message
	failure := -1
	for i, m := range old {
		if m.Role == goal.User && strings.HasPrefix(m.Text, failurePrefix) {
			failure = i
		}
	}
	for i, m := range old {
		if i == failure || m.Role == goal.User && strings.HasPrefix(m.Text, notePrefix) {
			kept = append(kept, m)
		}
	}
	return kept
}

// truncate cuts a text for a list.
func truncate(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
