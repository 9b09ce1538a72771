package conversation

import (
	"encoding/json"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

// TestCompaction_OldReasoning_IsShortenedAndSignaturesStay also checks that the newest reasoning stays whole.
func TestCompaction_OldReasoning_IsShortenedAndSignaturesStay(t *testing.T) {
	c := talk(30, 100)
	for i := range c.messages {
		if m := &c.messages[i]; m.Role == goal.Assistant {
			m.Reasoning = &goal.Reasoning{
				Model:      "m",
				Form:       "reasoning_content",
				Text:       strings.Repeat("thought ", 500),
				Items:      []json.RawMessage{json.RawMessage(`"sealed"`)},
				Signatures: []string{"signed"},
			}
			c.bytes += m.Reasoning.Bytes()
		}
	}
	shared := c.messages[1].Reasoning
	before := c.Bytes()
	how := c.Compaction(nil, 0, before*2/3)
	c.Add(goal.Message{Role: goal.User, Compaction: &how})
	whole(t, c)
	if c.Bytes() > before*2/3 {
		t.Errorf("%d bytes of %d are left", c.Bytes(), before)
	}
	first, last := c.messages[2], c.messages[len(c.messages)-2]
	if r := first.Reasoning; r == nil || len(r.Text) > 100 || r.Text == "" || len(r.Items) != 1 ||
		r.Signatures[0] != "signed" {
		t.Errorf("the oldest reasoning is %+v", r)
	}
	if len(last.Reasoning.ReadableText()) != 4000 || len(shared.Text) != 4000 {
		t.Error("the newest reasoning was cut, or the message that the caller has")
	}
}

func TestFillsWindow_AboveTheShare_IsTrue(t *testing.T) {
	c := &Conversation{}
	c.Add(goal.Message{Role: goal.User, Text: strings.Repeat("x", 984)}) // 1000 bytes, 300 tokens
	for _, test := range []struct {
		window, besides, hundredths int
		want                        bool
	}{{499, 0, 60, true}, {501, 0, 60, false}, {501, 10, 60, true}, {0, 1 << 30, 60, false}} {
		if got := c.FillsWindow(test.window, test.besides, test.hundredths); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
