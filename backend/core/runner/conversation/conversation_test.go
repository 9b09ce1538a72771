package conversation

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

// talk returns a conversation of n steps with results of the given size. It contains a note of the user and a failed
// claim.
func talk(n, bytes int) *Conversation {
	c := &Conversation{}
	c.Add(goal.Message{Role: goal.User, Text: "Goal: tidy up"})
	for i := 1; i <= n; i++ {
		id := fmt.Sprintf("c%d", i)
		c.Add(goal.Message{
			Role:  goal.Assistant,
			Calls: []goal.Call{{ID: id, Tool: "read_file", Arguments: fmt.Sprintf(`{"path":"f%d"}`, i)}},
		})
		c.Add(goal.Message{
			Role:   goal.ToolRole,
			CallID: id,
			Step:   i,
			Text:   fmt.Sprintf("result %d\n%s", i, strings.Repeat("x", bytes)),
		})
		if i == 2 {
			c.Add(goal.Message{Role: goal.User, Text: NotePrefix + "use tabs"})
		}
		if i == 3 || i == 4 {
			c.Add(goal.Message{Role: goal.User, Text: fmt.Sprintf("%sfault %d", FailurePrefix, i)})
		}
	}
	return c
}

// whole checks what must be true of every conversation.
func whole(t *testing.T, c *Conversation) {
	t.Helper()
	calls, bytes := map[string]bool{}, 0
	for _, m := range c.messages {
		bytes += messageSize(m)
		for _, call := range m.Calls {
			calls[call.ID] = true
		}
		if m.Role == goal.ToolRole && !calls[m.CallID] {
			t.Errorf("the result of %s has lost its call", m.CallID)
		}
	}
	if c.messages[0].Text != "Goal: tidy up" {
		t.Errorf("the objective is gone: %q", c.messages[0].Text)
	}
	if bytes != c.bytes {
		t.Errorf("%d bytes counted, %d there", c.bytes, bytes)
	}
}

func allText(c *Conversation) string {
	var b strings.Builder
	for _, m := range c.messages {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

// compact compacts a conversation as a run does, to about the given bytes, with excerpts.
func compact(c *Conversation, bytes int) goal.Message {
	old := c.Old(bytes / 2)
	m := goal.Message{Role: goal.User, Text: Excerpts(old, bytes/2)}
	how := c.Compaction(old, len(m.Text)+len(c.messages[0].Text), bytes)
	how.Summary = m.Text
	m.Compaction = &how
	c.Add(m)
	return m
}

func TestIsFull_Window_IsComparedWithItsShare(t *testing.T) {
	c := talk(20, 100)
	if c.IsFull(100_000, 0) || c.IsFull(0, 1<<30) || !c.IsFull(1000, 0) || !c.IsFull(100_000, 320_000) {
		t.Error("the share is wrong")
	}
}

// TestCompaction_OfAnyConversation_IsValidAndCanBeRepeated checks that every result keeps its call, and that the
// messages of the journal give the same conversation.
func TestCompaction_OfAnyConversation_IsValidAndCanBeRepeated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		c := talk(r.IntN(80), r.IntN(3000))
		journal := slices.Clone(c.messages)
		for range 1 + r.IntN(3) {
			journal = append(journal, compact(c, r.IntN(100_000)))
			whole(t, c)
			id := fmt.Sprintf("more%d", r.Int())
			more := []goal.Message{
				{Role: goal.Assistant, Calls: []goal.Call{{ID: id, Tool: "x"}}},
				{Role: goal.ToolRole, CallID: id, Step: 1000, Text: strings.Repeat("y", r.IntN(2000))},
			}
			c.Add(more...)
			journal = append(journal, more...)
		}
		var again Conversation
		again.Add(journal...)
		if !reflect.DeepEqual(again.messages, c.messages) || again.bytes != c.bytes {
			t.Fatal("the journal gives another conversation")
		}
	}
}

// TestExcerpts_TwoCompactions_KeepWhatWasSaid checks that without a summary the agent's words, both ends of each
// result and the reason of each failure stay, and that results are left out before words.
func TestExcerpts_TwoCompactions_KeepWhatWasSaid(t *testing.T) {
	c := talk(30, 3000)
	c.Add(goal.Message{Role: goal.Assistant, Text: "The owner said:\nnever touch m13.", Calls: []goal.Call{
		{ID: "a", Tool: "run_command", Arguments: `{"command":"make"}`},
		{ID: "b", Tool: "read_file", Arguments: `{"path":"m13"}`},
	}})
	c.Add(goal.Message{Role: goal.ToolRole, CallID: "a", Step: 31, Text: "{\"ok\":false,\"ms\":9}\n" +
		"<output from=\"make\">\n" + strings.Repeat("cc\n", 2000) + "ld: no libfoo\n</output>\nexit 2"})
	c.Add(goal.Message{Role: goal.ToolRole, CallID: "b", Step: 32, Text: "{\"ok\":true}\n" +
		"<output from=\"m13\">\n\nPORT = 7443\n" + strings.Repeat("x", 3000) + "\nport of the owner: 7444\n</output>"})
	for i := range 2 {
		for _, m := range talk(30, 3000).messages[1:] {
			m.CallID = fmt.Sprint(i, m.CallID)
			for n := range m.Calls {
				m.Calls[n].ID = fmt.Sprint(i, m.Calls[n].ID)
			}
			c.Add(m)
		}
		compact(c, 40_000)
		whole(t, c)
	}
	got := c.messages[1].Text
	for _, want := range []string{
		"you said: The owner said: never touch m13.", `failed: step 31, run_command {"command":"make"}: `,
		"ld: no libfoo exit 2", `step 32, read_file {"path":"m13"}: PORT = 7443 xxx`, "port of the owner: 7444",
		"result 1 xxx",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is gone", want)
		}
	}
	if strings.Contains(got, "ok\":") || strings.Contains(got, NotePrefix) || strings.Contains(got, FailurePrefix) {
		t.Error("an envelope is there, or what the host adds itself")
	}
	short := Excerpts(c.messages[1:2], 300)
	if !strings.HasPrefix(short, "you said: ") || strings.Contains(short, "\nstep ") || len(short) > 300 {
		t.Errorf("a result was kept instead of words: %s", short)
	}
}

