package model

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
)

// blockEvent is one event of a Messages stream; fields of other event types are empty.
type blockEvent struct {
	Type    string `json:"type"`
	Message struct {
		Usage *blockUsage `json:"usage"`
	} `json:"message"`
	Index int             `json:"index"`
	Block blockPart       `json:"content_block"`
	Delta blockDelta      `json:"delta"`
	Usage *blockUsage     `json:"usage"`
	Error json.RawMessage `json:"error"`

	// Only in an answer that is not streamed.
	Content     []blockPart `json:"content"`
	StopReason  *string     `json:"stop_reason"`
	StopDetails stopDetails `json:"stop_details"`
}

// blockDelta is an addition to a block, or to the message.
type blockDelta struct {
	part        blockPart
	StopReason  *string     `json:"stop_reason"`
	StopDetails stopDetails `json:"stop_details"`
}

// UnmarshalJSON reads an addition to a block or to the message.
func (b *blockDelta) UnmarshalJSON(data []byte) error {
	type plain blockDelta
	if err := json.Unmarshal(data, &b.part); err != nil {
		return err //nolint:wrapcheck // json adds the position
	}
	return json.Unmarshal(data, (*plain)(b)) //nolint:wrapcheck // json adds the position
}

// stopDetails say why a reply was refused.
type stopDetails struct {
	Category    string `json:"category"`
	Explanation string `json:"explanation"`
}

// isKnownBlock reports whether this reader uses a type of block or addition. Other types may have any fields.
func isKnownBlock(kind string) bool {
	return slices.Contains([]string{
		"text", "tool_use", "thinking", "redacted_thinking", "text_delta", "input_json_delta", "thinking_delta",
		"signature_delta",
	}, kind)
}

// UnmarshalJSON reads only the type of an unknown block.
func (b *blockPart) UnmarshalJSON(data []byte) error {
	type plain blockPart
	var named struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(data, &named) == nil && named.Type != "" && !isKnownBlock(named.Type) {
		*b = blockPart{Type: named.Type}
		return nil
	}
	return json.Unmarshal(data, (*plain)(b)) //nolint:wrapcheck // json adds the position
}

