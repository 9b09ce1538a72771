package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"

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
		In  float64 `json:"prompt_tokens"`
		Out float64 `json:"completion_tokens"`
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

// reading is a reply under way.
type reading struct {
	delta    func(string)
	text     strings.Builder
	refusal  strings.Builder
	calls    calls
	usage    goal.Usage
	finish   string
	finished bool // finish_reason or [DONE] came
	events   int
}

// readStream reads a reply to its end. A stream without finish_reason and
// without [DONE] was cut: that is an error, whatever came before.
func readStream(body io.ReadCloser, delta func(string), linger time.Duration) (goal.Reply, error) {
	r := &reading{delta: delta}
	events := newSSE(body)
	var lingered atomic.Bool
	for {
		data, err := events.next()
		done, fault := r.event(data, err != nil)
		if fault != nil {
			return goal.Reply{}, fault
		}
		if done || (err != nil && r.finished) {
			return r.reply()
		}
		if err != nil {
			return goal.Reply{}, r.broken(err, events.strange)
		}
		if r.finished && lingered.CompareAndSwap(false, true) {
			// Some servers keep the connection open after the last word.
			stop := time.AfterFunc(linger, func() { _ = body.Close() })
			defer stop.Stop()
		}
	}
}

// broken says why a stream ended before its end.
func (r *reading) broken(err error, strange int) error {
	switch {
	case errors.Is(err, errLong), errors.Is(err, errEndless):
		return &Error{Kind: Garbage, Message: "the stream holds " + err.Error(), Err: err}
	case r.events == 0 && strange > 0:
		return &Error{Kind: Garbage, Message: "the answer is not a stream of events", Err: err}
	case errors.Is(err, io.EOF):
		return &Error{Kind: Truncated, Message: "the stream ended before the reply was complete", Err: io.ErrUnexpectedEOF}
	}
	return &Error{Kind: Truncated, Message: "the connection broke before the reply was complete", Err: err}
}

// event takes the data lines of one event; last says that nothing follows.
func (r *reading) event(lines [][]byte, last bool) (done bool, err error) {
	if len(lines) > 1 {
		if joined := bytes.Join(lines, []byte("\n")); json.Valid(joined) {
			lines = [][]byte{joined}
		}
	}
	for _, line := range lines {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if bytes.HasPrefix(line, []byte("[DONE]")) {
			r.finished = true
			return true, nil
		}
		var c chunk
		if err := json.Unmarshal(line, &c); err != nil {
			if last && !json.Valid(line) {
				return false, nil // the cut went through it
			}
			return false, &Error{Kind: Garbage, Message: "an event of the stream is not readable: " + clip(err.Error()), Err: err}
		}
		r.events++
		if err := r.chunk(c); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (r *reading) chunk(c chunk) error {
	if len(c.Error) > 0 && string(c.Error) != "null" {
		k := parseComplaint(c.Error)
		return &Error{Kind: kindOf(0, k), Message: "the server broke off: " + clip(k.Message)}
	}
	if c.Usage != nil {
		r.usage = goal.Usage{TokensIn: tokens(c.Usage.In), TokensOut: tokens(c.Usage.Out)}
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

func (r *reading) say(text string) {
	if text == "" {
		return
	}
	r.text.WriteString(text)
	if r.delta != nil {
		r.delta(text)
	}
}

// reply is the whole reply, once the stream has ended well.
func (r *reading) reply() (goal.Reply, error) {
	switch {
	case r.finish == "content_filter":
		return goal.Reply{}, &Error{Kind: Refused, Message: "the provider's content filter stopped the reply"}
	case r.finish == "error":
		return goal.Reply{}, &Error{Kind: Overloaded, Message: "the provider reported an error at the end of the stream"}
	case r.refusal.Len() > 0 && r.text.Len() == 0 && len(r.calls.list) == 0:
		return goal.Reply{}, &Error{Kind: Refused, Message: "the model refused: " + clip(r.refusal.String())}
	case r.events == 0:
		return goal.Reply{}, &Error{Kind: Truncated, Message: "the stream ended without a reply"}
	}
	return goal.Reply{Text: r.text.String(), Calls: r.calls.done(), Usage: r.usage}, nil
}

// whole reads an answer of a server that does not stream.
func whole(body io.Reader, delta func(string)) (goal.Reply, error) {
	b, err := io.ReadAll(io.LimitReader(body, maxLine+1))
	if err != nil {
		return goal.Reply{}, &Error{Kind: Truncated, Message: "the connection broke before the reply was complete", Err: err}
	}
	var c chunk
	if len(b) > maxLine {
		return goal.Reply{}, &Error{Kind: Garbage, Message: "an answer of more than 8 MiB"}
	}
	if err := json.Unmarshal(b, &c); err != nil {
		return goal.Reply{}, &Error{Kind: Garbage, Message: "the answer is not readable: " + clip(err.Error()), Err: err}
	}
	r := &reading{delta: delta, events: 1}
	if err := r.chunk(c); err != nil {
		return goal.Reply{}, err
	}
	if len(c.Choices) == 0 {
		return goal.Reply{}, &Error{Kind: Garbage, Message: "the answer holds no reply"}
	}
	return r.reply()
}

// tokens guards against counts that no server can mean.
func tokens(v float64) int64 {
	const most = 1 << 40
	if !(v > 0) {
		return 0
	}
	return int64(min(v, most))
}
