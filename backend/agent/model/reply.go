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

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// replyReader reads a reply. Its protocol's take receives the events of the stream one by one.
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
	tags      tagFilter     // separates reasoning from text in OpenAI's chat protocol
	reasoning chatReasoning // in that protocol
	// finishReasoning is called after the last event. It returns the reasoning without its model, nil if there is none.
	finishReasoning func() *goal.Reasoning

	calls    toolCallAssembler
	used     tokenCount
	usd      float64 // the cost that the provider reported, 0 if it did not
	finish   string
	finished bool // the protocol's final event arrived
	events   int
	isNDJSON bool // the answer has the content type of Ollama's own protocol, JSON lines
}

// readResponse reads the reply of a successful response, whether the server streams or not.
func (r *replyReader) readResponse(resp *http.Response, usageTimeout time.Duration) (goal.Reply, error) {
	body, isComplete, err := isWhole(resp)
	switch {
	case err != nil:
		return goal.Reply{}, err
	case !isComplete:
		r.isNDJSON = strings.HasPrefix(resp.Header.Get("Content-Type"), "application/x-ndjson")
		return r.read(body, usageTimeout)
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

// read reads a streamed reply to its end. A stream without its final event was cut off, which is an error even if it
// contained text. usageTimeout is how long to wait after the final event.
func (r *replyReader) read(body io.ReadCloser, usageTimeout time.Duration) (goal.Reply, error) {
	events := newSSE(body)
	var hasTimedOut atomic.Bool
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
		if r.finished && hasTimedOut.CompareAndSwap(false, true) {
			// Some servers keep the connection open after the final event.
			stop := time.AfterFunc(usageTimeout, func() { _ = body.Close() })
			defer stop.Stop()
		}
	}
}

// streamError returns the error for a stream that ended early.
func (r *replyReader) streamError(err error, strange int) error {
	if silent, ok := AsError(err); ok {
		return silent
	}
	switch {
	case errors.Is(err, errLong), errors.Is(err, errStreamTooLong):
		return &Error{Kind: InvalidReply, Message: "the stream contains " + err.Error(), Err: err}
	case r.events == 0 && strange > 0:
		return &Error{Kind: InvalidReply, Message: "the answer is not a stream of events", Err: err}
	case errors.Is(err, io.EOF) && r.isNDJSON && r.text.Len() == 0 && len(r.calls.list) == 0:
		return ollamaError(err)
	case errors.Is(err, io.EOF):
		return &Error{Kind: Truncated, Message: "the stream ended before the reply was complete", Err: io.ErrUnexpectedEOF}
	}
	return &Error{Kind: Truncated, Message: "the connection broke before the reply was complete", Err: err}
}

// event processes the data lines of one event; last means that it is the final one.
func (r *replyReader) event(lines [][]byte, last bool) (done bool, err error) {
	if len(lines) > 1 {
		if line := bytes.Join(lines, []byte("\n")); json.Valid(line) {
			lines = [][]byte{line}
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
			return false, nil // the event was cut off: read reports the error
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
	silent, isSilent := AsError(err)
	switch {
	case isSilent:
		return nil, silent
	case err != nil:
		return nil, &Error{Kind: Truncated, Message: "the connection broke before the reply was complete", Err: err}
	case len(b) > maxLine:
		return nil, &Error{Kind: InvalidReply, Message: "the answer is longer than 8 MiB"}
	}
	return b, nil
}

func (r *replyReader) emitText(delta string) {
	if delta == "" {
		return
	}
	delta = replaceUnstorable(delta)
	r.text.WriteString(delta)
	if r.delta != nil {
		r.delta(delta)
	}
}

// emitReasoning passes reasoning on for display while it arrives. The reasoning that is stored and sent back is
// collected separately.
func (r *replyReader) emitReasoning(text string) {
	if text != "" && r.onReasoning != nil {
		r.onReasoning(replaceUnstorable(text))
	}
}

// reply returns the whole reply after the stream has ended properly.
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
		Calls:     r.calls.buildCalls(),
		Usage:     r.usage(),
		Reasoning: reasoning,
		IsCutOff:  r.isAtLimit(),
	}, nil
}

// setUsage stores what the provider reported. A later report of zeros, as some gateways send at the end, says nothing.
func (r *replyReader) setUsage(used tokenCount, usd float64) {
	if used != (tokenCount{}) {
		r.used = used
	}
	r.usd = cmp.Or(usd, r.usd)
}

// usage returns the usage of the turn, with the cost that the provider reported or else a computed one.
func (r *replyReader) usage() goal.Usage {
	if r.usd > 0 {
		return r.used.usage(r.usd)
	}
	return r.used.usage(r.price(r.used))
}

// endError returns the error of an answer that ended properly but is not a reply, nil if it is one.
func (r *replyReader) endError() error {
	isEmpty := len(r.calls.list) == 0 && strings.TrimSpace(r.text.String()) == ""
	switch {
	case r.finish == "refusal":
		return &Error{
			Kind:    Refused,
			Message: describeRefusal(cmp.Or(r.refusal.String(), r.text.String())),
			Hint:    reword,
		}
	case r.finish == "model_context_window_exceeded":
		return &Error{Kind: TooLong, Message: "the reply reached the end of the model's window"}
	case r.finish == "content_filter":
		return &Error{
			Kind:    Refused,
			Message: "the provider's content filter stopped the reply",
			Hint:    reword,
		}
	case r.finish == "error":
		return &Error{Kind: Overloaded, Message: "the provider reported an error at the end of the stream"}
	case r.refusal.Len() > 0 && isEmpty:
		return &Error{
			Kind:    Refused,
			Message: describeRefusal(r.refusal.String()),
			Hint:    reword,
		}
	case r.events == 0:
		return &Error{Kind: Truncated, Message: "the stream ended without a reply"}
	case isEmpty && r.isAtLimit():
		usage := r.usage()
		return &Error{
			Kind:    Mistaken,
			Message: fmt.Sprintf("the model used up its output limit of %d tokens before it wrote anything", usage.TokensOut),
			Usage:   usage,
			AtLimit: true,
		}
	case isEmpty && slices.Contains([]string{"malformed_function_call", "function_call_filter: malformed_function_call"},
		strings.ToLower(r.finish)):
		return &Error{
			Kind:    Mistaken,
			Message: "the model wrote a tool call that its provider could not parse",
			Usage:   r.usage(),
		}
	}
	return nil
}

// isAtLimit reports whether the reply ended at the output limit, in the words of OpenAI, Anthropic and Gemini, and of
// Mistral, whose limit is that of the window.
func (r *replyReader) isAtLimit() bool {
	return slices.Contains([]string{"length", "max_tokens", "max_output_tokens", "model_length"},
		strings.ToLower(r.finish))
}

func describeRefusal(why string) string {
	if why = text.SanitizeLine(why, maxMessage); why != "" {
		return "the model refused: " + why
	}
	return "the model refused without giving a reason"
}

// replyLong returns the reply whose reading stopped because a call's arguments were too long. It contains only that
// call, with arguments that no tool accepts, because other calls may be incomplete. Its usage is estimated from the
// length, because the provider reports it at the end.
func (r *replyReader) replyLong() (goal.Reply, error) {
	r.finishReasoning() // completes the text; the reasoning is dropped, because it belongs to all calls
	long := r.calls.tooLong
	args, err := json.Marshal(
		fmt.Sprintf("The arguments were longer than %d MiB: the host stopped reading and did nothing. Send less at a time.",
			maxArguments>>20))
	if err != nil {
		return goal.Reply{}, fmt.Errorf("replacing arguments that are too long: %w", err)
	}
	r.used.out = max(r.used.out, int64(r.calls.size+r.text.Len())/4)
	return goal.Reply{
		Text:  r.text.String(),
		Usage: r.usage(),
		Calls: []goal.Call{{ID: long.call.ID, Tool: long.name(), Arguments: string(args)}},
	}, nil
}

// replaceUnstorable returns valid text for the journal, the page and the next request.
func replaceUnstorable(s string) string {
	return strings.ReplaceAll(text.ToUTF8(s), "\x00", "\uFFFD")
}

// clampTokens limits a count to a plausible range.
func clampTokens(v float64) int64 {
	const maxTokens = 1 << 40
	if !(v > 0) {
		return 0
	}
	return int64(min(v, maxTokens))
}