// blockPart is a block at its start, or an addition to it.
type blockPart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	Partial   string          `json:"partial_json"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
}

// blockUsage counts tokens. A missing count keeps its earlier value.
type blockUsage struct {
	In         *float64 `json:"input_tokens"` // without those read from or written to the cache
	Out        *float64 `json:"output_tokens"`
	CacheRead  *float64 `json:"cache_read_input_tokens"`
	CacheWrite *float64 `json:"cache_creation_input_tokens"`
}

// anthropicReader parses Anthropic's protocol.
type anthropicReader struct {
	*replyReader
	open   map[int]*openBlock // by index
	blocks []*openBlock       // in the order of their start
}

// openBlock is a block that is not complete yet.
type openBlock struct {
	kind      string
	text      strings.Builder // or the thinking
	signature strings.Builder
	data      string
	slot      *toolCallSlot // of a call
}

func newBlocks(delta func(string), price func(tokenCount) float64) *anthropicReader {
	b := &anthropicReader{replyReader: &replyReader{delta: delta, price: price}, open: map[int]*openBlock{}}
	b.take, b.parseWhole, b.finishReasoning = b.handleEvent, b.parseAnswer, b.reasoningBlocks
	return b
}

// handleEvent processes one event. Unknown types are ignored.
func (a *anthropicReader) handleEvent(data []byte) error {
	var e blockEvent
	if err := json.Unmarshal(data, &e); err != nil {
		if slices.Contains(
			[]string{"", "message_start", "content_block_start", "content_block_delta", "message_delta", "error"}, e.Type) {
			return protocolError(data, err)
		}
		return nil
	}
	switch e.Type {
	case "message_start":
		a.count(e.Message.Usage)
	case "content_block_start":
		return a.start(e.Index, e.Block)
	case "content_block_delta":
		return a.onDelta(e.Index, e.Delta.part)
	case "message_delta":
		a.count(e.Usage)
		a.stop(e.Delta.StopReason, e.Delta.StopDetails)
	case "message_stop":
		a.finished = true
	case "error":
		return streamErrorEvent(e.Error)
	case "": // a gateway's error
		if len(e.Error) > 0 {
			return streamErrorEvent(e.Error)
		}
	}
	return nil
}

func (a *anthropicReader) start(index int, p blockPart) error {
	o := &openBlock{kind: p.Type, data: p.Data}
	a.open[index] = o
	a.blocks = append(a.blocks, o)
	if p.Type == "tool_use" {
		slot, err := a.calls.newSlot()
		if err != nil {
			return err
		}
		slot.call.ID, slot.call.Tool, o.slot = p.ID, p.Name, slot
		if input := strings.TrimSpace(string(p.Input)); input != "" && input != "{}" && input != "null" {
			if err := a.calls.append(slot, func() { slot.args.WriteString(input) }); err != nil { // complete at once
				return err
			}
		}
	}
	return a.onDelta(index, blockPart{Text: p.Text, Thinking: p.Thinking, Signature: p.Signature})
}

func (a *anthropicReader) onDelta(index int, p blockPart) error {
	if a.open[index] == nil && p.Type == "text_delta" { // some gateways omit the start of a text
		if err := a.start(index, blockPart{Type: "text"}); err != nil {
			return err
		}
	}
	o := a.open[index]
	if o == nil {
		return &Error{Kind: InvalidReply, Message: "the stream continues a block that it did not start"}
	}
	o.text.WriteString(p.Thinking)
	a.emitReasoning(p.Thinking)
	o.signature.WriteString(p.Signature)
	if o.kind == "text" {
		o.text.WriteString(replaceUnstorable(p.Text))
		a.emitText(p.Text)
	}
	if o.slot == nil || p.Partial == "" {
		return nil
	}
	return a.calls.append(o.slot, func() { o.slot.args.WriteString(p.Partial) })
}

func (a *anthropicReader) count(u *blockUsage) {
	if u == nil {
		return
	}
	used, isZero := a.used, true
	for _, c := range []struct {
		report *float64
		total  *int64
	}{{u.In, &used.in}, {u.Out, &used.out}, {u.CacheRead, &used.cacheRead}, {u.CacheWrite, &used.cacheWrite}} {
		if c.report != nil {
			*c.total = clampTokens(*c.report)
			isZero = isZero && *c.total == 0
		}
	}
	if !isZero {
		a.setUsage(used, 0)
	}
}

func (a *anthropicReader) stop(reason *string, details stopDetails) {
	a.refusal.WriteString(cmp.Or(details.Explanation, details.Category))
	if reason != nil && *reason != "" {
		a.finish, a.finished = *reason, true
	}
}

// parseAnswer parses an answer of a server that does not stream.
func (a *anthropicReader) parseAnswer(body []byte) error {
	var e blockEvent
	if err := json.Unmarshal(body, &e); err != nil {
		return protocolError(body, err)
	}
	if len(e.Error) > 0 {
		return streamErrorEvent(e.Error)
	}
	if e.Type != "message" {
		return &Error{Kind: InvalidReply, Message: "the answer contains no reply"}
	}
	a.count(e.Usage)
	a.stop(e.StopReason, e.StopDetails)
	for i, p := range e.Content {
		if err := a.start(i, p); err != nil {
			return err
		}
	}
	return nil
}

// reasoningBlocks returns the thinking of the reply and its place among texts and calls, nil if there is none.
func (a *anthropicReader) reasoningBlocks() *goal.Reasoning {
	var l replyLayout
	for _, o := range a.blocks {
		switch o.kind {
		case "thinking", "redacted_thinking":
			item, err := json.Marshal(o.asThinking())
			if err != nil {
				return nil
			}
			l.addSealed(item)
		case "text":
			l.addMark(layoutMark{Type: markText, Bytes: o.text.Len()})
		case "tool_use":
			l.addMark(layoutMark{Type: markCall})
		}
	}
	return l.build(formAnthropic)
}

// asThinking returns a block of thinking in the form in which the server accepts it back, even if it is empty.
func (o *openBlock) asThinking() *block {
	if o.kind == "redacted_thinking" {
		return &block{Type: o.kind, Data: o.data}
	}
	thinking := o.text.String()
	return &block{Type: o.kind, Thinking: &thinking, Signature: o.signature.String()}
}
