package relay

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"net/http"

	"goalpost/backend/goal"
)

// answer writes one completion, as a stream of events or as a whole.
type answer struct {
	w      http.ResponseWriter
	stream bool
	begun  bool
}

type delta struct {
	Role      string     `json:"role,omitempty"`
	Content   string     `json:"content,omitempty"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type choice struct {
	Index   int     `json:"index"`
	Delta   *delta  `json:"delta,omitempty"`
	Message *delta  `json:"message,omitempty"`
	Finish  *string `json:"finish_reason"`
}

type completion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

// text sends a piece of the reply's text, if the agent wants a stream.
func (a *answer) text(piece string) {
	if a.stream && piece != "" {
		a.event(completion{Choices: []choice{{Delta: &delta{Role: "assistant", Content: piece}}}})
	}
}

// finish sends the calls, the end and the usage of a reply whose text was streamed, or the whole reply.
func (a *answer) finish(r goal.Reply) {
	finish := "stop"
	calls := make([]toolCall, len(r.Calls))
	for i, c := range r.Calls {
		finish = "tool_calls"
		calls[i] = toolCall{Index: i, ID: cmp.Or(c.ID, "call_"+rand.Text()), Type: "function"}
		calls[i].Function.Name, calls[i].Function.Arguments = c.Tool, c.Arguments
	}
	used := &usage{r.Usage.TokensIn, r.Usage.TokensOut, r.Usage.TokensIn + r.Usage.TokensOut}
	if !a.stream {
		a.w.Header().Set("Content-Type", "application/json")
		b, err := json.Marshal(completion{
			ID: "relay", Object: "chat.completion", Model: ModelName, Usage: used,
			Choices: []choice{{Message: &delta{Role: "assistant", Content: r.Text, ToolCalls: calls}, Finish: &finish}},
		})
		if err == nil {
			_, _ = a.w.Write(b)
		}
		return
	}
	if len(calls) > 0 {
		a.event(completion{Choices: []choice{{Delta: &delta{Role: "assistant", ToolCalls: calls}}}})
	}
	a.event(completion{Choices: []choice{{Delta: &delta{}, Finish: &finish}}})
	a.event(completion{Choices: []choice{}, Usage: used})
	_, _ = a.w.Write([]byte("data: [DONE]\n\n"))
}

// event sends one event. An agent that has gone gets none.
func (a *answer) event(c completion) {
	if !a.begun {
		a.begun = true
		a.w.Header().Set("Content-Type", "text/event-stream")
	}
	c.ID, c.Object, c.Model = "relay", "chat.completion.chunk", ModelName
	b, err := json.Marshal(c)
	if err != nil {
		return
	}
	_, _ = a.w.Write(append(append([]byte("data: "), b...), "\n\n"...))
	if f, ok := a.w.(http.Flusher); ok {
		f.Flush()
	}
}
