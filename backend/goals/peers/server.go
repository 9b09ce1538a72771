package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/panes"
	"goalpost/backend/lib/fault"
	"goalpost/backend/panes/stream"
)

type goalStarter interface {
	Start(ctx context.Context, in goal.Request) (goal.ID, error)
}

// Server answers other processes of this user, which connect over the wake socket. They can watch the panes of this
// process's goals, read-only, with the page's protocol. They can also start a goal here that uses one of the user's
// panes.
type Server struct {
	log    *slog.Logger
	panes  *panes.Registry
	goals  goalStarter
	stream *stream.Server
	http   *http.Server
	served chan struct{} // closed when the server accepts no more connections

	come chan net.Conn
	end  chan struct{}
	once sync.Once
}

// OpenServer makes the server.
func OpenServer(
	ctx context.Context,
	log *slog.Logger,
	broker *event.Broker,
	panes *panes.Registry,
	goals goalStarter,
) (*Server, error) {
	v := &Server{
		log:    log,
		panes:  panes,
		goals:  goals,
		served: make(chan struct{}),
		come:   make(chan net.Conn),
		end:    make(chan struct{}),
	}
	var err error
	v.stream, err = stream.Open(ctx, stream.Options{
		Log: log, Events: broker, Terminals: peerTerminals{panes}, Browsers: peerBrowsers{panes}, Detached: true,
	})
	if err != nil {
		return nil, fmt.Errorf("show panes to other processes: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", v.stream.Handler(func(*http.Request) bool { return true })) // the socket admits this user only
	mux.HandleFunc("GET /panes", v.listPanes)
	mux.HandleFunc("GET /shareable", v.shareablePanes)
	mux.HandleFunc("POST /goals", v.startGoal)
	const headerTimeout = 10 * time.Second
	v.http = &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: headerTimeout,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	go func() {
		defer close(v.served)
		if err := v.http.Serve(v); !errors.Is(err, http.ErrServerClosed) {
			log.Warn("showing panes to other processes", "error", err)
		}
	}()
	return v, nil
}

// listPanes answers with the panes of this process's goals.
func (s *Server) listPanes(w http.ResponseWriter, _ *http.Request) {
	list := []pane.Info{}
	for _, info := range s.panes.Snapshot().Panes {
		if isShownToPeers(info) {
			list = append(list, info)
		}
	}
	s.writeJSON(w, list)
}

// isShownToPeers reports whether a pane belongs to a goal of this process. The user's own panes are private.
func isShownToPeers(info pane.Info) bool {
	_, _, remote := panes.SplitPeerID(info.ID)
	return info.GoalID != "" && !remote
}

// HandleConn serves one connection from another process.
func (s *Server) HandleConn(c net.Conn) {
	select {
	case s.come <- c:
	case <-s.end:
		_ = c.Close()
	}
}

// Accept, Close and Addr implement net.Listener for the connections of HandleConn.
func (s *Server) Accept() (net.Conn, error) {
	select {
	case c := <-s.come:
		return c, nil
	case <-s.end:
		return nil, net.ErrClosed
	}
}

func (s *Server) Close() error {
	s.once.Do(func() { close(s.end) })
	return nil
}

func (*Server) Addr() net.Addr { return &net.UnixAddr{Name: "peers", Net: "unix"} }

// Shutdown ends all connections.
func (s *Server) Shutdown(ctx context.Context) error {
	err := errors.Join(s.http.Close(), s.stream.Close(ctx))
	<-s.served
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("show panes to other processes: %w", err)
	}
	return nil
}

type peerTerminals struct{ panes *panes.Registry }

func (p peerTerminals) Attach(_ context.Context, id string, offset int64) (stream.TerminalViewer, error) {
	s, err := p.panes.Terminal(id)
	if err != nil {
		return nil, err
	}
	if !isShownToPeers(s.Info()) && !p.panes.IsShared(id) {
		return nil, panes.NotFoundError(id)
	}
	v := &readOnlyTerminal{TerminalViewer: s.Attach(offset), resized: make(chan struct{}, 1), end: make(chan struct{})}
	v.resized <- struct{}{} // the viewer begins with the terminal's current size
	v.work.Go(v.forwardResize)
	return v, nil
}

// readOnlyTerminal shows a terminal, but refuses input and does not change its size.
type readOnlyTerminal struct {
	stream.TerminalViewer
	resized chan struct{}
	end     chan struct{}
	work    sync.WaitGroup
}

func (r *readOnlyTerminal) forwardResize() {
	for {
		select {
		case <-r.end:
			return
		case <-r.TerminalViewer.Resized():
			r.notify()
		}
	}
}

func (r *readOnlyTerminal) notify() {
	select {
	case r.resized <- struct{}{}:
	default:
	}
}

func (*readOnlyTerminal) Write([]byte) (int, error) { return 0, panes.ErrReadOnly }

// Resize resets the viewer's size to that of the terminal.
func (r *readOnlyTerminal) Resize(int, int, bool) error {
	r.notify()
	return nil
}

func (*readOnlyTerminal) GiveKeyboard() error { return nil }

func (r *readOnlyTerminal) Resized() <-chan struct{} { return r.resized }

func (r *readOnlyTerminal) Close() {
	close(r.end)
	r.work.Wait()
	r.TerminalViewer.Close()
}

type peerBrowsers struct{ panes *panes.Registry }

func (pb peerBrowsers) Attach(_ context.Context, id string) (stream.BrowserViewer, error) {
	p, err := pb.panes.Browser(id)
	if err != nil {
		return nil, err
	}
	if !isShownToPeers(p.State.Info()) && !pb.panes.IsShared(id) {
		return nil, panes.NotFoundError(id)
	}
	return readOnlyBrowser{p.Attach()}, nil
}

// readOnlyBrowser shows a page and ignores input.
type readOnlyBrowser struct{ stream.BrowserViewer }

func (readOnlyBrowser) Input(context.Context, pane.Input) error { return panes.ErrReadOnly }
func (readOnlyBrowser) Resize(int, int, float64, bool)          {}
func (readOnlyBrowser) GiveKeyboard()                           {}

// shareablePanes answers findPaneOwner of another process.
func (s *Server) shareablePanes(w http.ResponseWriter, _ *http.Request) {
	s.writeJSON(w, s.panes.Shareable())
}

// startGoal answers StartInOwnerProcess of another process. It accepts only goals that use panes of this process,
// because others have no reason to start here.
func (s *Server) startGoal(w http.ResponseWriter, r *http.Request) {
	var in goal.Request
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxPeerMessage)).Decode(&in)
	if err == nil && len(in.Panes) == 0 {
		err = errors.New("the goal uses no pane of this process")
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id, err := s.goals.Start(r.Context(), in)
	if err != nil {
		s.writeJSON(w, map[string]*fault.Error{"problem": api.ToProblem(err)})
		return
	}
	s.writeJSON(w, api.StartOutput{GoalID: string(id)})
}

func (s *Server) writeJSON(w http.ResponseWriter, what any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(what); err != nil {
		s.log.Debug("showing panes to other processes", "error", err)
	}
}
