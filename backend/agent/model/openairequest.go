package model

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"goalpost/backend/domain/goal"
)

// chatRequest is the body of a request to /chat/completions. Its fields, and those of the types below, are sent in this
// order.
type chatRequest struct {
	Messages        []chatMessage      `json:"messages,omitempty"`
	Model           string             `json:"model,omitempty"`
	ReasoningEffort string             `json:"reasoning_effort,omitempty"`
	StreamOptions   *chatStreamOptions `json:"stream_options,omitempty"`
	Tools           []chatTool         `json:"tools,omitempty"`
	Stream          bool               `json:"stream"`

	MaxTokens           int64 `json:"max_tokens,omitempty"`
	MaxCompletionTokens int64 `json:"max_completion_tokens,omitempty"`
}

type chatStreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// chatMessage is one message. At most one of its three fields for reasoning is set.
type chatMessage struct {
	Content    any            `json:"content,omitempty"` // a string or []chatPart; nil omits it
	ToolCalls  []chatToolCall `json:"tool_calls,omitempty"`
	ToolCallID *string        `json:"tool_call_id,omitempty"` // in every tool message, even if empty
	Role       goal.Role      `json:"role"`

	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	Reasoning        *string           `json:"reasoning,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
}

// chatPart is a piece of content: an image or a text.
type chatPart struct {
	ImageURL *chatImageURL `json:"image_url,omitempty"`
	Text     *string       `json:"text,omitempty"`
	Type     string        `json:"type"`

	Cache *cacheControl `json:"cache_control,omitempty"`
}

type chatImageURL struct {
	URL string `json:"url"`
}

type chatToolCall struct {
	ID       string           `json:"id"`
	Function chatCallFunction `json:"function"`
	Type     string           `json:"type"`

	Extra *chatExtraContent `json:"extra_content,omitempty"`
}

// chatExtraContent is Google's addition to a call.
type chatExtraContent struct {
	Google struct {
		ThoughtSignature string `json:"thought_signature"`
	} `json:"google"`
}

type chatCallFunction struct {
	Arguments string `json:"arguments"` // JSON inside a string
	Name      string `json:"name"`
}

type chatTool struct {
	Type     string           `json:"type"`
	Function chatToolFunction `json:"function"`
}

type chatToolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // a JSON schema
}

// newChatRequest encodes a turn for the provider.
func newChatRequest(t goal.Turn, o requestOptions) (chatRequest, error) {
	r := chatRequest{
		Model:  t.Model,
		Stream: true,
	}
	if t.System != "" {
		r.Messages = append(r.Messages, chatMessage{
			Content: t.System,
			Role:    goal.System,
		})
	}
	for i, m := range t.Messages {
		r.Messages = append(r.Messages, newChatMessage(m, t.Model, o.withoutSeals(i)))
		if m.Role == goal.ToolRole && (i+1 == len(t.Messages) || t.Messages[i+1].Role != goal.ToolRole) {
			r.Messages = appendToolImages(r.Messages, t.Messages[:i+1])
		}
	}
	for _, tool := range t.Tools {
		c, err := newChatTool(tool, o)
		if err != nil {
			return r, schemaError(tool.Name, err)
		}
		r.Tools = append(r.Tools, c)
	}
	if o.shortIDs {
		r.shortenIDs()
	}
	if o.separateUsers {
		r.separateUsers()
	}
	if hasCacheMarks(t.Model) && !o.noCacheMarks {
		r.markCache()
	}
	return r, nil
}

// encodeJSON encodes v as JSON without escaping <, > and &.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding the request: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// schemaError returns the error for a tool whose schema no server accepts.
func schemaError(tool string, err error) error {
	return &Error{
		Kind:    BadRequest,
		Message: fmt.Sprintf("the schema of the tool %s is not a JSON object", tool),
		Hint:    "this is a bug in the program or in an MCP server",
		Err:     err,
	}
}

// newChatTool returns an error for a schema that is not a JSON object. A missing schema and null are left out.
func newChatTool(tool goal.ToolSpec, o requestOptions) (chatTool, error) {
	c := chatTool{
		Type: "function",
		Function: chatToolFunction{
			Name:        tool.Name,
			Description: tool.Description,
		},
	}
	if len(tool.Schema) == 0 {
		return c, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(tool.Schema, &object); err != nil {
		return c, fmt.Errorf("reading the schema: %w", err)
	}
	switch {
	case object == nil:
	case o.simpleSchemas:
		c.Function.Parameters = simplifySchema(tool.Schema)
	default:
		c.Function.Parameters = tool.Schema
	}
	return c, nil
}

func newChatMessage(m goal.Message, model string, o requestOptions) chatMessage {
	switch m.Role {
	case goal.System:
		return chatMessage{
			Content: m.Text,
			Role:    goal.System,
		}
	case goal.Assistant:
		a := newAssistantMessage(m)
		a.addReasoning(m, model, o)
		return a
	case goal.ToolRole:
		return chatMessage{
			Content:    m.Text,
			ToolCallID: &m.CallID,
			Role:       goal.ToolRole,
		}
	case goal.User:
	}
	if len(m.Images) == 0 {
		return chatMessage{
			Content: m.Text,
			Role:    goal.User,
		}
	}
	return chatMessage{
		Content: append(newImageParts(m), newTextPart(m.Text)),
		Role:    goal.User,
	}
}

// newAssistantMessage omits the content of a reply that only calls tools. Other replies always have some, because
// several servers reject an assistant message without any.
func newAssistantMessage(m goal.Message) chatMessage {
	a := chatMessage{Role: goal.Assistant}
	switch {
	case strings.TrimSpace(m.Text) != "":
		a.Content = m.Text
	case len(m.Calls) == 0:
		a.Content = emptyText
	}
	for _, c := range m.Calls {
		a.ToolCalls = append(a.ToolCalls, chatToolCall{
			ID: c.ID,
			Function: chatCallFunction{
				Arguments: toValidArguments(c.Arguments),
				Name:      toValidName(c.Tool),
			},
			Type: "function",
		})
	}
	return a
}

// Values for messages whose reasoning is unknown, because another model wrote them.
const (
	unknownReasoning = "(not recorded)"
	// unknownSignature is Google's word for a call that Gemini did not make.
	unknownSignature = "skip_thought_signature_validator"
)

// addReasoning adds the reasoning of a message in the form in which the server sent it.
func (c *chatMessage) addReasoning(m goal.Message, model string, o requestOptions) {
	r := usableReasoning(m, model, formReasoningContent, formReasoningText, formReasoningDetails, formTags, formSignatures)
	if r == nil || o.noReasoning {
		r = &goal.Reasoning{}
	}
	switch r.Form {
	case formReasoningContent:
		c.ReasoningContent = &r.Text
	case formReasoningText:
		c.Reasoning = &r.Text
	case formReasoningDetails:
		c.ReasoningDetails = r.Items
	case formTags:
		if isMiniMax(model) {
			c.Content = "<think>" + r.Text + "</think>\n" + m.Text
		}
	}
	if o.fillReasoning && c.ReasoningContent == nil {
		text := unknownReasoning
		c.ReasoningContent = &text
	}
	for i := range c.ToolCalls {
		signature := ""
		if i < len(r.Signatures) {
			signature = r.Signatures[i]
		}
		if signature == "" && o.fillSignatures && i == 0 {
			signature = unknownSignature
		}
		if signature != "" {
			c.ToolCalls[i].Extra = &chatExtraContent{}
			c.ToolCalls[i].Extra.Google.ThoughtSignature = signature
		}
	}
}

// isMiniMax reports whether a model wants its reasoning back as tags in the text. Other models with tags are trained
// without the reasoning of earlier turns.
func isMiniMax(model string) bool { return strings.Contains(strings.ToLower(model), "minimax") }

// appendToolImages appends the images of the newest results to list. In this protocol, a result contains only text, so
// images follow all results in a separate message.
func appendToolImages(list []chatMessage, messages []goal.Message) []chatMessage {
	var parts []chatPart
	for i := len(messages) - 1; i >= 0 && messages[i].Role == goal.ToolRole; i-- {
		parts = append(newImageParts(messages[i]), parts...)
	}
	if len(parts) == 0 {
		return list
	}
	parts = append(parts, newTextPart("The pictures of these results."))
	return append(list, chatMessage{
		Content: parts,
		Role:    goal.User,
	})
}

func newTextPart(text string) chatPart {
	return chatPart{
		Text: &text,
		Type: "text",
	}
}

func newImageParts(m goal.Message) []chatPart {
	var parts []chatPart
	for _, image := range m.Images {
		kind, data := http.DetectContentType(image), base64.StdEncoding.EncodeToString(image)
		parts = append(parts, chatPart{
			ImageURL: &chatImageURL{URL: "data:" + kind + ";base64," + data},
			Type:     "image_url",
		})
	}
	return parts
}

// toValidArguments makes a past call's arguments acceptable to servers. Several servers parse them and would reject
// the conversation for ever after one broken call, so broken JSON is sent as a string inside an object.
func toValidArguments(arguments string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &object) == nil && object != nil {
		return arguments
	}
	b, err := json.Marshal(map[string]string{"unparsable": arguments})
	if err != nil {
		return "{}"
	}
	return string(b)
}
