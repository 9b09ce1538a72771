package stream

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/coder/websocket"

	"goalpost/backend/lib/fault"
)

// Window is how many bytes of a terminal may be sent to one page without acknowledgement.
const Window = 1 << 20

const (
	maxChunk   = 32 << 10
	maxMessage = 8 << 20 // bytes of one message: a paste, escaped as JSON
)

// terminal connects a page and one terminal.
func (s *Server) terminal(w http.ResponseWriter, r *http.Request) {
	s.open(w, r, maxMessage, func(c *socket) (connHandlers, error) {
		offset, err := startOffset(r)
		if err != nil {
			return connHandlers{}, err
		}
		v, err := s.o.Terminals.Attach(c.ctx, r.PathValue("pane"), offset)
		if err != nil {
			return connHandlers{}, err
		}
		t := &terminalConn{
			c:          c,
			output:     v,
			size:       v,
			program:    v,
			acked:      -1,
			ackArrived: make(chan struct{}, 1),
		}
		c.goWork(t.watchSize)
		return connHandlers{receive: t.receive, send: t.send, release: v.Close}, nil
	})
}

func startOffset(r *http.Request) (int64, error) {
	q := r.URL.Query().Get("offset")
	if q == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(q, 10, 64)
	if err != nil || n < 0 {
		return 0, errors.New("the offset is not a byte count")
	}
	return n, nil
}

// terminalConn is the connection of a page to one terminal.
type terminalConn struct {
	c          *socket
	output     TerminalOutput
	size       TerminalSize
	program    io.Writer     // takes one message of input at a time
	ackArrived chan struct{} // an acknowledgement came

	mu    sync.Mutex
	sent  int64 // offset after the last sent byte
	acked int64 // -1 before the first byte
}

type terminalUpdate struct {
	T    string `json:"t"`
	From *int64 `json:"from,omitempty"`
	To   *int64 `json:"to,omitempty"`
	Code *int   `json:"code,omitempty"`
	Cols int    `json:"cols,omitempty"`
	Rows int    `json:"rows,omitempty"`
	Text string `json:"text,omitempty"`
}

// send sends output and status messages in order.
func (t *terminalConn) send(ctx context.Context) error {
	message := make([]byte, 8, 8+maxChunk)
	for {
		if !t.waitForAck(ctx) {
			return nil
		}
		offset, chunk, err := t.output.Read(ctx)
		if len(chunk) > 0 {
			t.recordSent(offset, len(chunk))
			binary.BigEndian.PutUint64(message[:8], uint64(offset))
			message = append(message[:8], chunk...)
			if err := t.c.write(ctx, websocket.MessageBinary, message); err != nil {
				return err
			}
		}
		if err != nil {
			if done, err := t.onReadError(ctx, err); done || err != nil {
				return err
			}
		}
	}
}

// onReadError handles an error of Read; done means that nothing follows.
func (t *terminalConn) onReadError(ctx context.Context, err error) (done bool, _ error) {
	var gap Gap
	switch {
	case ctx.Err() != nil:
		return true, nil
	case errors.As(err, &gap):
		from, to := gap.Range()
		t.recordSent(to, 0)
		return false, t.c.writeJSON(ctx, terminalUpdate{T: "lost", From: &from, To: &to})
	case errors.Is(err, io.EOF):
		code, _ := t.output.Exit()
		if err := t.c.writeJSON(ctx, terminalUpdate{T: "exit", Code: &code}); err != nil {
			return true, err
		}
		<-ctx.Done() // the page stays open to show the present output
		return true, nil
	}
	return true, closeWith(CloseNotFound, "%s", fault.Of(err).Message)
}

// watchSize notifies the page when the terminal has another size than its viewer's space.
func (t *terminalConn) watchSize() {
	for {
		select {
		case <-t.c.ctx.Done():
			return
		case <-t.size.Resized():
		}
		cols, rows := t.size.Size()
		if err := t.c.writeJSON(t.c.ctx, terminalUpdate{T: "size", Cols: cols, Rows: rows}); err != nil {
			t.c.end(err)
			return
		}
	}
}

// recordSent counts n bytes sent from offset. After a gap the window begins again, because bytes that were never sent
// are not acknowledged.
func (t *terminalConn) recordSent(offset int64, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.acked < 0 || offset != t.sent {
		t.acked = offset
	}
	t.sent = offset + int64(n)
}

// waitForAck waits until a whole chunk fits into the window.
func (t *terminalConn) waitForAck(ctx context.Context) bool {
	for {
		t.mu.Lock()
		fits := t.acked < 0 || t.sent-t.acked <= Window-maxChunk
		t.mu.Unlock()
		if fits {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-t.ackArrived:
		}
	}
}

// terminalMessage is a message of the page about a terminal.
type terminalMessage struct {
	T    string `json:"t"`
	N    int64  `json:"n"`
	D    string `json:"d"`
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
	// Looks: of a size, that the viewer only looks and fits the terminal into it.
	Looks bool `json:"looks"`
}

// receive processes one message. It never waits for the program: after input that the program does not read there may
// be acknowledgements that the program waits for.
func (t *terminalConn) receive(kind websocket.MessageType, data []byte) error {
	if kind == websocket.MessageBinary {
		return t.write(data)
	}
	var w terminalMessage
	if err := json.Unmarshal(data, &w); err != nil {
		return closeWith(websocket.StatusPolicyViolation, "a message is not a JSON object of this protocol")
	}
	switch w.T {
	case "ack":
		t.ack(w.N)
	case "in":
		return t.write([]byte(w.D))
	case "size":
		const maxSize = 4096
		if w.Cols < 1 || w.Rows < 1 || w.Cols > maxSize || w.Rows > maxSize {
			return nil // a hidden pane has no size
		}
		t.logResize(t.size.Resize(w.Cols, w.Rows, w.Looks))
	case "keyboard":
		t.logResize(t.size.GiveKeyboard())
	}
	return nil // unknown messages are for later versions
}

func (t *terminalConn) logResize(err error) {
	if err != nil {
		t.c.s.o.Log.Warn("resizing a terminal", "err", err)
	}
}

// ack accepts values only within what was sent. The viewer gets the acknowledgement before send sees the space:
// otherwise send would read beyond the viewer's window.
func (t *terminalConn) ack(n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n = min(n, t.sent)
	if n <= t.acked {
		return
	}
	t.output.Ack(n)
	t.acked = n
	notify(t.ackArrived)
}

// write passes one message of input to the program, and reports an error to the page. It preserves the order and the
// boundaries of messages, because a terminal uses them to distinguish replies of the page's terminal emulator from
// what a user types.
func (t *terminalConn) write(p []byte) error {
	if _, err := t.program.Write(p); err != nil {
		return t.c.writeJSON(t.c.ctx, terminalUpdate{T: "problem", Text: err.Error()})
	}
	return nil
}

// notify wakes the goroutine that waits for c, now or the next time. c has a buffer of one.
func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
