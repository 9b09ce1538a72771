package goal_test

import (
	"encoding/json"
	"testing"

	"goalpost/backend/domain/goal"
)

// TestDisplayText_ReadsEveryForm checks the text that the user sees for each form in which providers return reasoning.
func TestDisplayText_ReadsEveryForm(t *testing.T) {
	items := func(raw ...string) *goal.Reasoning {
		r := &goal.Reasoning{}
		for _, s := range raw {
			r.Items = append(r.Items, json.RawMessage(s))
		}
		return r
	}
	for name, c := range map[string]struct {
		reasoning *goal.Reasoning
		want      string
	}{
		"none": {nil, ""},
		"text": {&goal.Reasoning{Text: "first", Items: []json.RawMessage{[]byte(`{"text":"no"}`)}}, "first"},
		"thinking": {
			items(`{"type":"thinking","thinking":"one","signature":"s"}`, `{"type":"thinking","thinking":"two"}`),
			"one\n\ntwo",
		},
		"details": {
			items(`{"type":"reasoning.summary","summary":"short"}`, `{"type":"reasoning.text","text":"long"}`),
			"short\n\nlong",
		},
		"responses": {items(`{"type":"reasoning","summary":[{"text":"a"},{"text":"b"}],"encrypted_content":"x"}`), "a\n\nb"},
		"encrypted": {items(`{"type":"redacted_thinking","data":"x"}`, `7`, `{"summary":null}`), ""},
	} {
		if got := c.reasoning.DisplayText(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
