package stream

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/coder/websocket"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/fault"
)

// browser connects a page and one browser pane.
func (s *Server) browser(w http.ResponseWriter, r *http.Request) {
	const limit = 1 << 20
	s.open(w, r, limit, func(c *socket) (connHandlers, error) {
		v, err := s.o.Browsers.Attach(c.ctx, r.PathValue("pane"))
		if err != nil {
			return connHandlers{}, err
		}
		b := &browserConn{c: c, v: v, news: make(chan struct{}, 1), acts: make(chan struct{}, 1)}
		c.goWork(b.watch)
		c.goWork(b.act)
		return connHandlers{receive: b.receive, send: b.send, release: v.Close}, nil
	})
}

// browserConn is the connection of a page to one browser pane.
type browserConn struct {
	c    *socket
	v    BrowserViewer
	news chan struct{} // there is something to send, or sending is possible again
	acts chan struct{} // there is something to do
	out  []byte        // buffer of the last frame, for reuse; only send uses it

	mu      sync.Mutex
	frame   *pane.Frame // the newest that was not sent yet, likewise info, overlay and problem
	info    *pane.Info
	overlay *pane.Overlay
	problem string
	queue   []pane.Input

	awaitsAck bool   // the page has not acknowledged a frame yet
	sent      uint32 // number of that frame
}

type browserUpdate struct {
	T       string        `json:"t"`
	Pane    *pane.Info    `json:"pane,omitempty"`
	Overlay *pane.Overlay `json:"overlay,omitempty"`
	Text    string        `json:"text,omitempty"`
}

// watch stores the newest frame and the newest state for send.
func (b *browserConn) watch() {
	for {
		news, err := b.v.Next(b.c.ctx)
		if err != nil {
			if b.c.ctx.Err() == nil {
				b.c.end(closeWith(CloseNotFound, "%s", fault.Of(err).Message))
			}
			return
		}
		b.mu.Lock()
		var old *pane.Frame
		if news.Frame != nil {
			old, b.frame = b.frame, news.Frame
		}
		if news.Info != nil {
			b.info = news.Info
		}
		if news.Overlay != nil {
			b.overlay = news.Overlay
		}
		b.mu.Unlock()
		if old != nil {
			b.v.Ack(old.N)
		}
		notify(b.news)
	}
}

// send sends the newest state. It sends a frame only after the last one was drawn.
func (b *browserConn) send(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-b.news:
		}
		b.mu.Lock()
		info, overlay, problem := b.info, b.overlay, b.problem
		b.info, b.overlay, b.problem = nil, nil, ""
		var frame *pane.Frame
		if !b.awaitsAck && b.frame != nil {
			frame, b.frame = b.frame, nil
			b.awaitsAck, b.sent = true, frame.N
		}
		b.mu.Unlock()
		if err := b.sendOne(ctx, info, overlay, problem, frame); err != nil {
			return err
		}
	}
}

func (b *browserConn) sendOne(
	ctx context.Context, info *pane.Info, overlay *pane.Overlay, problem string, frame *pane.Frame,
) error {
	if info != nil {
		if err := b.c.writeJSON(ctx, browserUpdate{T: "info", Pane: info}); err != nil {
			return err
		}
	}
	if overlay != nil {
		if err := b.c.writeJSON(ctx, browserUpdate{T: "overlay", Overlay: overlay}); err != nil {
			return err
		}
	}
	if problem != "" {
		if err := b.c.writeJSON(ctx, browserUpdate{T: "problem", Text: problem}); err != nil {
			return err
		}
	}
	if frame != nil {
		b.out = appendFrame(b.out[:0], frame)
		return b.c.write(ctx, websocket.MessageBinary, b.out)
	}
	return nil
}

// appendFrame adds number (u32), width (u16), height (u16), big-endian, and the JPEG.
func appendFrame(out []byte, f *pane.Frame) []byte {
	out = binary.BigEndian.AppendUint32(out, f.N)
	out = binary.BigEndian.AppendUint16(out, clampUint16(f.Width))
	out = binary.BigEndian.AppendUint16(out, clampUint16(f.Height))
	return append(out, f.JPEG...)
}

func clampUint16(n int) uint16 { return uint16(min(max(n, 0), 1<<16-1)) }

// onAck processes an acknowledgement of the page. It ignores all but that of the last frame.
func (b *browserConn) onAck(n uint32) {
	b.mu.Lock()
	right := b.awaitsAck && n == b.sent
	if right {
		b.awaitsAck = false
	}
	b.mu.Unlock()
	if right {
		b.v.Ack(n)
		notify(b.news)
	}
}

// sendProblem reports an error to the user; a newer one replaces it.
func (b *browserConn) sendProblem(text string) {
	b.mu.Lock()
	b.problem = text
	b.mu.Unlock()
	notify(b.news)
}

// browserMessage is a message of the page about a browser pane.
type browserMessage struct {
	T  string      `json:"t"`
	N  uint32      `json:"n"`
	W  int         `json:"w"`
	H  int         `json:"h"`
	R  float64     `json:"r"`
	I  *pane.Input `json:"i"`
	On bool        `json:"on"`
	// Looks: of a size, that the viewer only looks and fits the page into it.
	Looks bool `json:"looks"`
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
		b.awaitsAck = b.awaitsAck && !w.On // a hidden page may never draw the frame that was sent
		b.mu.Unlock()
		notify(b.news)
	case "size":
		const maxSize = 16384
		if w.W < 1 || w.H < 1 || w.W > maxSize || w.H > maxSize {
			return nil // a hidden pane has no size
		}
		b.v.Resize(w.W, w.H, max(w.R, 1), w.Looks)
	case "keyboard":
		b.v.GiveKeyboard()
	case "input":
		if w.I == nil || !isKnownInput(w.I.Kind) {
			b.sendProblem("unknown kind of input")
			return nil
		}
		b.enqueue(*w.I)
	}
	return nil // unknown messages are for later versions
}

func isKnownInput(k pane.InputKind) bool {
	switch k {
	case pane.MouseMove, pane.MouseDown, pane.MouseUp, pane.Wheel, pane.KeyDown, pane.KeyUp, pane.Text, pane.Compose,
		pane.Touch:
		return true
	}
	return false
}

// enqueue keeps the order; consecutive mouse moves become one.
func (b *browserConn) enqueue(in pane.Input) {
	const maxQueued = 1024
	b.mu.Lock()
	n := len(b.queue)
	if n > 0 && in.Kind == pane.MouseMove && b.queue[n-1].Kind == pane.MouseMove {
		b.queue[n-1] = in
	} else if n < maxQueued {
		b.queue = append(b.queue, in)
	} else {
		b.problem = "the page does not answer: input was dropped"
		notify(b.news)
	}
	b.mu.Unlock()
	notify(b.acts)
}

// act gives the queued inputs to the page, in order.
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
			if err := b.v.Input(b.c.ctx, next); err != nil && b.c.ctx.Err() == nil {
				b.sendProblem(err.Error())
			}
		}
	}
}
