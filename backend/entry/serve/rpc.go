package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/coder/websocket"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// Limits of one page's calls.
const (
	maxRPCRequest   = 4 << 20 // bytes of one request
	maxRPCCalls     = 64      // further requests wait
	rpcPingInterval = 30 * time.Second
	rpcWriteTimeout = 30 * time.Second // for one answer
	rpcProtocol     = "goalpost.v1"
)

type rpcRequest struct {
	ID     int64             `json:"id"`
	Method string            `json:"method"`
	Args   []json.RawMessage `json:"args"`
}

type rpcAnswer struct {
	ID      int64        `json:"id"`
	Result  any          `json:"result"`
	Problem *fault.Error `json:"problem,omitempty"`
}

// rpc answers the calls of one page, many concurrently and in any order.
func (s *Server) rpc(w http.ResponseWriter, r *http.Request) {
	if !s.isSocketAllowed(r) {
		s.refuse(w, r, "session or origin")
		return
	}
	if !s.conns.Add() {
		s.refuse(w, r, "closing")
		return
	}
	defer s.conns.Done()
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{rpcProtocol},
		InsecureSkipVerify: true, // isSocketAllowed has checked the origin
	})
	if err != nil {
		s.o.Log.Warn("no upgrade", "path", text.Prefix(r.URL.Path), "err", err)
		return
	}
	defer func() { _ = ws.CloseNow() }()
	ws.SetReadLimit(maxRPCRequest)
	c := &rpcConn{s: s, ws: ws, slots: make(chan struct{}, maxRPCCalls)}
	c.ctx, c.cancel = context.WithCancel(s.conns.Soft)
	defer c.cancel()
	c.run() //nolint:contextcheck // a call continues when its page has left, so that it is never left half done
}

// rpcConn is one page's socket.
type rpcConn struct {
	s      *Server
	ws     *websocket.Conn
	ctx    context.Context // ends when the page has disconnected or the server closes
	cancel context.CancelFunc
	slots  chan struct{}
	work   sync.WaitGroup

	mu        sync.Mutex
	isClosing bool // the connection waits for its work: nothing more may begin
}

// begin starts work, unless the connection is ending.
func (r *rpcConn) begin(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.isClosing {
		r.work.Go(f)
	}
}

func (r *rpcConn) run() {
	r.begin(r.ping)
	var reading sync.WaitGroup
	reading.Go(func() {
		defer r.cancel()
		r.read()
	})
	<-r.ctx.Done()
	r.mu.Lock()
	r.isClosing = true
	r.mu.Unlock()
	r.work.Wait() // answers to a page that has disconnected are discarded
	if r.s.conns.Soft.Err() != nil {
		_ = r.ws.Close(websocket.StatusGoingAway, "the program ends")
	} else {
		_ = r.ws.CloseNow()
	}
	reading.Wait()
}

// read reads requests until the page disconnects; it ignores them once the server closes.
func (r *rpcConn) read() {
	for {
		kind, data, err := r.ws.Read(r.s.conns.Hard)
		if err != nil {
			return
		}
		if r.ctx.Err() != nil {
			continue
		}
		var q rpcRequest
		if kind != websocket.MessageText || json.Unmarshal(data, &q) != nil {
			_ = r.ws.Close(websocket.StatusPolicyViolation, "a message is not a request of this protocol")
			return
		}
		select {
		case r.slots <- struct{}{}:
		case <-r.ctx.Done():
			continue
		}
		r.begin(func() {
			defer func() { <-r.slots }()
			r.answer(q)
		})
	}
}

// answer runs one call to its end. It is not cancelled if the page disconnects, so that it is never left half
// done.
func (r *rpcConn) answer(q rpcRequest) {
	a := rpcAnswer{ID: q.ID}
	result, err := r.s.call(q)
	if err != nil {
		a.Problem = problemOf(err)
	} else {
		a.Result = result
	}
	b, err := json.Marshal(a)
	if err != nil {
		r.s.o.Log.Error("encoding an answer", "method", text.Prefix(q.Method), "err", err)
		b, err = json.Marshal(rpcAnswer{ID: q.ID, Problem: internalProblem()})
	}
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(r.s.conns.Hard, rpcWriteTimeout)
	defer cancel()
	_ = r.ws.Write(ctx, websocket.MessageText, b) // a failed write ends the socket, which read notices
}

// call runs a method. A panic of the method becomes an internal problem.
func (s *Server) call(q rpcRequest) (result any, err error) {
	defer func() {
		if v := recover(); v != nil {
			s.o.Log.Error("panic in a method", "method", text.Prefix(q.Method), "panic", fmt.Sprint(v), "stack",
				string(debug.Stack()))
			result, err = nil, internalProblem()
		}
	}()
	return s.o.Methods.Call(s.conns.Soft, q.Method, q.Args)
}

func internalProblem() *fault.Error {
	return &fault.Error{Code: "internal", Message: "an internal error occurred", Hint: "see the log for details"}
}

// ping detects pages that disappeared without closing the connection.
func (r *rpcConn) ping() {
	tick := time.NewTicker(rpcPingInterval)
	defer tick.Stop()
	for {
		select {
		case <-r.ctx.Done():
			return
		case <-tick.C:
		}
		within, cancel := context.WithTimeout(r.ctx, rpcPingInterval)
		err := r.ws.Ping(within)
		cancel()
		if err != nil {
			r.cancel()
			return
		}
	}
}
