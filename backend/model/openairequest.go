package model

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"goalpost/backend/goal"
)

// request writes a turn in the provider's words.
func request(t goal.Turn) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{Model: t.Model}
	if t.System != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(t.System))
	}
	for i, m := range t.Messages {
		p.Messages = append(p.Messages, message(m))
		if m.Role == goal.ToolRole && (i+1 == len(t.Messages) || t.Messages[i+1].Role != goal.ToolRole) {
			p.Messages = append(p.Messages, toolImages(t.Messages[:i+1])...)
		}
	}
	for _, tool := range t.Tools {
		f, err := function(tool)
		if err != nil {
			return p, &Error{Kind: BadRequest, Message: fmt.Sprintf("the schema of the tool %s is not a JSON object", tool.Name), Hint: "this is a fault of the program or of an MCP server", Err: err}
		}
		p.Tools = append(p.Tools, param.Override[openai.ChatCompletionToolUnionParam](f))
	}
	return p, nil
}

// function is a tool in the provider's words. Its schema goes there as it stands: the
// SDK would take it apart and put it together again, which for the tools of a goal
// was most of the work of a request.
func function(tool goal.ToolSpec) (json.RawMessage, error) {
	var f struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters,omitempty"`
		} `json:"function"`
	}
	f.Type, f.Function.Name, f.Function.Description = "function", tool.Name, tool.Description
	if len(tool.Schema) > 0 {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(tool.Schema, &object); err != nil {
			return nil, fmt.Errorf("reading the schema: %w", err)
		}
		if object != nil {
			f.Function.Parameters = tool.Schema
		}
	}
	b, err := json.Marshal(f)
	if err != nil {
		return nil, fmt.Errorf("writing the tool: %w", err)
	}
	return b, nil
}

func message(m goal.Message) openai.ChatCompletionMessageParamUnion {
	switch m.Role {
	case goal.System:
		return openai.SystemMessage(m.Text)
	case goal.Assistant:
		return assistantMessage(m)
	case goal.ToolRole:
		return openai.ToolMessage(m.Text, m.CallID)
	case goal.User:
	}
	if len(m.Images) == 0 {
		return openai.UserMessage(m.Text)
	}
	return openai.UserMessage(append(imageParts(m), openai.TextContentPart(m.Text)))
}

// toolImages is what the newest results show. A result holds text only in this
// protocol: pictures come in a message of their own, after all results.
func toolImages(messages []goal.Message) []openai.ChatCompletionMessageParamUnion {
	var parts []openai.ChatCompletionContentPartUnionParam
	for i := len(messages) - 1; i >= 0 && messages[i].Role == goal.ToolRole; i-- {
		parts = append(imageParts(messages[i]), parts...)
	}
	if len(parts) == 0 {
		return nil
	}
	return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(append(parts, openai.TextContentPart("The pictures of these results.")))}
}

func imageParts(m goal.Message) []openai.ChatCompletionContentPartUnionParam {
	var parts []openai.ChatCompletionContentPartUnionParam
	for _, image := range m.Images {
		parts = append(parts, openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{
			URL: "data:" + http.DetectContentType(image) + ";base64," + base64.StdEncoding.EncodeToString(image),
		}))
	}
	return parts
}

func assistantMessage(m goal.Message) openai.ChatCompletionMessageParamUnion {
	a := openai.ChatCompletionAssistantMessageParam{}
	if m.Text != "" || len(m.Calls) == 0 {
		a.Content.OfString = openai.String(m.Text)
	}
	for _, c := range m.Calls {
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: sanitizeName(c.Tool), Arguments: sanitizeArguments(c.Arguments)},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &a}
}

// sanitizeArguments is a past call's arguments as servers accept them. Several parse the
// arguments of the conversation and refuse it for ever after one broken call, so
// broken JSON goes back as a string inside an object.
func sanitizeArguments(arguments string) string {
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
