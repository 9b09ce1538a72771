package model

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/http"

	"goalpost/backend/domain/goal"
)

// responsesRequest is the body of a request to /responses. The server stores nothing, so the whole conversation is sent
// every time, with the model's encrypted reasoning.
type responsesRequest struct {
	Model        string `json:"model,omitempty"`
	Instructions string `json:"instructions,omitempty"`
	// Input has items of the types responsesMessage, responsesCall and responsesOutput, and raw reasoning.
	Input           []any            `json:"input"`
	Tools           []responsesTool  `json:"tools,omitempty"`
	Reasoning       *responsesEffort `json:"reasoning,omitempty"`
	Include         []string         `json:"include,omitempty"`
	MaxOutputTokens int64            `json:"max_output_tokens,omitempty"`
	Store           bool             `json:"store"`
	Stream          bool             `json:"stream"`
}

type responsesEffort struct {
	Effort string `json:"effort"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type responsesMessage struct {
	Type    string          `json:"type"`
	Role    goal.Role       `json:"role"`
	Content []responsesPart `json:"content"`
}

// responsesPart is an input_text, input_image or output_text.
type responsesPart struct {
	Type     string  `json:"type"`
	Text     *string `json:"text,omitempty"`
	ImageURL string  `json:"image_url,omitempty"`
}

type responsesCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type responsesOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output any    `json:"output"` // a string, or []responsesPart with images
}

// encodeResponses encodes a request of the Responses API.
func (oa *OpenAI) encodeResponses(t goal.Turn, o requestOptions) ([]byte, error) {
	r := responsesRequest{
		Model:           t.Model,
		Instructions:    t.System,
		Input:           []any{},
		MaxOutputTokens: o.outputLimit(t),
		Stream:          true,
	}
	if !o.noEncrypted {
		r.Include = []string{"reasoning.encrypted_content"}
	}
	if oa.o.Effort != "" {
		r.Reasoning = &responsesEffort{oa.o.Effort}
	}
	for i, m := range t.Messages {
		r.Input = append(r.Input, responsesItems(m, t.Model, o.withoutSeals(i))...)
	}
	for _, tool := range t.Tools {
		chat, err := newChatTool(tool, o)
		if err != nil {
			return nil, schemaError(tool.Name, err)
		}
		parameters := chat.Function.Parameters
		if len(parameters) == 0 {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		r.Tools = append(r.Tools, responsesTool{
			Type:        "function",
			Name:        tool.Name,
			Description: tool.Description,
			Parameters:  parameters,
		})
	}
	body, err := encodeJSON(r)
	if err != nil {
		return nil, encodingError(err)
	}
	return body, nil
}

// responsesItems returns the items of a message.
func responsesItems(m goal.Message, model string, o requestOptions) []any {
	switch m.Role {
	case goal.Assistant:
		return assistantItems(m, model, o)
	case goal.ToolRole:
		output := responsesOutput{
			Type:   "function_call_output",
			CallID: toValidName(m.CallID),
			Output: m.Text,
		}
		if len(m.Images) > 0 {
			output.Output = inputParts(m)
		}
		return []any{output}
	case goal.System, goal.User:
	}
	return []any{responsesMessage{
		Type:    "message",
		Role:    m.Role,
		Content: inputParts(m),
	}}
}

func assistantItems(m goal.Message, model string, o requestOptions) []any {
	var list []any
	sealed := func(item json.RawMessage) { list = append(list, item) }
	text := func(s string) { list = append(list, outputMessage(s)) }
	call := func(c goal.Call) {
		list = append(list, responsesCall{
			Type:      "function_call",
			CallID:    toValidName(c.ID),
			Name:      toValidName(c.Tool),
			Arguments: toValidArguments(c.Arguments),
		})
	}
	r := usableReasoning(m, model, formResponses)
	if r != nil && !o.noReasoning && len(m.Text)+len(m.Calls) > 0 && rebuildReply(m, r, sealed, text, call) {
		return list
	}
	list = nil
	if m.Text != "" || len(m.Calls) == 0 {
		text(cmp.Or(m.Text, emptyText))
	}
	for _, c := range m.Calls {
		call(c)
	}
	return list
}

func outputMessage(text string) responsesMessage {
	return responsesMessage{
		Type:    "message",
		Role:    goal.Assistant,
		Content: []responsesPart{{Type: "output_text", Text: &text}},
	}
}

// inputParts returns the images and the text of a message.
func inputParts(m goal.Message) []responsesPart {
	var parts []responsesPart
	for _, image := range m.Images {
		data := base64.StdEncoding.EncodeToString(image)
		parts = append(parts, responsesPart{
			Type:     "input_image",
			ImageURL: "data:" + http.DetectContentType(image) + ";base64," + data,
		})
	}
	return append(parts, responsesPart{Type: "input_text", Text: &m.Text})
}
