package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
)

// The forms of goal.Reasoning. The first three are named like the field of a message in which servers with OpenAI's
// chat protocol send reasoning, and want it back.
const (
	formReasoningContent = "reasoning_content" // DeepSeek, Kimi, GLM, Qwen, Grok
	formReasoningText    = "reasoning"         // Groq, Ollama, vLLM
	formReasoningDetails = "reasoning_details" // OpenRouter: Items are its details
	formTags             = "think"             // at the beginning of the text, in tags
	formSignatures       = "signatures"        // only the signatures of calls: Gemini
	// Items are the parts of a reply in their order: reasoning as the provider sent it, and a layoutMark for each
	// text and each call.
	formAnthropic = "anthropic"
	formResponses = "responses"
)

// maxReasoning limits the stored reasoning of one reply, in bytes. Longer reasoning is dropped as a whole, because a
// part of it has no valid signature.
const maxReasoning = 4 << 20

// usableReasoning returns the reasoning of a message if the given model wrote it in one of the forms, nil otherwise.
// Other models reject its signatures.
func usableReasoning(m goal.Message, model string, forms ...string) *goal.Reasoning {
	r := m.Reasoning
	if r == nil || r.Model != model || !slices.Contains(forms, r.Form) {
		return nil
	}
	return r
}

// chatReasoning collects the reasoning of a reply in OpenAI's chat protocol.
type chatReasoning struct {
	content strings.Builder // of reasoning_content
	text    strings.Builder // of reasoning
	tags    strings.Builder // of tags in the text
	details []map[string]json.RawMessage
	size    int
}

// readableReasoning returns the reasoning that a part adds, only once if a server sends it in several fields.
func (p part) readableReasoning() string {
	if p.ReasoningContent != "" || p.Reasoning != "" {
		return string(cmp.Or(p.ReasoningContent, p.Reasoning))
	}
	var all strings.Builder
	for _, raw := range p.ReasoningDetails {
		var d struct {
			Text    string `json:"text"`
			Summary string `json:"summary"`
		}
		_ = json.Unmarshal(raw, &d) // encrypted details have neither
		all.WriteString(cmp.Or(d.Text, d.Summary))
	}
	return all.String()
}

func (c *chatReasoning) add(p part) {
	c.content.WriteString(replaceUnstorable(string(p.ReasoningContent)))
	c.text.WriteString(replaceUnstorable(string(p.Reasoning)))
	c.size += len(p.ReasoningContent) + len(p.Reasoning)
	for _, d := range p.ReasoningDetails {
		c.addDetail(d)
	}
}

func (c *chatReasoning) addTagged(text string) {
	c.tags.WriteString(text)
	c.size += len(text)
}

// addDetail joins a piece of readable reasoning with the piece before it. Encrypted details arrive whole.
func (c *chatReasoning) addDetail(raw json.RawMessage) {
	var d map[string]json.RawMessage
	if json.Unmarshal(raw, &d) != nil || d == nil {
		return
	}
	if c.size += len(raw); c.size > maxReasoning {
		return
	}
	if n := len(c.details); n > 0 {
		last := c.details[n-1]
		for _, field := range []string{"text", "summary"} {
			if isSameDetail(last, d, field) {
				value := joinJSONStrings(last[field], d[field])
				maps.DeleteFunc(d, func(key string, v json.RawMessage) bool { return key == field || string(v) == "null" })
				maps.Copy(last, d) // a signature comes with the last piece
				last[field] = value
				return
			}
		}
	}
	c.details = append(c.details, d)
}

// isSameDetail reports whether two pieces belong to the same detail, whose text is in the given field.
func isSameDetail(a, b map[string]json.RawMessage, field string) bool {
	_, isIn := a[field]
	return isIn && string(a["type"]) == `"reasoning.`+field+`"` && bytes.Equal(a["type"], b["type"]) &&
		bytes.Equal(a["index"], b["index"])
}

func joinJSONStrings(a, b json.RawMessage) json.RawMessage {
	var first, second string
	_ = json.Unmarshal(a, &first) // null and a missing field are ""
	_ = json.Unmarshal(b, &second)
	text, err := encodeJSON(first + second)
	if err != nil {
		return a // cannot happen: a string can always be encoded
	}
	return text
}

// build returns the reasoning without its model, nil if there was none. A server that sends the same reasoning in two
// fields gets it back in one.
func (c *chatReasoning) build(signatures []string) *goal.Reasoning {
	if !slices.ContainsFunc(signatures, func(s string) bool { return s != "" }) {
		signatures = nil
	}
	r := &goal.Reasoning{Signatures: signatures}
	switch {
	case c.size > maxReasoning:
		r.Form = formSignatures
	case len(c.details) > 0:
		r.Form = formReasoningDetails
		for _, d := range c.details {
			item, err := json.Marshal(d)
			if err != nil {
				return nil
			}
			r.Items = append(r.Items, item)
		}
	case c.content.Len() > 0:
		r.Form, r.Text = formReasoningContent, c.content.String()
	case c.text.Len() > 0:
		r.Form, r.Text = formReasoningText, c.text.String()
	case c.tags.Len() > 0:
		r.Form, r.Text = formTags, c.tags.String()
	default:
		r.Form = formSignatures
	}
	if r.Form == formSignatures && signatures == nil {
		return nil
	}
	return r
}

