package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// firstOwnCallID is the first id of commands whose answers are taken here. rod, which
// would parse each of them twice, is left with the events.
const firstOwnCallID = 1 << 28

// pendingCalls are the commands that wait for their answers.
type pendingCalls struct {
	last    atomic.Int64
	waiting sync.Map // id: chan answer, which has room for the one answer
}

// answer is what came of a command: its result as JSON, or why there is none.
type answer struct {
	result json.RawMessage
	err    error
}

var answerPrefix = []byte(`{"id":`)

// resolve takes a message that is the answer to one of our commands, and says
// whether it was one. Chromium writes the id first; what it may write otherwise
// one day is still understood, by rod.
func (c *pendingCalls) resolve(message []byte) bool {
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
		return true // nobody waits for it
	}
	held, ok := c.waiting.LoadAndDelete(id)
	if !ok {
		return true
	}
	waiting, ok := held.(chan answer)
	if !ok {
		return true
	}
	var m struct {
		Result json.RawMessage `json:"result"`
		Error  *cdp.Error      `json:"error"`
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

// call sends a command and waits for its answer, or for the end of ctx, which must
// end with the connection.
func (c *conn) call(ctx context.Context, session, method string, params any) ([]byte, error) {
	id := firstOwnCallID + int(c.pipe.calls.last.Add(1)%(firstPostID-firstOwnCallID))
	message, err := json.Marshal(cdp.Request{ID: id, SessionID: session, Method: method, Params: params})
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

// unescapeJSON is a value without the escapes that Chromium writes for every letter that
// is not ASCII.
func unescapeJSON(value []byte) (string, error) {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return "", fmt.Errorf("the page's answer: %w", err)
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return "", fmt.Errorf("the page's answer: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// evaluated is what proto.RuntimeEvaluateResult would keep as a tree.
type evaluated struct {
	Result struct {
		Value json.RawMessage `json:"value"`
	} `json:"result"`
	Exception *proto.RuntimeExceptionDetails `json:"exceptionDetails"`
}

// evaluate runs an expression in an execution context of the page (0: the
// page's own) and gives its value as JSON. A promise is awaited.
func evaluate(ctx context.Context, pg *page, world proto.RuntimeExecutionContextID, expression string) ([]byte, error) {
	return evaluateWithin(ctx, callLimit, pg, world, expression)
}

func evaluateWithin(ctx context.Context, limit time.Duration, pg *page, world proto.RuntimeExecutionContextID, expression string) ([]byte, error) {
	req := proto.RuntimeEvaluate{Expression: expression, ContextID: world}
	if own := pg.worlds.get(world); own.unique != "" {
		req.ContextID, req.UniqueContextID = 0, own.unique
	}
	return pg.value(ctx, limit, req)
}

// value evaluates an expression and gives its value as JSON.
func (pg *page) value(ctx context.Context, limit time.Duration, req proto.RuntimeEvaluate) ([]byte, error) {
	var out []byte
	err := pg.do(ctx, limit, "asking the page", func(c proto.Client) error {
		bound, ok := c.(client)
		if !ok {
			return errors.New("the client has no session")
		}
		req.ReturnByValue, req.AwaitPromise, req.Silent = true, true, true
		raw, err := bound.Call(bound.ctx, string(bound.session), req.ProtoReq(), req)
		if err != nil {
			return fmt.Errorf("chromium: %w", err)
		}
		var got evaluated
		if err := json.Unmarshal(raw, &got); err != nil {
			return fmt.Errorf("the page's answer: %w", err)
		}
		if got.Exception != nil {
			return exception(got.Exception)
		}
		if out = got.Result.Value; out == nil { // undefined
			out = []byte("null")
		}
		return nil
	})
	return out, err
}
