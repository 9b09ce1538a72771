package stream

import (
	"context"
	"log/slog"
	"testing"

	"github.com/coder/websocket"

	"goalpost/backend/domain/pane"
)

type deaf struct{ sent int64 }

func (d *deaf) Read(ctx context.Context) (int64, []byte, error) {
	<-ctx.Done()
	return 0, nil, ctx.Err()
}
func (d *deaf) Write(p []byte) (int, error) { return len(p), nil }
func (d *deaf) Resize(cols, rows int, _ bool) error {
	if cols < 1 || rows < 1 {
		panic("a size of nothing")
	}
	return nil
}
func (d *deaf) GiveKeyboard() error      { return nil }
func (d *deaf) Exit() (int, bool)        { return 0, true }
func (d *deaf) Resized() <-chan struct{} { return nil }
func (d *deaf) Size() (int, int)         { return 80, 24 }
func (d *deaf) Close()                   {}
func (d *deaf) Ack(n int64) {
	if n > d.sent {
		panic("acknowledged what was not sent")
	}
}

type blind struct{}

func (blind) Next(ctx context.Context) (pane.ViewerUpdate, error) {
	<-ctx.Done()
	return pane.ViewerUpdate{}, ctx.Err()
}
func (blind) Ack(uint32)                              {}
func (blind) Input(context.Context, pane.Input) error { return nil }
func (blind) Resize(int, int, float64, bool)          {}
func (blind) GiveKeyboard()                           {}
func (blind) SetVisible(bool)                         {}
func (blind) Close()                                  {}

func FuzzMessagesOfThePage(f *testing.F) {
	for _, seed := range []string{
		`{"t":"ack","n":5}`, `{"t":"ack","n":-9223372036854775808}`, `{"t":"ack","n":1e3}`, `{"t":"in","d":"x\u0000"}`,
		`{"t":"size","cols":-1,"rows":9}`,
		`{"t":"size","w":99999,"h":1}`, `{"t":"input","i":null}`, `{"t":"input","i":{"kind":"move","x":1e308}}`,
		`{"t":"visible","on":"yes"}`, `{"t":"keyboard"}`, `{`, `null`, `7`, "\xff",
	} {
		f.Add(true, []byte(seed))
		f.Add(false, []byte(seed))
	}
	s := &Server{o: Options{Log: slog.New(slog.DiscardHandler)}}
	f.Fuzz(func(t *testing.T, text bool, data []byte) {
		kind := websocket.MessageBinary
		if text {
			kind = websocket.MessageText
		}
		c := &socket{s: s}
		v := &deaf{sent: 100}
		term := &terminalConn{
			c:          c,
			output:     v,
			size:       v,
			program:    v,
			ackArrived: make(chan struct{}, 1),
			sent:       100,
		}
		b := &browserConn{c: c, v: blind{}, news: make(chan struct{}, 1), acts: make(chan struct{}, 1)}
		for range 3 {
			_ = term.receive(kind, data) // an error closes the socket, which is fine
			_ = b.receive(kind, data)
		}
		if term.acked > term.sent || len(b.queue) > 1024 {
			t.Fatalf("acked %d of %d, %d acts", term.acked, term.sent, len(b.queue))
		}
	})
}
