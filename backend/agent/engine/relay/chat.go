package relay

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"goalpost/backend/domain/goal"
)

// chat is OpenAI's chat completions.
type chat struct{}

func (chat) readQuestion(_ *url.URL, body []byte) (q question, err error) {
	var in chatRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return q, fmt.Errorf("the request cannot be read: %w", err)
	}
	q.stream = in.Stream
	q.turn, err = in.toTurn()
	return q, err
}

func (chat) beginAnswer(w http.ResponseWriter, stream bool) answer { return &chatAnswer{w, stream} }

func (chat) writeFailure(w http.ResponseWriter, f failure) {
	message := f.message
	if f.tooLong {
		message = "context_length_exceeded: " + message
	}
	writeJSON(w, f.status, map[string]any{
		"error": map[string]string{"message": message, "type": "invalid_request_error"},
	})
}

// chatRequest is a request for a chat completion.
type chatRequest struct {
	Messages []chatMessage `json:"messages"`
	Tools    []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	Stream bool `json:"stream"`
}

type chatMessage struct {
	Role       string             `json:"role"`
	Content    itemList[chatPart] `json:"content"`
	ToolCallID string             `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// toTurn converts the request to a turn of our model.
func (cr chatRequest) toTurn() (goal.Turn, error) {
	var t goal.Turn
	var system []string
	for _, m := range cr.Messages {
		text, images, err := textAndImages(m.Content)
		if err != nil {
			return t, err
		}
		out := goal.Message{Text: text, Images: images}
		switch m.Role {
		case "system", "developer":
			system = append(system, text)
			continue
		case "user":
			out.Role = goal.User
		case "assistant":
			out.Role = goal.Assistant
			for _, c := range m.ToolCalls {
				out.Calls = append(out.Calls, goal.Call{ID: c.ID, Tool: c.Function.Name, Arguments: c.Function.Arguments})
			}
		case "tool":
			out.Role, out.CallID = goal.ToolRole, m.ToolCallID
		default:
			return t, fmt.Errorf("unknown role %q", m.Role)
		}
		t.Messages = append(t.Messages, out)
	}
	t.System = strings.Join(system, "\n\n")
	for _, f := range cr.Tools {
		schema := f.Function.Parameters
		if len(schema) == 0 {
			schema = objectSchema
		}
		t.Tools = append(t.Tools, goal.ToolSpec{
			Name:        f.Function.Name,
			Description: f.Function.Description,
			Schema:      schema,
		})
	}
	return t, nil
}

// chatPart is a part of a message's content.
type chatPart struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL struct {
		URL string `json:"url"`
	} `json:"image_url"`
}

func (chatPart) ofText(text string) chatPart { return chatPart{Type: "text", Text: text} }

func (c chatPart) textOrImage() (text string, image []byte, err error) {
	switch c.Type {
	case "text":
		text = c.Text
	case "image_url":
		image, err = decodeDataURL(c.ImageURL.URL)
	}
	return text, image, err
}

// chatAnswer writes one completion.
type chatAnswer struct {
	w      http.ResponseWriter
	stream bool
}

type chatDelta struct {
	Role      string     `json:"role,omitempty"`
	Content   string     `json:"content,omitempty"`
	ToolCalls []chatCall `json:"tool_calls,omitempty"`
}

type chatCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type chatChoice struct {
	Index   int        `json:"index"`
	Delta   *chatDelta `json:"delta,omitempty"`
	Message *chatDelta `json:"message,omitempty"`
	Finish  *string    `json:"finish_reason"`
}

type completion struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage,omitempty"`
}

type chatUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

func (ca *chatAnswer) addText(piece string) {
	ca.event(completion{Choices: []chatChoice{{Delta: &chatDelta{Role: "assistant", Content: piece}}}})
}

func (ca *chatAnswer) finish(r goal.Reply) {
	finish := "stop"
	if isTextCutOff(r) {
		finish = "length"
	}
	calls := make([]chatCall, len(r.Calls))
	for i, c := range r.Calls {
		finish = "tool_calls"
		calls[i] = chatCall{Index: i, ID: c.ID, Type: "function"}
		calls[i].Function.Name, calls[i].Function.Arguments = c.Tool, c.Arguments
	}
	usage := &chatUsage{r.Usage.TokensIn, r.Usage.TokensOut, r.Usage.TokensIn + r.Usage.TokensOut}
	if !ca.stream {
		writeJSON(ca.w, http.StatusOK, completion{
			ID:      "relay",
			Object:  "chat.completion",
			Model:   ModelName,
			Usage:   usage,
			Choices: []chatChoice{{Message: &chatDelta{Role: "assistant", Content: r.Text, ToolCalls: calls}, Finish: &finish}},
		})
		return
	}
	if len(calls) > 0 {
		ca.event(completion{Choices: []chatChoice{{Delta: &chatDelta{Role: "assistant", ToolCalls: calls}}}})
	}
	ca.event(completion{Choices: []chatChoice{{Delta: &chatDelta{}, Finish: &finish}}})
	ca.event(completion{Choices: []chatChoice{}, Usage: usage})
	_, _ = ca.w.Write([]byte("data: [DONE]\n\n"))
}

func (ca *chatAnswer) event(c completion) {
	c.ID, c.Object, c.Model = "relay", "chat.completion.chunk", ModelName
	writeEvent(ca.w, "", c)
}
