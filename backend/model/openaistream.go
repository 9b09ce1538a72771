package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"

	"goalpost/backend/goal"
)

// chunk is one event of a stream, tolerant of the differences between servers.
type chunk struct {
	Choices []struct {
		Index        int     `json:"index"`
		Delta        part    `json:"delta"`
		Message      part    `json:"message"` // in an answer that is not streamed
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		In      float64 `json:"prompt_tokens"` // including those from the cache
		Out     float64 `json:"completion_tokens"`
		Details struct {
			Cached float64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type part struct {
	Content   flexibleText    `json:"content"`
	Refusal   flexibleText    `json:"refusal"`
	Reasoning optionalText    `json:"reasoning_content"` // DeepSeek, vLLM, llama.cpp
	Thinking  optionalText    `json:"reasoning"`         // OpenRouter, Ollama
	ToolCalls []toolCallDelta `json:"tool_calls"`
}

// flexibleText is a string, null, or a list of text parts.
type flexibleText string

func (w *flexibleText) UnmarshalJSON(b []byte) error {
	var s *string
	if json.Unmarshal(b, &s) == nil {
		if s != nil {
			*w = flexibleText(*s)
		}
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err //nolint:wrapcheck // json adds the position
	}
	for _, p := range parts {
		*w += flexibleText(p.Text)
	}
	return nil
}

// optionalText is a flexibleText; a value of another form is none. It is for fields that no protocol defines.
type optionalText string

func (o *optionalText) UnmarshalJSON(b []byte) error {
	var text flexibleText
	if text.UnmarshalJSON(b) == nil {
		*o = optionalText(text)
	}
	return nil
}

// newOpenAIReader parses OpenAI's protocol.
func newOpenAIReader(delta func(string), price func(tokenCount) float64) *replyReader {
	r := &replyReader{delta: delta, price: price}
	r.take = func(event []byte) error {
		var c chunk
		if err := json.Unmarshal(event, &c); err != nil {
			return protocolError(err)
		}
		return r.onChunk(c)
	}
	return r
}

// onChunk processes one event.
func (r *replyReader) onChunk(c chunk) error {
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return streamErrorEvent(c.Error)
	}
	if c.Usage != nil {
		in := clampTokens(c.Usage.In)
		cached := min(clampTokens(c.Usage.Details.Cached), in)
		r.used = tokenCount{in: in - cached, cacheRead: cached, out: clampTokens(c.Usage.Out)}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // only one reply was requested
		}
		for _, p := range []part{choice.Delta, choice.Message} {
			r.emitText(string(p.Content))
			r.refusal.WriteString(string(p.Refusal))
			r.addReasoning(string(cmp.Or(p.Reasoning, p.Thinking))) // a server that sends both sends the same
			for _, t := range p.ToolCalls {
				if err := r.calls.add(t); err != nil {
					return err
				}
			}
		}
		if choice.FinishReason != nil && *choice.FinishReason != "" {
			r.finish, r.finished = *choice.FinishReason, true
		}
	}
	return nil
}

// parseWhole parses an answer of a server that does not stream.
func (r *replyReader) parseWhole(body io.Reader) (goal.Reply, error) {
	b, err := readBounded(body)
	if err != nil {
		return goal.Reply{}, err
	}
	var c chunk
	if err := json.Unmarshal(b, &c); err != nil {
		return goal.Reply{}, protocolError(err)
	}
	r.events = 1
	switch err := r.onChunk(c); {
	case errors.Is(err, errLongCall):
		return r.replyLong()
	case err != nil:
		return goal.Reply{}, err
	}
	if len(c.Choices) == 0 {
		return goal.Reply{}, &Error{Kind: InvalidReply, Message: "the answer holds no reply"}
	}
	return r.reply()
}
