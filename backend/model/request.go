package model

import (
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"goalpost/backend/goal"
)

// request writes a turn in the provider's words.
func request(t goal.Turn) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{Model: t.Model}
	if t.System != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(t.System))
	}
	for _, m := range t.Messages {
		p.Messages = append(p.Messages, message(m))
	}
	for _, tool := range t.Tools {
		f := shared.FunctionDefinitionParam{Name: tool.Name, Description: openai.String(tool.Description)}
		if len(tool.Schema) > 0 {
			if err := json.Unmarshal(tool.Schema, &f.Parameters); err != nil {
				return p, &Error{Kind: BadRequest, Message: fmt.Sprintf("the schema of the tool %s is not a JSON object", tool.Name), Hint: "this is a fault of the program or of an MCP server", Err: err}
			}
		}
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(f))
	}
	return p, nil
}

func message(m goal.Message) openai.ChatCompletionMessageParamUnion {
	switch m.Role {
	case goal.System:
		return openai.SystemMessage(m.Text)
	case goal.Assistant:
		return assistant(m)
	case goal.ToolRole:
		return openai.ToolMessage(m.Text, m.CallID)
	case goal.User:
	}
	return openai.UserMessage(m.Text)
}

func assistant(m goal.Message) openai.ChatCompletionMessageParamUnion {
	a := openai.ChatCompletionAssistantMessageParam{}
	if m.Text != "" || len(m.Calls) == 0 {
		a.Content.OfString = openai.String(m.Text)
	}
	for _, c := range m.Calls {
		a.ToolCalls = append(a.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID:       c.ID,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{Name: c.Tool, Arguments: history(c.Arguments)},
			},
		})
	}
	return openai.ChatCompletionMessageParamUnion{OfAssistant: &a}
}

// history is a past call's arguments as servers accept them. Several parse the
// arguments of the conversation and refuse it for ever after one broken call, so
// broken JSON goes back as a string inside an object.
func history(arguments string) string {
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
