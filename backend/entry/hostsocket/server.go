package hostsocket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Methods runs the methods of the page's interface.
type Methods interface {
	Call(ctx context.Context, name string, args []json.RawMessage) (any, error)
}

// Options describe what the host offers to the programs that connect to it.
type Options struct {
	Version string
	Log     *slog.Logger
	// Methods makes the methods for calls of a program with this environment, nil for that of the host.
	Methods func(env []string) (Methods, error)
	Streams http.Handler // of /v1/
	Page    fs.FS        // the page of this version, nil if there is none
	// Run runs a command for another program, and returns its exit code.
	Run   func(context.Context, *Caller) int
	Owned func() Owned
	// Keep notes which goals run, for the host that starts next to continue them.
	Keep func(context.Context) error
	// RegisterPort and UnregisterPort say on which ports attached programs listen.
	RegisterPort, UnregisterPort func(port int)
	// Idle returns how long the host stays without a program that is connected and without anything that it owns.
	Idle func() time.Duration
}

// NoIdleEnd is the idle time of a host that stays until it is stopped.
const NoIdleEnd = time.Duration(math.MaxInt64)

// Server answers the programs that connect to the host. All methods may be called concurrently.
type Server struct {
	o     Options
	began time.Time
	ctx   context.Context // of calls; they end with the server, not with the program that made them
	stop  context.CancelFunc
	again atomic.Bool // the programs start another host
	http  *http.Server
	own   Methods // for programs that have not said their environment

	mu      sync.Mutex
	open    map[net.Conn]bool
	methods map[string]Methods // of attached programs, by their programHeader
	left    time.Time          // when the last program disconnected
	leave   chan struct{}      // receives that one has: it may have changed the idle time
	window  *windowSlot        // nil if no window is open
}

// windowSlot is the program that shows the window.
type windowSlot struct {
	pid   int
	front chan string // goals to show there
}

// bringToFront asks the window to show a goal; "" is none.
func (w *windowSlot) bringToFront(goalID string) {
	select {
	case w.front <- goalID:
	default: // it does not read; it has enough requests
	}
}

// shutdownTimeout bounds how long calls may take to end with the host.
const shutdownTimeout = 2 * time.Second

// maxCall bounds the request of one call, in bytes.
const maxCall = 8 << 20

// pagePath is where the host serves its page.
const pagePath = "/page/"

// NewServer makes a server. Its error is that of Options.Methods.
func NewServer(o Options) (*Server, error) {
	own, err := o.Methods(nil)
	if err != nil {
		return nil, err
	}
	s := &Server{
		o: o, own: own, began: time.Now(), left: time.Now(), open: map[net.Conn]bool{}, methods: map[string]Methods{},
		leave: make(chan struct{}, 1),
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("POST /stop", s.end)
	mux.Handle("POST /call", s.sameVersion(http.HandlerFunc(s.call)))
	mux.Handle("POST /run", s.sameVersion(http.HandlerFunc(s.command)))
	mux.Handle("POST /attach", s.sameVersion(http.HandlerFunc(s.attach)))
	mux.Handle("/v1/", s.sameVersion(o.Streams))
	if o.Page != nil {
		mux.Handle("GET "+pagePath, s.sameVersion(http.StripPrefix("/page", http.FileServerFS(o.Page))))
	}
	const headerTimeout = 10 * time.Second
	s.http = &http.Server{
		Handler: mux, ReadHeaderTimeout: headerTimeout, ConnState: s.count,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn),
	}
	return s, nil
}

// Run serves until ctx ends, a program asks it to stop, or nobody has used it for the idle time. Then it disconnects
// all programs. It does not wait for calls: closing what they use ends them.
func (s *Server) Run(ctx context.Context, p *Place) error {
	endWatch, err := s.endIfRemoved(p.state)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(sameUser{p.listener, s.o.Log}) }()
	p.Ready()
	s.wait(ctx)
	s.stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil { // a call does not end
		_ = s.http.Close() // it closes connections only
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return errors.Join(fmt.Errorf("the host socket: %w", err), endWatch())
	}
	return endWatch()
}

// wait returns when the host is to end.
func (s *Server) wait(ctx context.Context) {
	timer := time.NewTimer(s.o.Idle())
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.ctx.Done():
			return
		case <-s.leave:
		case <-timer.C:
		}
		rest := s.idleRest()
		if rest <= 0 {
			s.o.Log.Info("the host process ends: nothing is left to own, and no program is connected")
			return
		}
		timer.Reset(rest)
	}
}

// idleRest returns how long the host stays if nothing happens; 0 means that it ends.
func (s *Server) idleRest() time.Duration {
	s.mu.Lock()
	isUsed, left := len(s.open) > 0, s.left
	s.mu.Unlock()
	idle := s.o.Idle()
	if isUsed || !s.o.Owned().IsEmpty() {
		return idle
	}
	return max(0, idle-time.Since(left))
}

// count counts the connections of programs.
func (s *Server) count(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.open[c] = true
	case http.StateClosed, http.StateHijacked: // a stream belongs to an attached program
		delete(s.open, c)
		s.left = time.Now()
		select {
		case s.leave <- struct{}{}:
		default: // it is about to look
		}
	case http.StateActive, http.StateIdle:
	}
}

