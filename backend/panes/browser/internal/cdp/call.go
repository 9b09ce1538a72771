package cdp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	rod "github.com/go-rod/rod/lib/cdp"
)

// firstOwnCallID is the first id of commands whose answers are handled here. rod, which would
// parse each of them twice, gets only the events.
const firstOwnCallID = 1 << 28

// pendingCalls are the commands that wait for their answers.
type pendingCalls struct {
	last    atomic.Int64
	waiting sync.Map // id: chan answer, with a buffer for the answer
}

// answer is the result of a command as JSON, or its error.
type answer struct {
	result json.RawMessage
	err    error
}

var answerPrefix = []byte(`{"id":`)

// resolve handles the answer to one of our commands, and reports whether a message was one. It
// relies on Chromium writing the id first; rod understands any other order.
func (p *pendingCalls) resolve(message []byte) bool {
	rest, ok := bytes.CutPrefix(message, answerPrefix)
	if !ok {
		return false
	}
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	id, err := strconv.Atoi(string(rest[:digits]))
	switch {
	case err != nil || id < firstOwnCallID:
		return false
	case id >= firstPostID:
		return true // the caller has given up
	}
	value, ok := p.waiting.LoadAndDelete(id)
	if !ok {
		return true
	}
	waiting, ok := value.(chan answer)
	if !ok {
		return true
	}
	var m struct {
		Result json.RawMessage `json:"result"`
		Error  *Error          `json:"error"`
	}
	switch err := json.Unmarshal(message, &m); {
	case err != nil:
		waiting <- answer{err: fmt.Errorf("reading from Chromium: %w", err)}
	case m.Error != nil:
		waiting <- answer{err: m.Error}
	default:
		waiting <- answer{result: m.Result}
	}
	return true
}

// Chromium reports the new document of a page a moment before it has replaced the old one, and refuses a command in
// between before it has done anything. Nothing reports the end of that moment.
const (
	betweenDocuments      = "Not attached to an active page"
	betweenDocumentsRetry = 10 * time.Millisecond
)

// call sends a command and waits for its answer, or for the end of ctx, which must
// end with the connection. A command that comes between two documents of the page is sent again.
func (c *Conn) call(ctx context.Context, session, method string, params any) ([]byte, error) {
	for {
		result, err := c.callOnce(ctx, session, method, params)
		var refusal *Error
		if !errors.As(err, &refusal) || refusal.Message != betweenDocuments {
			return result, err
		}
		select {
		case <-time.After(betweenDocumentsRetry):
		case <-ctx.Done():
			return nil, fmt.Errorf("%s: %w", method, ctx.Err())
		}
	}
}

func (c *Conn) callOnce(ctx context.Context, session, method string, params any) ([]byte, error) {
	id := firstOwnCallID + int(c.pipe.calls.last.Add(1)%(firstPostID-firstOwnCallID))
	message, err := json.Marshal(rod.Request{ID: id, SessionID: session, Method: method, Params: params})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	waiting := make(chan answer, 1)
	c.pipe.calls.waiting.Store(id, waiting)
	defer c.pipe.calls.waiting.Delete(id)
	if err := c.pipe.Send(message); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	select {
	case a := <-waiting:
		if a.err != nil {
			return nil, fmt.Errorf("%s: %w", method, a.err)
		}
		return a.result, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", method, ctx.Err())
	}
}
