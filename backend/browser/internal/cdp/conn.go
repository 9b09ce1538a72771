package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	rod "github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
	"github.com/go-rod/rod/lib/utils"

	"goalpost/backend/browser/internal/sanitize"
)

// firstPostID is the first id of messages whose answers nobody awaits.
const firstPostID = 1 << 29

// Conn is the connection to one Chromium. Its methods may be called
// concurrently. Events arrive on one goroutine, in order; their receiver must
// not call and wait, only post.
type Conn struct {
	pipe   *pipe
	rpc    *rod.Client
	log    *slog.Logger
	posted atomic.Int64
	Alive  context.Context // ends with cause ErrEnded when Chromium's end is closed
	end    context.CancelCauseFunc
	idle   chan struct{} // closed when the event goroutine is gone

	mu          sync.Mutex
	handledMore *sync.Cond // with mu: handled grew, or the connection ended
	handled     int64      // events whose receiver is done
}

// Open connects to the Chromium whose messages come from in and whose commands go to out. onEvent
// gets its events, onFrame the frames of screencasts.
func Open(in, out *os.File, log *slog.Logger, onEvent func(*Event), onFrame func(ScreencastFrame)) *Conn {
	p := newPipe(in, out, onFrame)
	c := &Conn{pipe: p, rpc: rod.New().Logger(utils.LoggerQuiet).Start(p), log: log, idle: make(chan struct{})}
	c.Alive, c.end = context.WithCancelCause(context.Background())
	c.handledMore = sync.NewCond(&c.mu)
	go func() {
		defer close(c.idle)
		defer c.note(1 << 62)
		defer c.end(ErrEnded)
		for e := range c.rpc.Event() {
			onEvent(e)
			c.note(1)
		}
	}()
	return c
}

// EndCalls ends the life of the connection for its callers, with an error of NewCause.
func (c *Conn) EndCalls(cause error) { c.end(cause) }

// CloseWrite closes the writing end: Chromium takes it as the order to end.
func (c *Conn) CloseWrite() error { return c.pipe.closeWrite() }

// ClosePipe closes both ends, so that no more events come.
func (c *Conn) ClosePipe() error { return c.pipe.close() }

// WaitIdle returns when the last event has been received.
func (c *Conn) WaitIdle() { <-c.idle }

func (c *Conn) note(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handled += n
	c.handledMore.Broadcast()
}

// DrainEvents returns when every event that Chromium sent before the last answer has
// been taken note of. It must not be called by the receiver of events.
func (c *Conn) DrainEvents() {
	given := c.pipe.events.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.handled < given {
		c.handledMore.Wait()
	}
}

// Post sends a command and does not wait for its answer. Commands of one
// session are carried out in the order in which they were sent.
func (c *Conn) Post(session proto.TargetSessionID, params proto.Request) {
	c.postRaw(session, params.ProtoReq(), params)
}

func (c *Conn) postRaw(session proto.TargetSessionID, method string, params any) {
	id := firstPostID + int(c.posted.Add(1)%firstPostID)
	b, err := json.Marshal(rod.Request{ID: id, SessionID: string(session), Method: method, Params: params})
	if err == nil {
		err = c.pipe.Send(b)
	}
	if err != nil && c.Alive.Err() == nil { // the reader is about to find out as well
		c.log.Debug("a message to Chromium was lost", "method", method, "error", err)
	}
}

// Do runs f with a client bound to the session, a time limit, and the life of
// whatever it talks to. what says the operation in words: "clicking".
func (c *Conn) Do(
	ctx, alive context.Context, session proto.TargetSessionID, limit time.Duration, what string,
	f func(proto.Client) error,
) (err error) {
	ctx, cancel := JoinContexts(ctx, alive)
	defer cancel(nil)
	timer := time.AfterFunc(limit, func() { cancel(ErrTimeout) })
	defer timer.Stop()
	defer func() {
		if r := recover(); r != nil { // rod panics on what it did not expect
			err = fmt.Errorf("%s: %v", what, r)
		}
	}()
	if err := f(client{ctx: ctx, conn: c, session: session}); err != nil {
		return fmt.Errorf("%s: %w", what, preferCause(ctx, limit, err))
	}
	return nil
}

// JoinContexts gives a context that ends with ctx, with alive, and by its own cancel,
// which must be called.
func JoinContexts(ctx, alive context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(alive, func() { cancel(context.Cause(alive)) })
	return ctx, func(err error) {
		cancel(err)
		stop()
	}
}

// preferCause prefers the reason why a call was cut off over how it failed.
func preferCause(ctx context.Context, limit time.Duration, err error) error {
	why := Cause(ctx)
	if errors.Is(why, ErrTimeout) {
		return fmt.Errorf("%w (%s): the page may be busy in an endless loop: reload it or go elsewhere", ErrTimeout, limit)
	}
	if why != nil {
		return why
	}
	// The pipe tells the end of Chromium a moment before alive does.
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		return ErrEnded
	}
	var fault *Error
	if errors.As(err, &fault) {
		return fmt.Errorf("chromium says %q", sanitize.Line(fault.Message, 300))
	}
	return err
}

// Call sends a command that has an answer.
func Call[R any](c proto.Client, req interface {
	Call(c proto.Client) (R, error)
},
) (R, error) {
	r, err := req.Call(c)
	if err != nil {
		return r, fmt.Errorf("chromium: %w", err)
	}
	return r, nil
}

// CallNoResult sends a command for the sake of its being done.
func CallNoResult(c proto.Client, req proto.Request) error {
	_, err := CallRaw(c, req)
	return err
}

// CallRaw sends a command and gives its answer as JSON.
func CallRaw(c proto.Client, req proto.Request) ([]byte, error) {
	bound, ok := c.(client)
	if !ok {
		return nil, fmt.Errorf("%s: the client has no session", req.ProtoReq())
	}
	return bound.Call(bound.ctx, string(bound.session), req.ProtoReq(), req)
}

// client is what the commands of rod's proto package are called on.
type client struct {
	ctx     context.Context
	conn    *Conn
	session proto.TargetSessionID
}

// Call sends a command and waits for its answer.
func (c client) Call(ctx context.Context, session, method string, params any) ([]byte, error) {
	return c.conn.call(ctx, session, method, params)
}

// GetContext is asked for by proto.
func (c client) GetContext() context.Context { return c.ctx }

// GetSessionID is asked for by proto.
func (c client) GetSessionID() proto.TargetSessionID { return c.session }
