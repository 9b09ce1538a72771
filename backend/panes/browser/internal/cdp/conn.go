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

	"goalpost/backend/lib/text"
)

// firstPostID is the first id of commands whose answers are ignored.
const firstPostID = 1 << 29

// Conn is the connection to one Chromium. Its methods may be called concurrently. Events arrive
// on one goroutine, in order; their receiver must not make calls that wait, only Post.
type Conn struct {
	pipe   *pipe
	rpc    *rod.Client
	log    *slog.Logger
	posted atomic.Int64
	Alive  context.Context // ends with cause ErrEnded when Chromium's end is closed
	end    context.CancelCauseFunc
	idle   chan struct{} // closed when the event goroutine has ended

	mu          sync.Mutex
	handledMore *sync.Cond // with mu: handled grew, or the connection ended
	handled     int64      // events that the receiver has handled
}

// Open connects to the Chromium that writes to in and reads from out. onEvent receives its
// events, onFrame the frames of screencasts.
func Open(in, out *os.File, log *slog.Logger, onEvent func(*Event), onFrame func(ScreencastFrame)) *Conn {
	p := newPipe(in, out, onFrame)
	c := &Conn{pipe: p, rpc: rod.New().Logger(utils.LoggerQuiet).Start(p), log: log, idle: make(chan struct{})}
	c.Alive, c.end = context.WithCancelCause(context.Background())
	c.handledMore = sync.NewCond(&c.mu)
	go func() {
		defer close(c.idle)
		defer c.countHandled(1 << 62)
		defer c.end(ErrEnded)
		for e := range c.rpc.Event() {
			onEvent(e)
			c.countHandled(1)
		}
	}()
	return c
}

// EndCalls ends all calls on the connection with an error of NewCause.
func (c *Conn) EndCalls(cause error) { c.end(cause) }

// CloseWrite closes the writing end, which makes Chromium end.
func (c *Conn) CloseWrite() error { return c.pipe.closeWrite() }

// ClosePipe closes both ends, so that no more events come.
func (c *Conn) ClosePipe() error { return c.pipe.close() }

// WaitIdle returns when the last event has been received.
func (c *Conn) WaitIdle() { <-c.idle }

func (c *Conn) countHandled(n int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handled += n
	c.handledMore.Broadcast()
}

// DrainEvents returns when every event that Chromium sent before the last answer has been
// handled. The receiver of events must not call it.
func (c *Conn) DrainEvents() {
	count := c.pipe.events.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.handled < count {
		c.handledMore.Wait()
	}
}

// Post sends a command and does not wait for its answer. Chromium runs the commands of one
// session in the order in which they were sent.
func (c *Conn) Post(session proto.TargetSessionID, params proto.Request) {
	c.postRaw(session, params.ProtoReq(), params)
}

func (c *Conn) postRaw(session proto.TargetSessionID, method string, params any) {
	id := firstPostID + int(c.posted.Add(1)%firstPostID)
	b, err := json.Marshal(rod.Request{ID: id, SessionID: string(session), Method: method, Params: params})
	if err == nil {
		err = c.pipe.Send(b)
	}
	if err != nil && c.Alive.Err() == nil { // the reader is about to notice, too
		c.log.Debug("a message to Chromium was lost", "method", method, "error", err)
	}
}

// Do runs f with a client for the session. A time limit applies, and the end of alive ends it.
// what names the operation in error messages: "clicking".
func (c *Conn) Do(
	ctx, alive context.Context, session proto.TargetSessionID, limit time.Duration, what string,
	f func(proto.Client) error,
) (err error) {
	ctx, cancel := JoinContexts(ctx, alive)
	defer cancel(nil)
	timer := time.AfterFunc(limit, func() { cancel(ErrTimeout) })
	defer timer.Stop()
	defer func() {
		if r := recover(); r != nil { // rod panics on unexpected answers
			err = fmt.Errorf("%s: %v", what, r)
		}
	}()
	if err := f(client{ctx: ctx, conn: c, session: session}); err != nil {
		return fmt.Errorf("%s: %w", what, preferCause(ctx, limit, err))
	}
	return nil
}

// JoinContexts returns a context that ends with ctx or with alive. The caller must call cancel.
func JoinContexts(ctx, alive context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(alive, func() { cancel(context.Cause(alive)) })
	return ctx, func(err error) {
		cancel(err)
		stop()
	}
}

// preferCause returns the reason why a call was ended rather than how it failed.
func preferCause(ctx context.Context, limit time.Duration, err error) error {
	why := Cause(ctx)
	if errors.Is(why, ErrTimeout) {
		return fmt.Errorf("%w (%s): the page may be busy in an endless loop: reload it or open another address",
			ErrTimeout, limit)
	}
	if why != nil {
		return why
	}
	// The pipe reports the end of Chromium a moment before alive does.
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		return ErrEnded
	}
	var fault *Error
	if errors.As(err, &fault) {
		return fmt.Errorf("chromium says %q", text.SanitizeLine(fault.Message, 300))
	}
	return err
}

// Call sends a command and returns its answer.
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

// CallNoResult sends a command whose answer has no content.
func CallNoResult(c proto.Client, req proto.Request) error {
	_, err := CallRaw(c, req)
	return err
}

// CallRaw sends a command and returns its answer as JSON.
func CallRaw(c proto.Client, req proto.Request) ([]byte, error) {
	bound, ok := c.(client)
	if !ok {
		return nil, fmt.Errorf("%s: the client has no session", req.ProtoReq())
	}
	return bound.Call(bound.ctx, string(bound.session), req.ProtoReq(), req)
}

// client is the client for the commands of rod's proto package.
type client struct {
	ctx     context.Context
	conn    *Conn
	session proto.TargetSessionID
}

// Call sends a command and waits for its answer.
func (c client) Call(ctx context.Context, session, method string, params any) ([]byte, error) {
	return c.conn.call(ctx, session, method, params)
}

// GetContext implements proto.Contextable.
func (c client) GetContext() context.Context { return c.ctx }

// GetSessionID implements proto.Sessionable.
func (c client) GetSessionID() proto.TargetSessionID { return c.session }
