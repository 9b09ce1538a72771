package goal

import "encoding/json"

// Reasoning is what a model thought before a reply, in the form in which its provider wants it back with the next
// request. It goes to the model that wrote it and to nobody else. It is not a statement of the agent: critics, judges
// and reviewers never see it, and no host decision depends on it.
type Reasoning struct {
	Model string `json:"model"` // that wrote it
	// Form is the provider's form of the rest; package model defines the forms.
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

// WithoutText returns a copy whose readable text is replaced by a short note: providers that check for reasoning want
// some, and do not compare it. It returns r itself where that does not make it shorter.
func (r *Reasoning) WithoutText() *Reasoning {
	const note = "(left out to save space)"
	if r == nil || len(r.Text) <= len(note) {
		return r
	}
	short := *r
	short.Text = note
	return &short
}
