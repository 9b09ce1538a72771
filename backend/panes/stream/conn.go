package stream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/coder/websocket"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// closeReason says why a connection ends. It is the cause of the connection's context.
type closeReason struct {
	code   websocket.StatusCode
	reason string
}

func (c *closeReason) Error() string { return fmt.Sprintf("closing with %d: %s", c.code, c.reason) }

func closeWith(code websocket.StatusCode, format string, args ...any) *closeReason {
	const maxReason = 123 // bytes, which the protocol allows
	return &closeReason{code, text.TruncateBytes(fmt.Sprintf(format, args...), maxReason-len("…"))}
}

// errPageLeft means that the page has disconnected: no close message is needed.
var errPageLeft = errors.New("the page has left")

// socket is one connection. Its goroutines are bound to its context, which ends with the cause; the transport itself
// ends only after the close handshake, or by force.
type socket struct {
	s    *Server
	ws   *websocket.Conn
	ctx  context.Context
	end  context.CancelCauseFunc
	work sync.WaitGroup
}

// open upgrades the request and runs the connection to its end. An error of attach is the reason that the page gets
// with CloseNotFound.
func (s *Server) open(w http.ResponseWriter, r *http.Request, limit int64, attach func(*socket) (connHandlers, error)) {
	if !s.conns.Add() {
		s.refuse(w, r, "closing")
		return
	}
	defer s.conns.Done()
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{Protocol},
		InsecureSkipVerify: true, // authorize has checked the origin; wails:// has no host to match
	})
	if err != nil {
		s.o.Log.Warn("no upgrade", "path", text.Prefix(r.URL.Path), "err", err)
		return
	}
	defer func() { _ = ws.CloseNow() }()
	ws.SetReadLimit(limit)
	c := &socket{s: s, ws: ws}
	c.ctx, c.end = context.WithCancelCause(s.conns.Soft)
	defer c.end(nil)
	wire, err := attach(c)
	if err != nil {
		wire = connHandlers{
			receive: func(websocket.MessageType, []byte) error { return nil },
			send:    func(context.Context) error { return closeWith(CloseNotFound, "%s", fault.Of(err).Message) },
			release: func() {},
		}
	}
	c.run(wire)
}

// connHandlers are the functions of an endpoint.
type connHandlers struct {
	// one message at a time; a *closeReason ends the connection
	receive func(kind websocket.MessageType, data []byte) error
	send    func(ctx context.Context) error // returns with a *closeReason, or when ctx ends
	release func()                          // releases what other goroutines may wait for
}

func (s *socket) run(w connHandlers) {
	var read sync.WaitGroup
	read.Go(func() { s.read(w.receive) })
	s.goWork(s.ping)
	s.goWork(func() {
		if err := w.send(s.ctx); err != nil {
			s.end(err)
		}
	})
	<-s.ctx.Done()
	w.release()
	s.work.Wait()
	var g *closeReason
	cause := context.Cause(s.ctx)
	switch {
	case errors.Is(cause, errPageLeft):
		_ = s.ws.CloseNow()
	case errors.As(cause, &g):
		_ = s.ws.Close(g.code, g.reason)
	case s.s.conns.Soft.Err() != nil:
		_ = s.ws.Close(websocket.StatusGoingAway, "the program ends")
	default:
		_ = s.ws.Close(websocket.StatusInternalError, "")
	}
	read.Wait()
}

// read keeps reading, without processing, after the connection's work has ended: the answer to our close message must
// be read, and only a pending read can be cut off by force.
func (s *socket) read(receive func(websocket.MessageType, []byte) error) {
	defer s.recoverPanic()
	for {
		kind, data, err := s.ws.Read(s.s.conns.Hard)
		if err != nil {
			s.end(errPageLeft)
			return
		}
		if s.ctx.Err() != nil {
			continue
		}
		if err := receive(kind, data); err != nil {
			s.end(err)
		}
	}
}

// goWork starts a goroutine that ends with the connection.
func (s *socket) goWork(f func()) {
	s.work.Go(func() {
		defer s.recoverPanic()
		f()
	})
}

// recoverPanic, when deferred, ends the connection after a panic instead of the program.
func (s *socket) recoverPanic() {
	if v := recover(); v != nil {
		s.s.o.Log.Error("panic in a stream", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
		s.end(closeWith(websocket.StatusInternalError, "internal error"))
	}
}

// ping detects pages that disappeared without closing the connection.
func (s *socket) ping() {
	tick := time.NewTicker(s.s.o.Ping)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		ctx, cancel := context.WithTimeout(s.ctx, s.s.o.Ping)
		err := s.ws.Ping(ctx)
		cancel()
		if err != nil {
			s.end(errPageLeft)
			return
		}
	}
}

// write sends one message. A page that does not accept it in time is disconnected. The end of ctx does not interrupt
// a message: that would end the transport without a close message.
func (s *socket) write(ctx context.Context, kind websocket.MessageType, data []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.s.o.Stall)
	defer cancel()
	if err := s.ws.Write(ctx, kind, data); err != nil {
		return errPageLeft
	}
	return nil
}

func (s *socket) writeJSON(ctx context.Context, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	return s.write(ctx, websocket.MessageText, b)
}