func TestCalibrate_ProviderCount_CorrectsTheEstimate(t *testing.T) {
	c := talk(10, 1000)
	c.Calibrate(int64(c.asked), 0) // a token a byte, as for text in a rare script
	if !c.IsFull(c.bytes, 0) {
		t.Error("a full window was not noticed")
	}
	c.Calibrate(0, 0)
	if c.perByte != 1 {
		t.Errorf("%v: a provider that does not count changed the guess", c.perByte)
	}
}

// TestIsFull_ShortReplies_MayFillMoreOfTheWindow: while the model replies shortly, half of the share for replies is
// enough.
func TestIsFull_ShortReplies_MayFillMoreOfTheWindow(t *testing.T) {
	for _, test := range []struct {
		window, percent int
		reply           int // tokens
		want            bool
	}{
		{32_000, 89, 0, false},
		{32_000, 91, 0, true},
		{32_000, 94, 100, false},
		{32_000, 96, 100, true},
		{32_000, 94, 1_000, true},
		{32_000, 92, 1_000, false},
		{32_000, 91, 9_000, true},
		{16_000, 81, 0, true},
		{16_000, 89, 100, false},
		{16_000, 91, 100, true},
		{0, 99, 100, false},
	} {
		c := &Conversation{}
		c.Add(goal.Message{Role: goal.User, Text: strings.Repeat("x", 984)})
		if test.reply > 0 {
			c.Add(goal.Message{Role: goal.Assistant, Text: strings.Repeat("x", 4*test.reply-16)})
		}
		c.asked = 1_000
		c.Calibrate(250, 0)
		c.bytes = int(float64(test.window*test.percent/100) / c.perByte)
		if got := c.IsFull(test.window, 0); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}

// TestCompaction_LastTurnsTooLong_KeepsTheNewestResult: if the last turn alone is too long, its oldest results are
// shortened first.
func TestCompaction_LastTurnsTooLong_KeepsTheNewestResult(t *testing.T) {
	const window, besides = 24_000, 20_000
	for name, c := range map[string]*Conversation{
		"four long results": talk(4, 18<<10),
		"eleven":            talk(11, 9<<10),
		"long arguments":    written(6, 15<<10),
		"one turn":          batch(8, 9<<10),
	} {
		newest := c.messages[lastResult(c.messages)].Text
		if !c.IsFull(window, besides) {
			t.Errorf("%s: it is not full", name)
		}
		compact(c, c.CompactSize(window, besides))
		whole(t, c)
		if c.bytes > c.CompactSize(window, besides) {
			t.Errorf("%s: %d bytes are left, of %d", name, c.bytes, c.CompactSize(window, besides))
		}
		if !strings.Contains(allText(c), newest) {
			t.Errorf("%s: the newest result is gone", name)
		}
	}
}

// written returns a conversation of calls with long arguments.
func written(n, bytes int) *Conversation {
	c := &Conversation{}
	c.Add(goal.Message{Role: goal.User, Text: "Goal: tidy up"})
	for i := 1; i <= n; i++ {
		id := fmt.Sprintf("c%d", i)
		c.Add(goal.Message{
			Role:  goal.Assistant,
			Calls: []goal.Call{{ID: id, Tool: "write_file", Arguments: strings.Repeat("x", bytes)}},
		})
		c.Add(goal.Message{Role: goal.ToolRole, CallID: id, Step: i, Text: fmt.Sprintf("written %d", i)})
	}
	return c
}

// batch returns a conversation of one turn with many calls.
func batch(n, bytes int) *Conversation {
	c := &Conversation{}
	c.Add(goal.Message{Role: goal.User, Text: "Goal: tidy up"})
	var calls []goal.Call
	for i := range n {
		calls = append(calls, goal.Call{ID: fmt.Sprint("c", i), Tool: "read_file"})
	}
	c.Add(goal.Message{Role: goal.Assistant, Calls: calls})
	for i := range n {
		c.Add(goal.Message{
			Role:   goal.ToolRole,
			CallID: fmt.Sprint("c", i),
			Step:   i + 1,
			Text:   fmt.Sprint("result ", i, strings.Repeat("x", bytes)),
		})
	}
	return c
}

func TestConversation_Images_TheNewestThreeStay(t *testing.T) {
	var c Conversation
	for i := range 5 {
		c.Add(goal.Message{Role: goal.ToolRole, CallID: strconv.Itoa(i), Images: [][]byte{{byte(i)}}})
		c.Add(goal.Message{Role: goal.Assistant, Text: "next"})
	}
	var left []byte
	for _, m := range c.Messages() {
		for _, image := range m.Images {
			left = append(left, image...)
		}
	}
	if !bytes.Equal(left, []byte{2, 3, 4}) || c.Bytes() != Size(c.Messages()) {
		t.Errorf("left are %v, in %d bytes of %d", left, c.Bytes(), Size(c.Messages()))
	}
	if before := c.Bytes(); !c.RemoveImages() || c.Bytes() >= before || c.RemoveImages() {
		t.Error("the images are not removed once")
	}
}
