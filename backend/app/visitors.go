package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"goalpost/backend/pane"
	"goalpost/backend/stream"
)

// visitors are other processes of this user. They come over the bell's socket.
// They look at the panes of the goals here, in the page's own protocol, and change
// nothing there: whoever wants to take part does it where the goal runs. And they
// may start a goal here that is lent one of the person's panes.
type visitors struct {
	app    *App
	stream *stream.Server
	http   *http.Server
	served chan struct{} // closed when nobody is let in any more

	come chan net.Conn
	end  chan struct{}
	once sync.Once
}

func (a *App) openVisitors(ctx context.Context) (*visitors, error) {
	v := &visitors{app: a, served: make(chan struct{}), come: make(chan net.Conn), end: make(chan struct{})}
	var err error
	v.stream, err = stream.Open(ctx, stream.Options{
		Log: a.log, Events: &a.broker, Terminals: shownTerminals{a}, Browsers: shownBrowsers{a}, Detached: true,
	})
	if err != nil {
		return nil, fmt.Errorf("visitors: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", v.stream.Handler(func(*http.Request) bool { return true })) // the socket lets nobody else in
	mux.HandleFunc("GET /panes", v.panes)
	mux.HandleFunc("GET /lendable", v.lendable)
	mux.HandleFunc("POST /goals", v.start)
	mux.HandleFunc("POST /front", v.front)
	const patience = 10 * time.Second
	v.http = &http.Server{Handler: mux, ReadHeaderTimeout: patience, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelWarn)}
	go func() {
		defer close(v.served)
		if err := v.http.Serve(v); !errors.Is(err, http.ErrServerClosed) {
			a.log.Warn("visitors", "error", err)
		}
	}()
	return v, nil
}

// panes tells what there is to see.
func (v *visitors) panes(w http.ResponseWriter, _ *http.Request) {
	list := []pane.Info{}
	for _, info := range v.app.panes.Snapshot().Panes {
		if shown(info) {
			list = append(list, info)
		}
	}
	v.answer(w, list)
}

// shown says whether a pane is a goal's, and of this process: the person's own are nobody else's.
func shown(info pane.Info) bool {
	_, _, elsewhere := placeOf(info.ID)
	return info.GoalID != "" && !elsewhere
}

// admit takes a visitor in.
func (v *visitors) admit(c net.Conn) {
	select {
	case v.come <- c:
	case <-v.end:
		_ = c.Close()
	}
}

// Accept, Close and Addr make it the listener of its own server.
func (v *visitors) Accept() (net.Conn, error) {
	select {
	case c := <-v.come:
		return c, nil
	case <-v.end:
		return nil, net.ErrClosed
	}
}

func (v *visitors) Close() error {
	v.once.Do(func() { close(v.end) })
	return nil
}

func (*visitors) Addr() net.Addr { return &net.UnixAddr{Name: "visitors", Net: "unix"} }

// sendOff ends all visits.
func (v *visitors) sendOff(ctx context.Context) error {
	err := errors.Join(v.http.Close(), v.stream.Close(ctx))
	<-v.served
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("visitors: %w", err)
	}
	return nil
}

var errOnlyLook = errors.New("this pane belongs to a goal that another process runs: here it can only be looked at")

type shownTerminals struct{ app *App }

func (t shownTerminals) Attach(_ context.Context, id string, offset int64) (stream.TerminalViewer, error) {
	s, err := t.app.panes.terminal(id)
	if err != nil {
		return nil, err
	}
	if !shown(s.Info()) && !t.app.panes.isLent(id) {
		return nil, noPane(id)
	}
	v := &onlooker{TerminalViewer: s.Attach(offset), resized: make(chan struct{}, 1), end: make(chan struct{})}
	v.resized <- struct{}{} // it begins with the size that there is
	v.work.Go(v.passOn)
	return v, nil
}

// onlooker sees a terminal and changes nothing of it, its size included.
type onlooker struct {
	stream.TerminalViewer
	resized chan struct{}
	end     chan struct{}
	work    sync.WaitGroup
}

func (v *onlooker) passOn() {
	for {
		select {
		case <-v.end:
			return
		case <-v.TerminalViewer.Resized():
			v.tell()
		}
	}
}

func (v *onlooker) tell() {
	select {
	case v.resized <- struct{}{}:
	default:
	}
}

func (*onlooker) Write([]byte) (int, error) { return 0, errOnlyLook }

// Resize puts the page's size back to what it is.
func (v *onlooker) Resize(int, int) error {
	v.tell()
	return nil
}

func (v *onlooker) Resized() <-chan struct{} { return v.resized }

func (v *onlooker) Close() {
	close(v.end)
	v.work.Wait()
	v.TerminalViewer.Close()
}

type shownBrowsers struct{ app *App }

func (b shownBrowsers) Attach(_ context.Context, id string) (stream.BrowserViewer, error) {
	p, err := b.app.panes.Browser(id)
	if err != nil {
		return nil, err
	}
	if !shown(p.Info()) && !b.app.panes.isLent(id) {
		return nil, noPane(id)
	}
	return spectator{p.Attach()}, nil
}

// spectator sees a page and does nothing there.
type spectator struct{ stream.BrowserViewer }

func (spectator) Input(context.Context, pane.Input) error         { return errOnlyLook }
func (spectator) Resize(context.Context, int, int, float64) error { return nil }
