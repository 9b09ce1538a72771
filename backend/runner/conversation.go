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
	fullAt       = 80
	cutTo        = 50
	resultAt     = 10
	stepsKept    = 10
	resultLeast  = 2 << 10 // bytes, whatever the window
	guessPerByte = 0.3     // English and code; the first turn corrects it
	stubOver     = 400     // bytes: shorter results are not worth a stub
)

func (c *conversation) add(messages ...goal.Message) {
	for _, m := range messages {
		c.messages = append(c.messages, m)
		c.bytes += size(m)
	}
}

func (c *conversation) later(text string) { c.waiting = append(c.waiting, text) }

func size(m goal.Message) int {
	n := len(m.Text) + len(m.CallID) + 16
	for _, call := range m.Calls {
		n += len(call.Tool) + len(call.Arguments) + len(call.ID)
	}
	return n
}

// learn corrects the guess of how many tokens a byte is.
func (c *conversation) learn(tokens int64, besides int) {
	if sent := c.bytes + besides; tokens > 0 && sent > 0 {
		c.perByte = float64(tokens) / float64(sent)
	}
}

// bytesOf guesses how many bytes a window of so many tokens holds; without end
// where it is not known.
func bytesOf(window int) int {
	if window <= 0 {
		return math.MaxInt
	}
	return int(float64(window) / guessPerByte)
}

// Needs guesses how many tokens a window must have for a goal with these tools: its
// rules, tools and objective are sent with every turn, and something has to fit beside them.
func Needs(g goal.Goal, specs []goal.ToolSpec) int {
	return int(float64(len(contract(g))+specBytes(specs)+len(g.Objective)) * guessPerByte * 100 / fullAt)
}

// half of a window is for what can be shortened; the rest is for what cannot.
func half(bytes int) int { return bytes / 2 }

// perResult bounds one result in bytes, so that a few of them do not fill the window.
func perResult(window int) int {
	return min(maxResult, max(resultLeast, bytesOf(window)/100*resultAt))
}

// fit cuts the conversation when it fills the window; besides counts the bytes
// of contract and tools. It says whether something was cut. A cut goes deep, so
// that the prefix then stays the same for long and prompt caches hit.
func (c *conversation) fit(window, besides int, todos string) bool {
	perByte := c.perByte
	if perByte <= 0 {
		perByte = guessPerByte
	}
	most := int(float64(window) / perByte)
	if window <= 0 || (c.bytes+besides)*100 <= most*fullAt {
		return false
	}
	c.cut(max(0, most*cutTo/100-besides), max(0, most*fullAt/100-besides), todos)
	return true
}

// cut replaces the oldest tool results by stubs, then older turns by a summary,
// until no more than the given bytes are left. The last steps stay as they are,
// unless more than most bytes are left then: the window decides. Of them, too, the
// oldest goes first, and the newest result stays.
func (c *conversation) cut(bytes, most int, todos string) {
	tail := c.tail(stepsKept)
	c.stubs(tail, bytes)
	if c.bytes > bytes {
		c.summarise(tail, todos)
	}
	if c.bytes <= most {
		return
	}
	c.stubs(c.tail(1), bytes)
	if c.bytes > most {
		c.summarise(c.tail(1), todos)
	}
	c.stubs(c.newest(), most)
}

// stubs replaces the oldest results before the given message, until no more than
// so many bytes are left.
func (c *conversation) stubs(before, bytes int) {
	for i := range c.messages[:before] {
		if c.bytes <= bytes {
			return
		}
		if m := &c.messages[i]; m.Role == goal.ToolRole && len(m.Text) > stubOver {
			was := size(*m)
			m.Text = stub(*m)
			c.bytes += size(*m) - was
		}
	}
}

// tail is where the turns of the last so many steps begin.
func (c *conversation) tail(most int) int {
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

// newest is where the last result is.
func (c *conversation) newest() int {
	for i := len(c.messages) - 1; i >= 0; i-- {
		if c.messages[i].Role == goal.ToolRole {
			return i
		}
	}
	return 0
}

func stub(m goal.Message) string {
	if m.Step == 0 {
		return "(left out to save room)"
	}
	return fmt.Sprintf("(left out to save room: %d bytes; read_evidence with the handle \"step:%d\" gives them)", len(m.Text), m.Step)
}

// How the host's messages begin that are looked for again.
const (
	failureMark = "Verification failed: "
	noteMark    = "A note from the person: "
	todosMark   = "Before the host verifies: "
	lookMark    = "Before the host asks a judge or the person: "
	planMark    = "Your plan:"
	summaryMark = "What was done before, in short; read_evidence gives a step's whole result:\n"
)

// summarise replaces the turns before the tail by a list of what was done. The
// objective, the person's notes and the last failure stay.
func (c *conversation) summarise(tail int, todos string) {
	if tail <= 1 {
		return
	}
	first, old, rest := c.messages[0], c.messages[1:tail], slices.Clone(c.messages[tail:])
	text := summaryMark + strings.Join(done(old), "\n")
	if todos != "" {
		text += "\n" + planMark + "\n" + todos
	}
	kept := lasting(old)
	c.messages, c.bytes = nil, 0
	c.add(first)
	c.add(kept...)
	c.add(goal.Message{Role: goal.User, Text: text})
	c.add(rest...)
}

// done lists the steps of the given turns, one line each, the newest at the end.
func done(old []goal.Message) []string {
	const most = 200
	var lines []string
	calls := map[string]goal.Call{}
	for _, m := range old {
		for _, call := range m.Calls {
			calls[call.ID] = call
		}
		if earlier, ok := strings.CutPrefix(m.Text, summaryMark); ok && m.Role == goal.User {
			earlier, _, _ = strings.Cut(earlier, "\n"+planMark) // the plan has gone on since
			lines = append(lines, strings.Split(earlier, "\n")...)
		}
		if m.Role == goal.ToolRole {
			call := calls[m.CallID]
			lines = append(lines, fmt.Sprintf("step %d: %s %s: %s", m.Step, call.Tool, clip(call.Arguments, 160), preview(m.Text)))
		}
	}
	if over := len(lines) - most; over > 0 {
		lines = append([]string{fmt.Sprintf("(%d lines before)", over)}, lines[over:]...)
	}
	return lines
}

// lasting picks the person's notes and the last failure.
func lasting(old []goal.Message) []goal.Message {
	var kept []goal.Message
	failure := -1
	for i, m := range old {
		if m.Role == goal.User && strings.HasPrefix(m.Text, failureMark) {
			failure = i
		}
	}
	for i, m := range old {
		if i == failure || m.Role == goal.User && strings.HasPrefix(m.Text, noteMark) {
			kept = append(kept, m)
		}
	}
	return kept
}

// clip cuts a text for a list.
func clip(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
