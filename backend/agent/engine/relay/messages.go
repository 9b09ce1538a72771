package relay

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"goalpost/backend/domain/goal"
)

// messages is Anthropic's Messages API.
type messages struct{}

func (messages) readQuestion(address *url.URL, body []byte) (q question, err error) {
	var in messagesRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return q, fmt.Errorf("the request cannot be read: %w", err)
	}
	q.stream = in.Stream
	if strings.HasSuffix(address.Path, "/count_tokens") {
		q.count = func(w http.ResponseWriter, tokens int) {
			writeJSON(w, http.StatusOK, map[string]int{"input_tokens": tokens})
		}
	}
	q.turn, err = in.toTurn()
	return q, err
}

func (messages) beginAnswer(w http.ResponseWriter, stream bool) answer {
	return &messagesAnswer{w: w, stream: stream}
}

func (messages) writeFailure(w http.ResponseWriter, f failure) {
	kind, message := "invalid_request_error", f.message
	if f.status == http.StatusNotFound {
		kind = "not_found_error"
	}
	if f.tooLong {
		message = "prompt is too long: " + message // agents recognize these words
	}
	writeJSON(w, f.status, map[string]any{
		"type": "error", "error": map[string]string{"type": kind, "message": message},
	})
}

type messagesRequest struct {
	System   itemList[contentBlock] `json:"system"`
	Messages []struct {
		Role    string                 `json:"role"`
		Content itemList[contentBlock] `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
	} `json:"tools"`
	Stream bool `json:"stream"`
}

type contentBlock struct {
	Type      string                 `json:"type"`
	Text      string                 `json:"text"`
	ID        string                 `json:"id"`
	Name      string                 `json:"name"`
	Input     json.RawMessage        `json:"input"`
	ToolUseID string                 `json:"tool_use_id"`
	Content   itemList[contentBlock] `json:"content"`
	IsError   bool                   `json:"is_error"`
	Source    struct {
		Type string `json:"type"`
		Data string `json:"data"`
	} `json:"source"`
}

// toTurn converts the request to a turn of our model. It leaves out thinking, which the relay remembers itself, and the
// blocks of the provider's own tools, which the relay does not offer.
func (mr messagesRequest) toTurn() (t goal.Turn, err error) {
	if t.System, _, err = textAndImages(mr.System); err != nil {
		return t, err
	}
	for _, m := range mr.Messages {
		switch m.Role {
		case "user", "system":
			err = addUserBlocks(&t, m.Content)
		case "assistant":
			out := goal.Message{Role: goal.Assistant}
			out.Text, _, err = textAndImages(m.Content)
			for _, b := range m.Content {
				if b.Type == "tool_use" {
					out.Calls = append(out.Calls, goal.Call{ID: b.ID, Tool: b.Name, Arguments: string(b.Input)})
				}
			}
			t.Messages = append(t.Messages, out)
		default:
			err = fmt.Errorf("unknown role %q", m.Role)
		}
		if err != nil {
			return t, err
		}
	}
	for _, tool := range mr.Tools {
		if len(tool.Schema) == 0 { // only its own provider can execute it
			continue
		}
		t.Tools = append(t.Tools, goal.ToolSpec{Name: tool.Name, Description: tool.Description, Schema: tool.Schema})
	}
	return t, nil
}

// addUserBlocks adds the results of calls, and then the rest as one message.
func addUserBlocks(t *goal.Turn, blocks []contentBlock) error {
	for _, b := range blocks {
		if b.Type != "tool_result" {
			continue
		}
		text, images, err := textAndImages(b.Content)
		if err != nil {
			return err
		}
		if b.IsError {
			text = "Error: " + text
		}
		t.Messages = append(t.Messages, goal.Message{Role: goal.ToolRole, CallID: b.ToolUseID, Text: text, Images: images})
	}
	text, images, err := textAndImages(blocks)
	if err != nil {
		return err
	}
	if text != "" || len(images) > 0 {
		t.Messages = append(t.Messages, goal.Message{Role: goal.User, Text: text, Images: images})
	}
	return nil
}

func (contentBlock) ofText(text string) contentBlock { return contentBlock{Type: "text", Text: text} }

func (c contentBlock) textOrImage() (text string, image []byte, err error) {
	switch c.Type {
	case "text":
		text = c.Text
	case "image":
		image, err = base64.StdEncoding.DecodeString(c.Source.Data)
		if err != nil || c.Source.Type != "base64" {
			return "", nil, errors.New("a picture is not in the request as base64")
		}
	}
	return text, image, nil
}

// messagesAnswer writes one message of the model.
type messagesAnswer struct {
	w        http.ResponseWriter
	stream   bool
	hasBegun bool
	texts    bool // the block of text is open
	blocks   int  // that have ended
}

type wireObject map[string]any

func (ma *messagesAnswer) addText(piece string) {
	if !ma.texts {
		ma.begin()
		ma.texts = true
		ma.event("content_block_start", wireObject{
			"index": ma.blocks, "content_block": wireObject{"type": "text", "text": ""},
		})
	}
	ma.event("content_block_delta", wireObject{
		"index": ma.blocks, "delta": wireObject{"type": "text_delta", "text": piece},
	})
}

func (ma *messagesAnswer) finish(r goal.Reply) {
	stop := "end_turn"
	switch {
	case len(r.Calls) > 0:
		stop = "tool_use"
	case isTextCutOff(r):
		stop = "max_tokens"
	}
	usage := wireObject{"input_tokens": r.Usage.TokensIn, "output_tokens": r.Usage.TokensOut}
	if !ma.stream {
		m := messageObject(r.Usage)
		content := []wireObject{}
		if r.Text != "" || len(r.Calls) == 0 {
			content = append(content, wireObject{"type": "text", "text": r.Text})
		}
		for _, c := range r.Calls {
			content = append(content, wireObject{
				"type": "tool_use", "id": c.ID, "name": c.Tool, "input": json.RawMessage(argumentsObject(c.Arguments)),
			})
		}
		m["content"], m["stop_reason"] = content, stop
		writeJSON(ma.w, http.StatusOK, m)
		return
	}
	ma.begin()
	if ma.texts {
		ma.endBlock()
	}
	for _, c := range r.Calls {
		ma.event("content_block_start", wireObject{
			"index":         ma.blocks,
			"content_block": wireObject{"type": "tool_use", "id": c.ID, "name": c.Tool, "input": wireObject{}},
		})
		ma.event("content_block_delta", wireObject{
			"index": ma.blocks, "delta": wireObject{"type": "input_json_delta", "partial_json": argumentsObject(c.Arguments)},
		})
		ma.endBlock()
	}
	ma.event("message_delta", wireObject{
		"delta": wireObject{"stop_reason": stop, "stop_sequence": nil}, "usage": usage,
	})
	ma.event("message_stop", wireObject{})
}

func (ma *messagesAnswer) begin() {
	if ma.hasBegun {
		return
	}
	ma.hasBegun = true
	ma.event("message_start", wireObject{"message": messageObject(goal.Usage{})})
}

func (ma *messagesAnswer) endBlock() {
	ma.event("content_block_stop", wireObject{"index": ma.blocks})
	ma.blocks++
}

func (ma *messagesAnswer) event(name string, fields wireObject) {
	fields["type"] = name
	writeEvent(ma.w, name, fields)
}

// messageObject returns a message of the model without content.
func messageObject(u goal.Usage) wireObject {
	return wireObject{
		"id": "msg_" + rand.Text(), "type": "message", "role": "assistant", "model": ModelName, "content": []wireObject{},
		"stop_reason": nil, "stop_sequence": nil,
		"usage": wireObject{"input_tokens": u.TokensIn, "output_tokens": u.TokensOut},
	}
}

// argumentsObject returns a call's arguments as a JSON object. Anything else that the model wrote becomes a field that
// no tool has, so that the agent refuses the call.
func argumentsObject(arguments string) string {
	var object map[string]json.RawMessage
	if strings.TrimSpace(arguments) == "" {
		return "{}"
	}
	if json.Unmarshal([]byte(arguments), &object) == nil && object != nil {
		return arguments
	}
	b, err := json.Marshal(map[string]string{"invalid_arguments": arguments})
	if err != nil {
		return "{}"
	}
	return string(b)
}
