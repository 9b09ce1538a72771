package conversation

import (
	"fmt"
	"math/rand/v2"
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

// TestFitWindow_SmallConversation_IsUnchanged also covers an unknown window.
func TestFitWindow_SmallConversation_IsUnchanged(t *testing.T) {
	c := talk(20, 100)
	before := allText(c)
	if c.FitWindow(100_000, 0, "") || c.FitWindow(0, 1<<30, "") || allText(c) != before {
		t.Error("it was cut")
	}
}

// TestFitWindow_OldResults_BecomeStubsFirst checks that the newest ten steps and every call stay.
func TestFitWindow_OldResults_BecomeStubsFirst(t *testing.T) {
	c := talk(40, 4000) // about 170 KB, 51,000 tokens at the first guess
	if !c.FitWindow(60_000, 1000, "") {
		t.Fatal("it was not cut")
	}
	whole(t, c)
	got := allText(c)
	for i := 31; i <= 40; i++ {
		if !strings.Contains(got, fmt.Sprintf("result %d\n", i)) {
			t.Errorf("the result of step %d is gone", i)
		}
	}
	if strings.Contains(got, "result 1\n") || !strings.Contains(got, `read_evidence with the handle "step:1"`) {
		t.Error("step 1 has no stub")
	}
	if strings.Contains(got, summaryPrefix) {
		t.Error("turns were left out although stubs were enough")
	}
	if limit := 60_000 / tokensPerByte * shrinkTo / 100; float64(c.bytes) > limit {
		t.Errorf("%d bytes are left, at most %.0f wanted", c.bytes, limit)
	}
}

// TestShrink_OldTurns_BecomeOneSummary checks that the summary has the user's notes, the last failure and the open
// plan, also after it was made again.
func TestShrink_OldTurns_BecomeOneSummary(t *testing.T) {
	c := talk(60, 2000)
	for range 3 {
		c.Shrink(0, 0, "2. sweep")
		whole(t, c)
	}
	got := allText(c)
	for _, want := range []string{
		NotePrefix + "use tabs", FailurePrefix + "fault 4", "2. sweep",
		`step 1: read_file {"path":"f1"}: `, "step 50: ", "result 60\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is gone", want)
		}
	}
	c.Shrink(0, 0, "3. mop")
	if again := allText(c); strings.Contains(again, "2. sweep") || strings.Count(again, "3. mop") != 1 {
		t.Error("the plan of an earlier summary is listed as open")
	}
	if strings.Contains(got, "fault 3") || strings.Count(got, summaryPrefix) != 1 {
		t.Error("an old failure or a second summary is there")
	}
}

// TestShrink_AnyConversation_StaysValid checks that every result keeps its call.
func TestShrink_AnyConversation_StaysValid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		c := talk(r.IntN(80), r.IntN(3000))
		for range 1 + r.IntN(3) {
			c.Shrink(r.IntN(100_000), r.IntN(150_000), []string{"", "1. more"}[r.IntN(2)])
			whole(t, c)
			id := fmt.Sprintf("more%d", r.Int())
			c.Add(goal.Message{
				Role:  goal.Assistant,
				Calls: []goal.Call{{ID: id, Tool: "x"}},
			}, goal.Message{Role: goal.ToolRole, CallID: id, Step: 1000, Text: strings.Repeat("y", r.IntN(2000))})
		}
	}
}

func TestCalibrate_ProviderCount_CorrectsTheEstimate(t *testing.T) {
	c := talk(10, 1000)
	c.Calibrate(int64(c.bytes), 0) // a token a byte, as for text in a rare script
	if !c.FitWindow(c.bytes, 0, "") {
		t.Error("a full window was not noticed")
	}
	c.Calibrate(0, 0)
	if c.perByte != 1 {
		t.Errorf("%v: a provider that does not count changed the guess", c.perByte)
	}
}

// TestFitWindow_LastStepsTooLong_KeepsTheNewest: if the last steps alone exceed the window, the oldest of them are
// shortened first.
func TestFitWindow_LastStepsTooLong_KeepsTheNewest(t *testing.T) {
	const window, besides = 24_000, 20_000
	for name, c := range map[string]*Conversation{
		"three long results": talk(3, 18<<10),
		"eleven":             talk(11, 9<<10),
		"long arguments":     written(6, 15<<10),
		"one turn":           batch(8, 9<<10),
	} {
		newest := c.messages[c.lastResult()].Text
		if !c.FitWindow(window, besides, "") {
			t.Errorf("%s: nothing was cut", name)
		}
		whole(t, c)
		if limit := int(window/tokensPerByte) * shrinkAbove / 100; c.bytes+besides > limit {
			t.Errorf("%s: %d bytes are left, of %d", name, c.bytes+besides, limit)
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
