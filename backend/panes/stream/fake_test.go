package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/panes/stream"
)

// TestMain ignores connections that net/http leaves open for half a second after their last answer.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// lines collects the log.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(p))
	return len(p), nil
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprint(l.all)
}

// pages receives what pages show, "closed" when one is closed.
type pages chan goal.ID

func (p pages) Open() stream.Page  { return p }
func (p pages) LooksAt(id goal.ID) { p <- id }
func (p pages) Close() {
	select {
	case p <- "closed":
	default: // a test with many pages
	}
}

// world is a server with fake panes.
type world struct {
	*stream.Server
	broker    *event.Broker
	terminals terminals
	browsers  browsers
	pages     pages
	log       *lines
}

func open(tb testing.TB, change func(*stream.Options)) *world {
	tb.Helper()
	w := &world{
		broker: &event.Broker{}, terminals: terminals{}, browsers: browsers{}, pages: make(pages, 16), log: &lines{},
	}
	o := stream.Options{
		Events:    w.broker,
		Pages:     w.pages,
		Terminals: w.terminals,
		Browsers:  w.browsers,
		Log:       slog.New(slog.NewTextHandler(w.log, nil)),
	}
	if change != nil {
		change(&o)
	}
	s, err := stream.Open(tb.Context(), o)
	if err != nil {
		tb.Fatal(err)
	}
	w.Server = s
	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), waittest.Scale(time.Minute))
		defer cancel()
		if err := s.Close(ctx); err != nil {
			tb.Error(err)
		}
	})
	return w
}

// dial connects as the window's page does.
func (w *world) dial(tb testing.TB, path string) *websocket.Conn {
	tb.Helper()
	ws, err := w.try(path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	ws.SetReadLimit(64 << 20)
	tb.Cleanup(func() { _ = ws.CloseNow() })
	return ws
}

func (w *world) try(path string, change func(*websocket.DialOptions)) (*websocket.Conn, error) {
	o := &websocket.DialOptions{
		Subprotocols: []string{stream.Protocol, "token." + w.Token()},
		HTTPHeader:   map[string][]string{"Origin": {"wails://wails"}},
	}
	if change != nil {
		change(o)
	}
	ws, resp, err := websocket.Dial(context.Background(), w.URL()+path, o) //nolint:bodyclose // Dial closes it
	if err != nil && resp != nil {
		return nil, fmt.Errorf("%d", resp.StatusCode)
	}
	return ws, err
}

type terminals map[string]*fakeTerminal

func (t terminals) Attach(_ context.Context, id string, offset int64) (stream.TerminalViewer, error) {
	term, ok := t[id]
	if !ok {
		return nil, errors.New("there is no terminal " + id)
	}
	return &viewer{fakeTerminal: term, at: offset, acked: offset}, nil
}

// fakeTerminal is a program that has printed all of data.
type fakeTerminal struct {
	tb    testing.TB
	data  []byte
	from  int64 // earlier bytes are lost
	chunk int
	exit  *int
	news  chan error // errors that Read returns
	moved chan struct{}
	fail  error // of Write
	typed chan string
	sizes chan [2]int
}

type viewer struct {
	*fakeTerminal
	mu    sync.Mutex
	at    int64
	acked int64
}

type lost struct{ from, to int64 }

func (l lost) Error() string           { return "lost" }
func (l lost) Range() (from, to int64) { return l.from, l.to }

func (v *viewer) Read(ctx context.Context) (int64, []byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.at < v.from {
		l := lost{v.at, v.from}
		v.at, v.acked = v.from, v.from
		return 0, nil, fmt.Errorf("reading: %w", l)
	}
	if rest := v.data[v.at:]; len(rest) > 0 {
		rest = rest[:min(len(rest), v.chunk)]
		off := v.at
		v.at += int64(len(rest))
		if v.at-v.acked > stream.Window {
			v.tb.Errorf("%d bytes are on the way", v.at-v.acked)
		}
		return off, rest, nil
	}
	if v.exit != nil {
		return 0, nil, io.EOF
	}
	v.mu.Unlock()
	defer v.mu.Lock()
	select {
	case err := <-v.news:
		return 0, nil, err
	case <-ctx.Done():
		return 0, nil, ctx.Err()
	}
}

func (v *viewer) Ack(n int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n > v.at || n <= v.acked {
		v.tb.Errorf("acknowledged %d of %d after %d", n, v.at, v.acked)
	}
	v.acked = n
}

func (v *viewer) Resized() <-chan struct{} { return v.moved }
func (v *viewer) Size() (cols, rows int)   { return 100, 30 }

func (v *viewer) Write(p []byte) (int, error) {
	if v.fail != nil {
		return 0, v.fail
	}
	v.typed <- string(p)
	return len(p), nil
}

func (v *viewer) Resize(cols, rows int, looks bool) error {
	if !looks {
		v.sizes <- [2]int{cols, rows}
	}
	return nil
}
func (v *viewer) GiveKeyboard() error { v.sizes <- [2]int{}; return nil }
func (v *viewer) Exit() (int, bool)   { return *v.exit, true }
func (v *viewer) Close()              {}

type browsers map[string]*browser

func (b browsers) Attach(_ context.Context, id string) (stream.BrowserViewer, error) {
	if p, ok := b[id]; ok {
		return p, nil
	}
	return nil, errors.New("there is no browser " + id)
}

type update struct {
	frame *pane.Frame
	info  *pane.Info

	overlay *pane.Overlay
}

// browser is a pane whose frames the test makes.
type browser struct {
	updates chan update
	acks    chan uint32
	inputs  chan pane.Input
	sizes   chan [2]int
	visible chan bool
	left    chan struct{} // gets a token when the viewer is closed
	hold    chan struct{} // when not nil, Input waits for it
	fail    error
	ratio   atomic.Int64 // of the last size, in percent
}

func newBrowser() *browser {
	return &browser{
		updates: make(chan update),
		acks:    make(chan uint32, 64),
		inputs:  make(chan pane.Input, 4096),
		sizes:   make(chan [2]int, 64),
		visible: make(chan bool, 8),
		left:    make(chan struct{}, 8),
	}
}

func (b *browser) Next(ctx context.Context) (pane.ViewerUpdate, error) {
	select {
	case u := <-b.updates:
		return pane.ViewerUpdate{Frame: u.frame, Info: u.info, Overlay: u.overlay}, nil
	case <-ctx.Done():
		return pane.ViewerUpdate{}, ctx.Err()
	}
}

func (b *browser) Ack(n uint32) { b.acks <- n }

func (b *browser) Input(ctx context.Context, in pane.Input) error {
	if b.hold != nil {
		select {
		case <-b.hold:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	b.inputs <- in
	return b.fail
}

func (b *browser) Resize(w, h int, ratio float64, looks bool) {
	if looks {
		return
	}
	b.sizes <- [2]int{w, h}
	b.ratio.Store(int64(100 * ratio))
}

func (b *browser) GiveKeyboard() { b.sizes <- [2]int{} }

func (b *browser) SetVisible(on bool) { b.visible <- on }
func (b *browser) Close()             { b.left <- struct{}{} }
