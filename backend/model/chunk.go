package model

import (
	"encoding/json"
	"errors"
	"io"

	"goalpost/backend/goal"
)

// chunk is one event of a stream, as tolerant as the servers are different.
type chunk struct {
	Choices []struct {
		Index        int     `json:"index"`
		Delta        part    `json:"delta"`
		Message      part    `json:"message"` // in an answer that is not streamed
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		In      float64 `json:"prompt_tokens"` // with those from the cache
		Out     float64 `json:"completion_tokens"`
		Details struct {
			Cached float64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type part struct {
	Content   words      `json:"content"`
	Refusal   words      `json:"refusal"`
	ToolCalls []toolPart `json:"tool_calls"`
}

// words is a string, null, or a list of text parts.
type words string

func (w *words) UnmarshalJSON(b []byte) error {
	var s *string
	if json.Unmarshal(b, &s) == nil {
		if s != nil {
			*w = words(*s)
		}
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return err //nolint:wrapcheck // json adds the place
	}
	for _, p := range parts {
		*w += words(p.Text)
	}
	return nil
}

// newChunks reads the protocol of OpenAI.
func newChunks(delta func(string), price func(tally) float64) *reading {
	r := &reading{delta: delta, price: price}
	r.take = func(event []byte) error {
		var c chunk
		if err := json.Unmarshal(event, &c); err != nil {
			return unreadable(err)
		}
		return r.chunk(c)
	}
	return r
}

// chunk takes one event.
func (r *reading) chunk(c chunk) error {
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return brokeOff(c.Error)
	}
	if c.Usage != nil {
		in := tokens(c.Usage.In)
		cached := min(tokens(c.Usage.Details.Cached), in)
		r.used = tally{in: in - cached, cacheRead: cached, out: tokens(c.Usage.Out)}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // one reply was asked for
		}
		for _, p := range []part{choice.Delta, choice.Message} {
			r.say(string(p.Content))
			r.refusal.WriteString(string(p.Refusal))
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

// whole reads an answer of a server that does not stream.
func (r *reading) whole(body io.Reader) (goal.Reply, error) {
	b, err := readWhole(body)
	if err != nil {
		return goal.Reply{}, err
	}
	var c chunk
	if err := json.Unmarshal(b, &c); err != nil {
		return goal.Reply{}, unreadable(err)
	}
	r.events = 1
	switch err := r.chunk(c); {
	case errors.Is(err, errLongCall):
		return r.replyLong()
	case err != nil:
		return goal.Reply{}, err
	}
	if len(c.Choices) == 0 {
		return goal.Reply{}, &Error{Kind: Garbage, Message: "the answer holds no reply"}
	}
	return r.reply()
}
