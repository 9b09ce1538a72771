package goal

import (
	"encoding/json"
	"slices"
	"strings"
)

// Reasoning is what a model thought before a reply, in the form in which its provider wants it back with the next
// request. Only the model that wrote it receives it. It is not a statement of the agent: critics, judges and
// reviewers never see it, and no decision of the host depends on it.
type Reasoning struct {
	Model string `json:"model"` // that wrote it
	// Form is the provider's format of the other fields. Package model defines the formats.
	Form string `json:"form"`
	// Text is readable reasoning.
	Text string `json:"text,omitempty"`
	// Items are signed or encrypted parts. The provider accepts them only unchanged and in this order.
	Items []json.RawMessage `json:"items,omitempty"`
	// Signatures belong to the calls of the message, in their order; "" for a call without one.
	Signatures []string `json:"signatures,omitempty"`
}

// Bytes returns how much the reasoning adds to a request, 0 for nil.
func (r *Reasoning) Bytes() int {
	if r == nil {
		return 0
	}
	n := len(r.Text)
	for _, item := range r.Items {
		n += len(item)
	}
	for _, s := range r.Signatures {
		n += len(s)
	}
	return n
}

// ReadableText returns the text, "" for nil.
func (r *Reasoning) ReadableText() string {
	if r == nil {
		return ""
	}
	return r.Text
}

// DisplayText returns the readable part of the reasoning: its text, or the texts and summaries in its items. It is
// "" for nil, and if the provider encrypted everything.
func (r *Reasoning) DisplayText() string {
	if r == nil || r.Text != "" {
		return r.ReadableText()
	}
	var parts []string
	for _, raw := range r.Items {
		var item struct {
			Thinking, Text string
			Summary        json.RawMessage
		}
		if json.Unmarshal(raw, &item) != nil {
			continue
		}
		var summary string
		var list []struct{ Text string }
		if json.Unmarshal(item.Summary, &summary) != nil && json.Unmarshal(item.Summary, &list) == nil {
			for _, one := range list {
				parts = append(parts, one.Text)
			}
		}
		parts = append(parts, item.Thinking, item.Text, summary)
	}
	parts = slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })
	return strings.Join(parts, "\n\n")
}

// WithoutText returns a copy with a short note instead of the readable text: providers that require reasoning do
// not compare it. It returns r itself if the note would not be shorter.
func (r *Reasoning) WithoutText() *Reasoning {
	const note = "(left out to save space)"
	if r == nil || len(r.Text) <= len(note) {
		return r
	}
	short := *r
	short.Text = note
	return &short
}
