package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"goalpost/backend/goal"
)

// replyReader reads a reply. A protocol passes it the events of its stream one by one with take.
type replyReader struct {
	take func(event []byte) error
	// parseWhole parses an answer that is not streamed.
	parseWhole func(body []byte) error

	price func(tokenCount) float64
	delta func(string)
	// onReasoning receives reasoning as it arrives; it may be nil.
	onReasoning func(string)

	text      strings.Builder
	refusal   strings.Builder
	tags      tagFilter     // between a stream in OpenAI's chat protocol and text
	reasoning chatReasoning // in that protocol
	// finishReasoning ends the reading of text and returns the reasoning without its model, nil if there is none.
	finishReasoning func() *goal.Reasoning

	calls    toolCallAssembler
	used     tokenCount
	usd      float64 // what the provider says that the turn cost, 0 if it does not
	finish   string
	finished bool // the protocol's final event arrived
	events   int
	isNDJSON bool // the server says that it sends JSON lines, as Ollama's own protocol does
}

// readResponse reads the reply of a successful response, whether the server streams or not.
func (r *replyReader) readResponse(resp *http.Response, linger time.Duration) (goal.Reply, error) {
	body, whole, err := isWhole(resp)
	switch {
	case err != nil:
		return goal.Reply{}, err
	case !whole:
		r.isNDJSON = strings.HasPrefix(resp.Header.Get("Content-Type"), "application/x-ndjson")
		return r.read(body, linger)
	}
	data, err := readBounded(body)
	if err != nil {
		return goal.Reply{}, err
	}
	r.events = 1
	switch err := r.parseWhole(data); {
	case errors.Is(err, errLongCall):
		return r.replyLong()
	case err != nil:
		return goal.Reply{}, err
	}
	return r.reply()
}

// read reads a reply to its end. A stream without its final event was cut off: that is an error, whatever came
// before. linger is how long the connection's end may follow the final event.
func (r *replyReader) read(body io.ReadCloser, linger time.Duration) (goal.Reply, error) {
	events := newSSE(body)
	var lingered atomic.Bool
	for {
		data, err := events.next()
		done, fault := r.event(data, err != nil)
		if errors.Is(fault, errLongCall) {
			return r.replyLong()
		}
		if fault != nil {
			return goal.Reply{}, fault
		}
		if done || (err != nil && r.finished) {
			return r.reply()
		}
		if err != nil {
			return goal.Reply{}, r.streamError(err, events.strange)
		}
		if r.finished && lingered.CompareAndSwap(false, true) {
			// Some servers keep the connection open after the final event.
			stop := time.AfterFunc(linger, func() { _ = body.Close() })
			defer stop.Stop()
		}
	}
}

// streamError is why a stream ended early.
func (r *replyReader) streamError(err error, strange int) error {
	switch {
	case errors.Is(err, errLong), errors.Is(err, errStreamTooLong):
		return &Error{Kind: InvalidReply, Message: "the stream holds " + err.Error(), Err: err}
	case r.events == 0 && strange > 0:
		return &Error{Kind: InvalidReply, Message: "the answer is not a stream of events", Err: err}
	case errors.Is(err, io.EOF) && r.isNDJSON && r.text.Len() == 0 && len(r.calls.list) == 0:
		return &Error{Kind: InvalidReply, Message: "the answer is in another protocol, such as Ollama's own", Err: err}
	case errors.Is(err, io.EOF):
		return &Error{Kind: Truncated, Message: "the stream ended before the reply was complete", Err: io.ErrUnexpectedEOF}
	}
	return &Error{Kind: Truncated, Message: "the connection broke before the reply was complete", Err: err}
}

// event processes the data lines of one event; last means that nothing follows.
func (r *replyReader) event(lines [][]byte, last bool) (done bool, err error) {
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
		if last && !json.Valid(line) {
			return false, nil // the event was cut off
		}
		r.events++
		if err := r.take(line); err != nil {
			return false, err
		}
	}
	return false, nil
}

// readBounded reads an answer that is not streamed, up to a limit.
func readBounded(body io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(body, maxLine+1))
	switch {
	case err != nil:
		return nil, &Error{Kind: Truncated, Message: "the connection broke before the reply was complete", Err: err}
	case len(b) > maxLine:
		return nil, &Error{Kind: InvalidReply, Message: "an answer of more than 8 MiB"}
	}
	return b, nil
}

// protocolError is the error for an event that violates the protocol.
func protocolError(err error) error {
	return &Error{Kind: InvalidReply, Message: "the answer is not readable: " + truncateMessage(err.Error()), Err: err}
}

