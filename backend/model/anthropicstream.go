package model

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"goalpost/backend/goal"
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
	Content    []blockPart `json:"content"`
	StopReason *string     `json:"stop_reason"`
}

// blockDelta is an addition to a block, or to the message.
type blockDelta struct {
	blockPart
	StopReason *string `json:"stop_reason"`
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

// blockUsage counts tokens; missing counts were reported before.
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
	b.take = b.handleEvent
	return b
}

// handleEvent processes one event. Unknown types are ignored.
func (b *anthropicReader) handleEvent(data []byte) error {
	var e blockEvent
	if err := json.Unmarshal(data, &e); err != nil {
		if slices.Contains(
			[]string{"", "message_start", "content_block_start", "content_block_delta", "message_delta", "error"}, e.Type) {
			return protocolError(err)
		}
		return nil
	}
	switch e.Type {
	case "message_start":
		b.count(e.Message.Usage)
	case "content_block_start":
		return b.start(e.Index, e.Block)
	case "content_block_delta":
		return b.onDelta(e.Index, e.Delta.blockPart)
	case "message_delta":
		b.count(e.Usage)
		b.stop(e.Delta.StopReason)
	case "message_stop":
		b.finished = true
	case "error":
		return streamErrorEvent(e.Error)
	case "": // an error of a gateway
		if len(e.Error) > 0 {
			return streamErrorEvent(e.Error)
		}
	}
	return nil
}

func (b *anthropicReader) start(index int, p blockPart) error {
	o := &openBlock{kind: p.Type, data: p.Data}
	b.open[index] = o
	b.blocks = append(b.blocks, o)
	if p.Type == "tool_use" {
		slot, err := b.calls.open()
		if err != nil {
			return err
		}
		slot.call.ID, slot.call.Tool, o.slot = p.ID, p.Name, slot
		if input := strings.TrimSpace(string(p.Input)); input != "" && input != "{}" && input != "null" {
			if err := b.calls.append(slot, func() { slot.args.WriteString(input) }); err != nil { // complete at once
				return err
			}
		}
	}
	return b.onDelta(index, blockPart{Text: p.Text, Thinking: p.Thinking, Signature: p.Signature})
}

func (b *anthropicReader) onDelta(index int, p blockPart) error {
	o := b.open[index]
	if o == nil {
		return &Error{Kind: InvalidReply, Message: "the stream adds to a part that it never began"}
	}
	o.text.WriteString(p.Thinking)
	b.addReasoning(p.Thinking)
	o.signature.WriteString(p.Signature)
	if o.kind == "text" {
		o.text.WriteString(sanitizeText(p.Text))
		b.emitText(p.Text)
	}
	if o.slot == nil || p.Partial == "" {
		return nil
	}
	return b.calls.append(o.slot, func() { o.slot.args.WriteString(p.Partial) })
}

func (b *anthropicReader) count(u *blockUsage) {
	if u == nil {
		return
	}
	for _, c := range []struct {
		said *float64
		kept *int64
	}{{u.In, &b.used.in}, {u.Out, &b.used.out}, {u.CacheRead, &b.used.cacheRead}, {u.CacheWrite, &b.used.cacheWrite}} {
		if c.said != nil {
			*c.kept = clampTokens(*c.said)
		}
	}
}

func (b *anthropicReader) stop(reason *string) {
	if reason != nil && *reason != "" {
		b.finish, b.finished = *reason, true
	}
}

// readFull parses an answer of a server that does not stream.
func (b *anthropicReader) readFull(body io.Reader) (goal.Reply, error) {
	data, err := readBounded(body)
	if err != nil {
		return goal.Reply{}, err
	}
	var e blockEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return goal.Reply{}, protocolError(err)
	}
	if len(e.Error) > 0 {
		return goal.Reply{}, streamErrorEvent(e.Error)
	}
	if e.Type != "message" {
		return goal.Reply{}, &Error{Kind: InvalidReply, Message: "the answer holds no reply"}
	}
	b.events = 1
	b.count(e.Usage)
	b.stop(e.StopReason)
	for i, p := range e.Content {
		switch err := b.start(i, p); {
		case errors.Is(err, errLongCall):
			return b.replyLong()
		case err != nil:
			return goal.Reply{}, err
		}
	}
	return b.reply()
}

// rawReply is the unchanged reply, to be sent back; nil if it contains no thinking.
func (b *anthropicReader) rawReply(r goal.Reply) []*block {
	var list []*block
	thought, call := false, 0
	for _, o := range b.blocks {
		switch o.kind {
		case "thinking", "redacted_thinking":
			thought = true
			list = append(list, o.asThinking())
		case "text":
			if strings.TrimSpace(o.text.String()) != "" {
				list = append(list, textBlock(o.text.String()))
			}
		case "tool_use":
			if call < len(r.Calls) {
				list = append(list, toolUseBlock(r.Calls[call]))
			}
			call++
		}
	}
	if !thought || call != len(r.Calls) {
		return nil
	}
	return list
}

// asThinking is a block in the form in which the server accepts it back, including empty thinking.
func (o *openBlock) asThinking() *block {
	if o.kind == "redacted_thinking" {
		return &block{Type: o.kind, Data: o.data}
	}
	thinking := o.text.String()
	return &block{Type: o.kind, Thinking: &thinking, Signature: o.signature.String()}
}