func (s *Server) status(w http.ResponseWriter, _ *http.Request) {
	s.writeJSON(w, http.StatusOK, s.describe())
}

func (s *Server) describe() Status {
	return Status{
		PID: os.Getpid(), Version: s.o.Version, Protocol: protocol, Began: s.began, HasPage: s.o.Page != nil,
		Owned: s.o.Owned(),
	}
}

// end ends the host. The request is empty, or says that another host starts.
func (s *Server) end(w http.ResponseWriter, r *http.Request) {
	var q stopRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCall)).Decode(&q); err == nil && q.Again {
		if err := s.o.Keep(r.Context()); err != nil {
			s.writeJSON(w, http.StatusInternalServerError, fault.Of(err))
			return
		}
		s.again.Store(true)
	}
	s.stop()
}

// sameVersion refuses a program of another version, whose methods may differ.
func (s *Server) sameVersion(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if theirs := r.Header.Get(versionHeader); theirs != s.o.Version {
			s.writeJSON(w, http.StatusConflict, fault.Of(&OtherVersionError{s.describe(), theirs}))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	var q request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxCall)).Decode(&q); err != nil {
		s.writeJSON(w, http.StatusBadRequest, fault.New(fault.Refused, "the call cannot be read: "+err.Error(),
			fmt.Sprintf("send one JSON object of at most %d bytes", maxCall)))
		return
	}
	result, err := s.methodsOf(r).Call(s.ctx, q.Method, q.Args) //nolint:contextcheck // it is never left half done
	var a answer
	if err == nil {
		a.Result, err = json.Marshal(result)
	}
	if err != nil {
		a = answer{Problem: fault.Of(err)}
	}
	s.writeJSON(w, http.StatusOK, a)
}

// methodsOf returns the methods for a call: those of its program while that is attached.
func (s *Server) methodsOf(r *http.Request) Methods {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.methods[r.Header.Get(programHeader)]; m != nil {
		return m
	}
	return s.own
}

// takeEnvironment makes calls of a program use its environment, until leave is called.
func (s *Server) takeEnvironment(program string, env []string) (leave func(), err error) {
	if env == nil {
		return func() {}, nil
	}
	m, err := s.o.Methods(env)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.methods[program] = m
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.methods, program)
	}, nil
}

// attach keeps a connection until the program or the host ends. It writes a line with a goal, which may be empty, to
// bring the window to the front.
func (s *Server) attach(w http.ResponseWriter, r *http.Request) {
	var q attachRequest
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCall)) // to its end, so that the program's end is noticed
	if err == nil {
		err = json.Unmarshal(body, &q)
	}
	if err != nil {
		s.writeJSON(w, http.StatusBadRequest, fault.New(fault.Refused, "the request cannot be read: "+err.Error(),
			"start the program again"))
		return
	}
	slot := &windowSlot{q.PID, make(chan string, 8)}
	if q.Window {
		if other := s.takeWindow(slot, q.GoalID); other != nil {
			s.writeJSON(w, http.StatusSeeOther, WindowError{other.pid})
			return
		}
		defer s.leaveWindow()
	}
	leave, err := s.takeEnvironment(r.Header.Get(programHeader), q.Env)
	if err != nil {
		s.writeJSON(w, http.StatusInternalServerError, fault.Of(err))
		return
	}
	defer leave()
	if q.Port != 0 {
		s.o.RegisterPort(q.Port)
		defer s.o.UnregisterPort(q.Port)
	}
	s.report(w, r, slot)
}

// report writes to an attached program until one of the two ends.
func (s *Server) report(w http.ResponseWriter, r *http.Request, slot *windowSlot) {
	out := http.NewResponseController(w)
	if out.Flush() != nil {
		return
	}
	for {
		select {
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			if !s.again.Load() {
				_, _ = io.WriteString(w, stoppedLine+"\n") // the program may have ended
			}
			return
		case goalID := <-slot.front:
			if _, err := io.WriteString(w, frontLine+goalID+"\n"); err != nil || out.Flush() != nil {
				return
			}
		}
	}
}

// takeWindow makes a program the one with the window. If there is one, it brings that to the front and returns it.
func (s *Server) takeWindow(slot *windowSlot, goalID string) (other *windowSlot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.window == nil {
		s.window = slot
		return nil
	}
	s.window.bringToFront(goalID)
	return s.window
}

// HasWindow reports whether a window shows what the host owns.
func (s *Server) HasWindow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.window != nil
}

// ShowGoal brings the window to the front and shows a goal in it. It reports whether there is a window.
func (s *Server) ShowGoal(goalID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.window == nil {
		return false
	}
	s.window.bringToFront(goalID)
	return true
}

func (s *Server) leaveWindow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window = nil
}

func (s *Server) writeJSON(w http.ResponseWriter, status int, what any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(what); err != nil {
		s.o.Log.Debug("answering a program", "error", err)
	}
}

// sameUser is a listener that refuses the programs of other users. The modes of the folder and of the socket already
// keep them out.
type sameUser struct {
	net.Listener
	log *slog.Logger
}

func (l sameUser) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || store.IsSameUser(c) {
			return c, err //nolint:wrapcheck // http.Server reports it
		}
		l.log.Warn("host socket: refused a connection of another user")
		_ = c.Close()
	}
}