func (r *replyReader) emitText(text string) {
	if text == "" {
		return
	}
	text = sanitizeText(text)
	r.text.WriteString(text)
	if r.delta != nil {
		r.delta(text)
	}
}

// emitReasoning shows reasoning while it arrives. What is stored and sent back is collected elsewhere.
func (r *replyReader) emitReasoning(text string) {
	if text != "" && r.onReasoning != nil {
		r.onReasoning(sanitizeText(text))
	}
}

// reply is the whole reply after the stream has ended properly.
func (r *replyReader) reply() (goal.Reply, error) {
	reasoning := r.finishReasoning()
	if err := r.endError(); err != nil {
		return goal.Reply{}, err
	}
	if r.isAtLimit() {
		r.calls.markTruncated()
	}
	return goal.Reply{
		Text:      r.text.String(),
		Calls:     r.calls.done(),
		Usage:     r.usage(),
		Reasoning: reasoning,
	}, nil
}

// usage is what the turn cost, in the provider's own words if it reported money.
func (r *replyReader) usage() goal.Usage {
	if r.usd > 0 {
		return r.used.usage(r.usd)
	}
	return r.used.usage(r.price(r.used))
}

// endError is the error of a reply that ended properly and is not one; nil if it is one.
func (r *replyReader) endError() error {
	const refusalHint = "describe the goal in other words, or choose another model"
	isEmpty := len(r.calls.list) == 0 && strings.TrimSpace(r.text.String()) == ""
	switch {
	case r.finish == "refusal":
		return &Error{
			Kind:    Refused,
			Message: describeRefusal(cmp.Or(r.refusal.String(), r.text.String())),
			Hint:    refusalHint,
		}
	case r.finish == "model_context_window_exceeded":
		return &Error{Kind: TooLong, Message: "the reply reached the end of the model's window"}
	case r.finish == "content_filter":
		return &Error{
			Kind:    Refused,
			Message: "the provider's content filter stopped the reply",
			Hint:    refusalHint,
		}
	case r.finish == "error":
		return &Error{Kind: Overloaded, Message: "the provider reported an error at the end of the stream"}
	case r.refusal.Len() > 0 && isEmpty:
		return &Error{
			Kind:    Refused,
			Message: describeRefusal(r.refusal.String()),
			Hint:    refusalHint,
		}
	case r.events == 0:
		return &Error{Kind: Truncated, Message: "the stream ended without a reply"}
	case isEmpty && r.isAtLimit():
		used := r.usage()
		return &Error{
			Kind:    Mistaken,
			Message: fmt.Sprintf("the model used up its output of %d tokens before it said anything", used.TokensOut),
			Usage:   used,
			AtLimit: true,
		}
	case isEmpty && slices.Contains([]string{"malformed_function_call", "function_call_filter: malformed_function_call"},
		strings.ToLower(r.finish)):
		return &Error{
			Kind:    Mistaken,
			Message: "the model wrote a call that its provider could not read",
			Usage:   r.usage(),
		}
	}
	return nil
}

func (r *replyReader) isAtLimit() bool { return r.finish == "length" || r.finish == "max_tokens" }

func describeRefusal(why string) string {
	if why = truncateMessage(why); why != "" {
		return "the model refused: " + why
	}
	return "the model refused, and gave no reason"
}

// replyLong is the reply whose reading was stopped because a call's arguments were too long. It contains that call
// alone, with arguments that no tool accepts: other calls may be incomplete. The cost is unknown, because it is
// reported at the end; it is estimated by the tokens that were read.
func (r *replyReader) replyLong() (goal.Reply, error) {
	r.finishReasoning() // the text is complete; without all calls the reasoning does not fit to them
	long := r.calls.long
	args, err := json.Marshal(
		fmt.Sprintf("The arguments were longer than %d MiB: the host stopped reading and did nothing. Send less at a time.",
			maxArguments>>20))
	if err != nil {
		return goal.Reply{}, fmt.Errorf("arguments that are too long: %w", err)
	}
	r.used.out = max(r.used.out, int64(r.calls.size+r.text.Len())/4)
	return goal.Reply{
		Text:  r.text.String(),
		Usage: r.usage(),
		Calls: []goal.Call{{ID: long.call.ID, Tool: long.name(), Arguments: string(args)}},
	}, nil
}

// sanitizeText is text that a journal, a page and the next request can contain.
func sanitizeText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// clampTokens limits counts that no server can mean.
func clampTokens(v float64) int64 {
	const most = 1 << 40
	if !(v > 0) {
		return 0
	}
	return int64(min(v, most))
}
