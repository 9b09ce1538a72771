package stream

import (
	"encoding/json"

	"github.com/coder/websocket"

	"goalpost/backend/pane"
)

// browserAction is one action on a browser pane: an input, or a size.
type browserAction struct {
	input         *pane.Input
	width, height int
	ratio         float64
}

func (a browserAction) move() bool { return a.input != nil && a.input.Kind == pane.MouseMove }

// browserMessage is a message of the page about a browser pane.
type browserMessage struct {
	T  string      `json:"t"`
	N  uint32      `json:"n"`
	W  int         `json:"w"`
	H  int         `json:"h"`
	R  float64     `json:"r"`
	I  *pane.Input `json:"i"`
	On bool        `json:"on"`
}

// receive processes one message. It never waits for the browser.
func (b *browserConn) receive(kind websocket.MessageType, data []byte) error {
	var w browserMessage
	if kind != websocket.MessageText || json.Unmarshal(data, &w) != nil {
		return closeWith(websocket.StatusPolicyViolation, "a message is not a JSON object of this protocol")
	}
	switch w.T {
	case "ack":
		b.onAck(w.N)
	case "visible":
		b.v.SetVisible(w.On)
		b.mu.Lock()
		b.onWay = b.onWay && !w.On // a hidden page may never draw the frame that was sent
		b.mu.Unlock()
		notify(b.news)
	case "size":
		const most = 16384
		if w.W < 1 || w.H < 1 || w.W > most || w.H > most {
			return nil // a hidden pane has no size
		}
		b.enqueue(browserAction{width: w.W, height: w.H, ratio: max(w.R, 1)})
	case "input":
		if w.I == nil || !knownInput(w.I.Kind) {
			b.sendProblem("an input was not understood")
			return nil
		}
		b.enqueue(browserAction{input: w.I})
	}
	return nil // unknown messages are for later versions
}

func knownInput(k pane.InputKind) bool {
	switch k {
	case pane.MouseMove, pane.MouseDown, pane.MouseUp, pane.Wheel, pane.KeyDown, pane.KeyUp, pane.Text, pane.Compose,
		pane.Touch:
		return true
	}
	return false
}

// enqueue keeps the order; consecutive mouse moves become one, and so do sizes.
func (b *browserConn) enqueue(a browserAction) {
	const most = 1024
	b.mu.Lock()
	if n := len(b.queue); n > 0 && ((a.move() && b.queue[n-1].move()) || (a.input == nil && b.queue[n-1].input == nil)) {
		b.queue[n-1] = a
	} else if n < most {
		b.queue = append(b.queue, a)
	} else {
		b.problem = "the page does not answer: input was dropped"
		notify(b.news)
	}
	b.mu.Unlock()
	notify(b.acts)
}

// act executes the queued actions in order.
func (b *browserConn) act() {
	for {
		select {
		case <-b.c.ctx.Done():
			return
		case <-b.acts:
		}
		for b.c.ctx.Err() == nil {
			b.mu.Lock()
			if len(b.queue) == 0 {
				b.queue = nil
				b.mu.Unlock()
				break
			}
			next := b.queue[0]
			b.queue = b.queue[1:]
			b.mu.Unlock()
			if err := b.do(next); err != nil && b.c.ctx.Err() == nil {
				b.sendProblem(err.Error())
			}
		}
	}
}

func (b *browserConn) do(a browserAction) error {
	if a.input != nil {
		return b.v.Input(b.c.ctx, *a.input)
	}
	return b.v.Resize(b.c.ctx, a.width, a.height, a.ratio)
}
