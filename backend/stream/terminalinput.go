package stream

import (
	"encoding/json"

	"github.com/coder/websocket"
)

// terminalMessage is a message of the page about a terminal.
type terminalMessage struct {
	T    string `json:"t"`
	N    int64  `json:"n"`
	D    string `json:"d"`
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
}

// receive takes one message. It never waits for the program, because Write does not: behind
// input that the program does not read are the acknowledgements that it may be waiting for.
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
		const most = 4096
		if w.Cols < 1 || w.Rows < 1 || w.Cols > most || w.Rows > most {
			return nil // a hidden pane has no size
		}
		if err := t.size.Resize(w.Cols, w.Rows); err != nil {
			t.c.s.o.Log.Warn("resizing a terminal", "err", err)
		}
	}
	return nil // unknown messages are for later versions
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

// write hands one message of input to the program and tells the page if the program does
// not get it. The order and the borders of messages stay: a terminal tells the answers of
// the page's terminal from what a user types by them.
func (t *terminalConn) write(p []byte) error {
	if _, err := t.program.Write(p); err != nil {
		return t.c.writeJSON(t.c.ctx, terminalUpdate{T: "problem", Text: err.Error()})
	}
	return nil
}

// notify leaves one sign for a waiting goroutine.
func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
