package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
)

// responsesEvent is one event of a stream of the Responses API; fields of other event types are empty.
type responsesEvent struct {
	Type     string          `json:"type"`
	Index    int             `json:"output_index"`
	Delta    flexibleText    `json:"delta"`
	Item     json.RawMessage `json:"item"`
	Response responsesAnswer `json:"response"`
	Error    json.RawMessage `json:"error"`

	// Set in an event of type error.
	Message string          `json:"message"`
	Code    json.RawMessage `json:"code"`
}

// responsesAnswer is a whole reply.
type responsesAnswer struct {
	Object     string            `json:"object"`
	Status     string            `json:"status"`
	Output     []json.RawMessage `json:"output"`
	Error      json.RawMessage   `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Usage *struct {
		In      float64 `json:"input_tokens"` // including those from the cache
		Out     float64 `json:"output_tokens"`
		Details struct {
			Cached float64 `json:"cached_tokens"`
		} `json:"input_tokens_details"`
		Cost flexibleNumber `json:"cost"`
	} `json:"usage"`
}

// responsesItem is a part of a reply: a message, a call, or reasoning.
type responsesItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	Encrypted string `json:"encrypted_content"`
	Content   []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
}

// responsesReader parses the Responses API.
type responsesReader struct {
	*replyReader
	items map[int]*responsesOpenItem // by index
	order []*responsesOpenItem       // in the order of their beginning
}

// responsesOpenItem is an item that may not be complete yet.
type responsesOpenItem struct {
	kind  string
	text  int           // bytes of text
	slot  *toolCallSlot // of a call
	raw   json.RawMessage
	ended bool
}

func newResponsesReader(delta func(string), price func(tokenCount) float64) *replyReader {
	r := &responsesReader{
		replyReader: &replyReader{delta: delta, price: price},
		items:       map[int]*responsesOpenItem{},
	}
	r.take, r.parseWhole, r.finishReasoning = r.handleEvent, r.parseAnswer, r.layout
	return r.replyReader
}

// handleEvent processes one event. Unknown types are ignored.
func (r *responsesReader) handleEvent(data []byte) error {
	var e responsesEvent
	if err := json.Unmarshal(data, &e); err != nil {
		if strings.HasPrefix(e.Type, "response.") && !isResponsesType(e.Type) {
			return nil
		}
		return protocolError(data, err)
	}
	switch e.Type {
	case "response.output_item.added":
		if o := r.items[e.Index]; o != nil && o.ended {
			delete(r.items, e.Index) // some servers number every item 0
		}
		return r.begin(e.Index, e.Item)
	case "response.output_text.delta":
		r.addText(r.item(e.Index, "message"), string(e.Delta))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		r.emitReasoning(string(e.Delta))
	case "response.reasoning_summary_part.done": // a paragraph of the summary ends
		r.emitReasoning("\n\n")
	case "response.refusal.delta":
		r.refusal.WriteString(string(e.Delta))
	case "response.function_call_arguments.delta":
		if o := r.items[e.Index]; o != nil && o.slot != nil {
			return r.calls.append(o.slot, func() { o.slot.args.WriteString(string(e.Delta)) })
		}
	case "response.output_item.done":
		return r.end(e.Index, e.Item)
	case "response.completed", "response.incomplete", "response.failed", "response.done":
		e.Response.Status = cmp.Or(e.Response.Status, strings.TrimPrefix(e.Type, "response."))
		return r.complete(e.Response)
	case "error", "":
		if len(e.Error) > 0 && string(e.Error) != "null" {
			return streamErrorEvent(e.Error)
		}
		if e.Message != "" {
			return streamErrorEvent(data)
		}
	}
	return nil
}

func isResponsesType(kind string) bool {
	return containsAny(kind, "response.output_item.", "response.output_text.delta", "response.refusal.delta",
		"response.function_call_arguments.delta", "response.completed", "response.incomplete", "response.failed",
		"response.done")
}

// item returns the item with an index, and begins it if necessary.
func (r *responsesReader) item(index int, kind string) *responsesOpenItem {
	o := r.items[index]
	if o == nil {
		o = &responsesOpenItem{kind: kind}
		r.items[index] = o
		r.order = append(r.order, o)
	}
	return o
}

func (r *responsesReader) begin(index int, raw json.RawMessage) error {
	var item responsesItem
	if err := json.Unmarshal(raw, &item); err != nil {
		return nil //nolint:nilerr // an item of an unknown shape; the end of a known one is checked
	}
	o := r.item(index, item.Type)
	if item.Type != "function_call" || o.slot != nil {
		return nil
	}
	slot, err := r.calls.newSlot()
	if err != nil {
		return err
	}
	slot.call.ID, slot.call.Tool, o.slot = item.CallID, item.Name, slot
	return nil
}

// end completes an item. Anything that its pieces lacked is taken from the whole item.
func (r *responsesReader) end(index int, raw json.RawMessage) error {
	var item responsesItem
	if err := json.Unmarshal(raw, &item); err != nil {
		return nil //nolint:nilerr // an item of an unknown type
	}
	if err := r.begin(index, raw); err != nil {
		return err
	}
	o := r.items[index]
	if o.ended {
		return nil
	}
	o.ended, o.raw = true, raw
	switch item.Type {
	case "message":
		isMissing := o.text == 0
		for _, part := range item.Content {
			if r.refusal.Len() == 0 {
				r.refusal.WriteString(part.Refusal)
			}
			if part.Type == "output_text" && isMissing {
				r.addText(o, part.Text)
			}
		}
	case "function_call":
		if item.Arguments != "" && item.Arguments != o.slot.args.String() {
			return r.calls.append(o.slot, func() {
				o.slot.args.Reset()
				o.slot.args.WriteString(item.Arguments)
			})
		}
	}
	return nil
}

func (r *responsesReader) addText(o *responsesOpenItem, text string) {
	o.text += len(replaceUnstorable(text))
	r.emitText(text)
}

// complete processes the event at the end of a stream, which repeats the whole reply.
func (r *responsesReader) complete(a responsesAnswer) error {
	if len(a.Error) > 0 && string(a.Error) != "null" {
		return streamErrorEvent(a.Error)
	}
	isOpen := func(o *responsesOpenItem) bool { return !o.ended }
	if len(r.order) < len(a.Output) || slices.ContainsFunc(r.order, isOpen) { // the stream left something out
		for i, raw := range a.Output {
			if err := r.end(i, raw); err != nil {
				return err
			}
		}
	}
	if u := a.Usage; u != nil {
		in := clampTokens(u.In)
		cached := min(clampTokens(u.Details.Cached), in)
		r.setUsage(tokenCount{in: in - cached, cacheRead: cached, out: clampTokens(u.Out)}, float64(u.Cost))
	}
	r.finished = true
	switch {
	case a.Status == "failed" || a.Status == "cancelled":
		r.finish = "error"
	case a.Incomplete.Reason == "content_filter":
		r.finish = "content_filter"
	case a.Status == "incomplete" || a.Incomplete.Reason != "":
		r.finish = "length"
	}
	return nil
}

// parseAnswer parses an answer of a server that does not stream.
func (r *responsesReader) parseAnswer(data []byte) error {
	var a responsesAnswer
	if err := json.Unmarshal(data, &a); err != nil {
		return protocolError(data, err)
	}
	if len(a.Error) == 0 && cmp.Or(a.Object, "response") != "response" || len(a.Error) == 0 && a.Output == nil {
		return &Error{Kind: InvalidReply, Message: "the answer contains no reply"}
	}
	return r.complete(a)
}

// layout returns the reasoning of the reply and its place among texts and calls, nil if there is none. Reasoning that
// is not encrypted is left out: the server stores nothing, so it could not use it.
func (r *responsesReader) layout() *goal.Reasoning {
	var l replyLayout
	for _, o := range r.order {
		switch o.kind {
		case "reasoning":
			var item responsesItem
			if json.Unmarshal(o.raw, &item) == nil && item.Encrypted != "" {
				l.addSealed(o.raw)
			}
		case "message":
			if o.text > 0 {
				l.addMark(layoutMark{Type: markText, Bytes: o.text})
			}
		case "function_call":
			if o.slot != nil {
				l.addMark(layoutMark{Type: markCall})
			}
		}
	}
	return l.build(formResponses)
}
