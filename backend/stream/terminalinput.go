package stream

import (
	"encoding/json"

	"github.com/coder/websocket"
)

// terminalMessage is what the page says about a terminal.
type terminalMessage struct {
	T    string `json:"t"`
	N    int64  `json:"n"`
	D    string `json:"d"`
	Cols int    `json:"cols"`
	Rows int    `json:"rows"`
}

// receive takes one message. It never waits for the program: behind input that
// the program does not read stand the acknowledgements that it may be waiting for.
func (t *terminalConn) receive(kind websocket.MessageType, data []byte) error {
	if kind == websocket.MessageBinary {
		return t.enqueue(data)
	}
	var w terminalMessage
	if err := json.Unmarshal(data, &w); err != nil {
		return closeWith(websocket.StatusPolicyViolation, "a message is not a JSON object of this protocol")
	}
	switch w.T {
	case "ack":
		t.ack(w.N)
	case "in":
		return t.enqueue([]byte(w.D))
	case "size":
		const most = 4096
		if w.Cols < 1 || w.Rows < 1 || w.Cols > most || w.Rows > most {
			return nil // a hidden pane measures itself as nothing
		}
		if err := t.size.Resize(w.Cols, w.Rows); err != nil {
			t.c.s.o.Log.Warn("resizing a terminal", "err", err)
		}
	}
	return nil // unknown words are for later versions
}

// ack believes the page only within what was sent. The viewer hears of it before
// send sees the room: else it would read beyond the viewer's window.
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

func (t *terminalConn) enqueue(p []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	const overhead = 64 // a flood of tiny messages counts too
	if t.bytes+len(p)+overhead > maxPendingInput {
		return closeWith(websocket.StatusMessageTooBig, "the program does not read: more than 4 MiB of input is waiting")
	}
	t.input, t.bytes = append(t.input, p), t.bytes+len(p)+overhead
	notify(t.typed)
	return nil
}

// writeInput hands input to the program, in order and message by message: a terminal
// tells the answers of the page's terminal from what a user types by that.
func (t *terminalConn) writeInput() {
	for {
		select {
		case <-t.c.ctx.Done():
			return
		case <-t.typed:
		}
		t.mu.Lock()
		messages := t.input
		t.input, t.bytes = nil, 0
		t.mu.Unlock()
		for _, p := range messages {
			if t.c.ctx.Err() != nil {
				return
			}
			if _, err := t.program.Write(p); err != nil && t.c.ctx.Err() == nil {
				if err := t.c.writeJSON(t.c.ctx, terminalUpdate{T: "problem", Text: err.Error()}); err != nil {
					t.c.end(err)
					return
				}
			}
		}
	}
}

// notify leaves one sign for a waiting goroutine.
func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
