package model

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
)

// messagesRequest is the body of a request to the Messages API.
type messagesRequest struct {
	Model     string        `json:"model"`
	MaxTokens int           `json:"max_tokens"`
	Stream    bool          `json:"stream"`
	System    []*block      `json:"system,omitempty"`
	Tools     []toolBlock   `json:"tools,omitempty"`
	Messages  []wireMessage `json:"messages"`
	Output    *outputConfig `json:"output_config,omitempty"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

type toolBlock struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       *cacheControl   `json:"cache_control,omitempty"`
}

// wireMessage holds everything that one side says until the other side replies.
type wireMessage struct {
	Role    goal.Role `json:"role"`
	Content []*block  `json:"content"`
}

// block is a content block of any type.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   []*block        `json:"content,omitempty"`
	Source    *imageSource    `json:"source,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Data      string          `json:"data,omitempty"`
	Cache     *cacheControl   `json:"cache_control,omitempty"`
}

type imageSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// cacheControl marks the end of a prefix to cache.
type cacheControl struct {
	Type string `json:"type"`
}

func cacheBreakpoint() *cacheControl { return &cacheControl{"ephemeral"} }

// encodeRequest encodes a turn for the provider. It sets three cache breakpoints: after the tools and the system
// prompt, which never change; at the end of the conversation, for the next turn; and where the conversation ended in
// the turn before.
func (an *Anthropic) encodeRequest(t goal.Turn, a anthropicOptions) messagesRequest {
	r := messagesRequest{Model: t.Model, MaxTokens: a.maxTokens(t), Stream: true, Messages: an.wireMessages(t, a)}
	if an.o.Effort != "" {
		r.Output = &outputConfig{an.o.Effort}
	}
	for _, tool := range t.Tools {
		schema := tool.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		if a.hasSimpleSchemas {
			schema = simplifySchema(schema)
		}
		r.Tools = append(r.Tools, toolBlock{Name: tool.Name, Description: tool.Description, Schema: schema})
	}
	switch {
	case strings.TrimSpace(t.System) != "":
		r.System = []*block{{Type: "text", Text: t.System, Cache: cacheBreakpoint()}}
	case len(r.Tools) > 0:
		r.Tools[len(r.Tools)-1].Cache = cacheBreakpoint()
	}
	for i, marked := len(r.Messages)-1, 0; i >= 0 && marked < 2; i-- {
		if m := r.Messages[i]; m.Role == goal.User {
			m.Content[len(m.Content)-1].Cache = cacheBreakpoint()
			marked++
		}
	}
	return r
}

// wireMessages encodes the conversation as the API requires: both sides alternate, the user begins, and every call is
// answered in the next message.
func (an *Anthropic) wireMessages(t goal.Turn, a anthropicOptions) []wireMessage {
	var list []wireMessage
	add := func(role goal.Role, content ...*block) {
		if n := len(list); n > 0 && list[n-1].Role == role {
			list[n-1].Content = append(list[n-1].Content, content...)
			return
		}
		list = append(list, wireMessage{role, content})
	}
	if len(t.Messages) == 0 || t.Messages[0].Role == goal.Assistant {
		add(goal.User, textBlock("Continue."))
	}
	var open []string // calls without a result
	closeCalls := func() {
		for _, id := range open {
			add(goal.User, toolResultBlock(id, goal.Message{Text: "the result is not known"}))
		}
		open = nil
	}
	for i, m := range t.Messages {
		switch m.Role {
		case goal.Assistant:
			closeCalls()
			content := assistantBlocks(m)
			if r := usableReasoning(m, t.Model, formAnthropic); r != nil && i >= a.unsigned {
				content = thinkingBlocks(m, r, content)
			}
			add(goal.Assistant, content...)
			for _, call := range m.Calls {
				open = append(open, toValidName(call.ID))
			}
		case goal.ToolRole:
			id := toValidName(m.CallID)
			at := slices.Index(open, id)
			if at < 0 {
				add(goal.User, textBlock("A result: "+m.Text))
				continue
			}
			open = slices.Delete(open, at, at+1)
			add(goal.User, toolResultBlock(id, m))
		case goal.User, goal.System:
			closeCalls()
			add(goal.User, append(imageBlocks(m), textBlock(m.Text))...)
		}
	}
	closeCalls()
	return list
}

// assistantBlocks returns the blocks of a reply without its thinking.
func assistantBlocks(m goal.Message) []*block {
	var list []*block
	if strings.TrimSpace(m.Text) != "" || len(m.Calls) == 0 {
		list = append(list, textBlock(m.Text))
	}
	for _, call := range m.Calls {
		list = append(list, toolUseBlock(call))
	}
	return list
}

// thinkingBlocks returns the blocks of a reply with its thinking, in order. It returns fallback if the message was
// changed, or if the reply is nothing but thinking, which the API rejects.
func thinkingBlocks(m goal.Message, r *goal.Reasoning, fallback []*block) []*block {
	var list []*block
	hasContent := false
	add := func(b *block) { list, hasContent = append(list, b), true }
	sealed := func(item json.RawMessage) {
		var b block
		if json.Unmarshal(item, &b) == nil {
			list = append(list, &b)
		}
	}
	text := func(s string) {
		if strings.TrimSpace(s) != "" {
			add(textBlock(s))
		}
	}
	if !rebuildReply(m, r, sealed, text, func(c goal.Call) { add(toolUseBlock(c)) }) || !hasContent {
		return fallback
	}
	return list
}

func toolUseBlock(call goal.Call) *block {
	return &block{
		Type:  "tool_use",
		ID:    toValidName(call.ID),
		Name:  toValidName(call.Tool),
		Input: json.RawMessage(toValidArguments(call.Arguments)),
	}
}

// emptyText is the content of messages that contain nothing.
const emptyText = "(nothing)"

// textBlock never returns a blank block, because the API rejects those.
func textBlock(s string) *block {
	if strings.TrimSpace(s) == "" {
		s = emptyText
	}
	return &block{Type: "text", Text: s}
}

func toolResultBlock(id string, m goal.Message) *block {
	return &block{Type: "tool_result", ToolUseID: id, Content: append([]*block{textBlock(m.Text)}, imageBlocks(m)...)}
}

func imageBlocks(m goal.Message) []*block {
	var list []*block
	for _, image := range m.Images {
		list = append(list, &block{
			Type:   "image",
			Source: &imageSource{"base64", http.DetectContentType(image), base64.StdEncoding.EncodeToString(image)},
		})
	}
	return list
}