// layoutMark is the placeholder for a text or a call, which the message stores in other fields.
type layoutMark struct {
	Type  string `json:"type"`            // markText or markCall
	Bytes int    `json:"bytes,omitempty"` // of a text
}

const (
	markText = "goalpost.text"
	markCall = "goalpost.call"
)

// replyLayout records the order of the parts of a reply with reasoning, because the provider wants them back in this
// order.
type replyLayout struct {
	items  []json.RawMessage
	size   int
	sealed bool // contains reasoning
}

func (r *replyLayout) addSealed(item json.RawMessage) {
	r.items, r.sealed = append(r.items, item), true
	r.size += len(item)
}

func (r *replyLayout) addMark(m layoutMark) {
	b, err := json.Marshal(m)
	if err != nil {
		return // cannot happen: two plain fields
	}
	r.items = append(r.items, b)
}

// build returns the reasoning without its model, nil if there was none.
func (r *replyLayout) build(form string) *goal.Reasoning {
	if !r.sealed || r.size > maxReasoning {
		return nil
	}
	return &goal.Reasoning{
		Form:  form,
		Items: r.items,
	}
}

// rebuildReply calls its functions for the parts of a message in the order in which the provider sent them. It reports
// false, before any call, if the message no longer matches that order, for example because a secret in it was masked.
func rebuildReply(
	m goal.Message, r *goal.Reasoning, sealed func(json.RawMessage), text func(string), call func(goal.Call),
) bool {
	marks := make([]layoutMark, len(r.Items))
	length, calls := 0, 0
	for i, item := range r.Items {
		if json.Unmarshal(item, &marks[i]) != nil {
			return false
		}
		switch marks[i].Type {
		case markText:
			length += marks[i].Bytes
		case markCall:
			calls++
		}
	}
	if length != len(m.Text) || calls != len(m.Calls) {
		return false
	}
	rest, next := m.Text, 0
	for i, item := range r.Items {
		switch marks[i].Type {
		case markText:
			text(rest[:marks[i].Bytes])
			rest = rest[marks[i].Bytes:]
		case markCall:
			call(m.Calls[next])
			next++
		default:
			sealed(item)
		}
	}
	return true
}

// tagFilter separates reasoning in tags at the beginning of a text from the text.
type tagFilter struct {
	text     func(string)
	thoughts func(string)
	state    tagState
	pending  string // text that may be the start of a tag
	closing  string // the tag that ends the reasoning; "" before the first tag
}

type tagState int

const (
	beforeTag tagState = iota
	insideTag
	afterTag // and where the text began without one
)

// reasoningTags returns the names of the tags: of most models, of Gemini, and of gpt-oss on Bedrock.
func reasoningTags() []string { return []string{"think", "thinking", "thought", "reasoning"} }

func (t *tagFilter) write(s string) {
	for s = t.pending + s; ; {
		t.pending = ""
		switch t.state {
		case beforeTag:
			rest, isTag, isOpen := t.cutOpeningTag(s)
			if isOpen {
				t.pending = s
				return
			}
			if !isTag {
				t.state = afterTag
				if t.closing != "" {
					s = strings.TrimLeft(s, "\r\n")
				}
				continue
			}
			t.state, s = insideTag, rest
		case insideTag:
			thought, rest, isClosed := strings.Cut(s, t.closing)
			if !isClosed {
				n := partialSuffix(s, t.closing)
				t.thoughts(s[:len(s)-n])
				t.pending = s[len(s)-n:]
				return
			}
			t.thoughts(thought)
			t.state, s = beforeTag, rest
		case afterTag:
			t.text(s)
			return
		}
	}
}

// cutOpeningTag removes an opening tag. isOpen means that more text is needed to decide whether there is one.
func (t *tagFilter) cutOpeningTag(s string) (rest string, isTag, isOpen bool) {
	trimmed := strings.TrimLeft(s, " \t\r\n")
	if trimmed == "" {
		return s, false, true
	}
	for _, name := range reasoningTags() {
		tag := "<" + name + ">"
		if rest, ok := strings.CutPrefix(trimmed, tag); ok {
			t.closing = "</" + name + ">"
			return rest, true, false
		}
		isOpen = isOpen || strings.HasPrefix(tag, trimmed)
	}
	return s, false, isOpen
}

// close passes on the text that was held back as the possible start of a tag.
func (t *tagFilter) close() {
	rest := t.pending
	t.pending = ""
	switch {
	case rest == "":
	case t.state == insideTag:
		t.thoughts(rest)
	case t.closing != "" && strings.TrimSpace(rest) == "":
	default:
		t.text(rest)
	}
}

// partialSuffix returns the number of bytes at the end of s that may be the start of the tag.
func partialSuffix(s, tag string) int {
	for n := min(len(s), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}
