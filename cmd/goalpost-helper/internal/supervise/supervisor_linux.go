// Package supervise starts and ends the programs of one owner and reports their ends.
package supervise

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

// Supervisor manages the programs of one owner. mu orders the answer to a start before its exit and prevents signals
// to a pid that was reaped.
type Supervisor struct {
	in, out int // sockets of requests and answers
	null    int
	inside  sandbox                         // nil without one
	onExit  func(id uint64, exit wire.Exit) // called before the exit is reported; mu is held
	started chan struct{}                   // one token: there may be a child to wait for

	mu     sync.Mutex
	byID   map[uint64]int // running programs
	byPid  map[int]uint64
	frozen freezer
}

// sandbox starts the programs of a goal and changes their mounts. Its methods are called by one goroutine at a time.
type sandbox interface {
	// start runs a program; path is its resolved name, files are its descriptors.
	Start(path string, r wire.Request, files []uintptr) (pid int, refused *wire.Error)
	// grant attaches trees that the goal's init opened, one for each mount of the request.
	Grant(r wire.Request, trees []int) *wire.Error
	Revoke(id uint64) error
	// Seal makes a folder read-only until Unseal.
	Seal(dir string) error
	Unseal() error
}

// New returns a supervisor that reads requests from one socket and answers on another. inside is nil without a
// sandbox.
func New(in, out int, inside sandbox, onExit func(id uint64, exit wire.Exit)) (*Supervisor, error) {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("opening /dev/null: %w", err)
	}
	return &Supervisor{
		in:      in,
		out:     out,
		null:    null,
		inside:  inside,
		onExit:  onExit,
		started: make(chan struct{}, 1),
		byID:    map[uint64]int{},
		byPid:   map[int]uint64{},
	}, nil
}

// CatchSignals protects the helper from all signals, because programs can reach the first process of their sandbox.
// Signals are caught, not ignored, so that children start with the default action. Nothing reads the channel; the app
// ends the helper by closing the socket.
func CatchSignals() { signal.Notify(make(chan os.Signal, 1)) }

func Serve() error {
	CatchSignals()
	unix.CloseOnExec(wire.Socket)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming subreaper: %w", err)
	}
	s, err := New(wire.Socket, wire.Socket, nil, func(uint64, wire.Exit) {})
	if err != nil {
		return err
	}
	if err := s.answer(wire.Answer{Hello: wire.Version}); err != nil {
		return err
	}
	go s.Reap()
	err = s.Read()
	s.killAll()
	return err
}

// Read handles requests until the app closes the socket.
func (s *Supervisor) Read() error {
	for {
		r, fds, err := socket.Receive(s.in)
		if err == nil {
			err = s.Handle(r, fds)
		}
		socket.CloseAll(fds) // the program has its own copies
		if errors.Is(err, socket.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Handle handles one request. A returned error ends the helper; errors of the request itself are sent as the answer.
func (s *Supervisor) Handle(r wire.Request, fds []int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handleLocked(r, fds)
}

func (s *Supervisor) handleLocked(r wire.Request, fds []int) error {
	if s.frozen.mustWait(r) {
		return s.frozen.enqueue(r, fds)
	}
	switch r.Op { //nolint:exhaustive // the goal's init takes the others
	case wire.Start:
		pid, master, err := s.startProgram(r, fds)
		if err != nil {
			return s.answer(wire.Answer{ID: r.ID, Error: err})
		}
		s.byID[r.ID], s.byPid[pid] = pid, r.ID
		select {
		case s.started <- struct{}{}:
		default:
		}
		if master >= 0 {
			defer func() { _ = unix.Close(master) }()
			return s.answer(wire.Answer{ID: r.ID, Pid: pid}, master)
		}
		return s.answer(wire.Answer{ID: r.ID, Pid: pid})
	case wire.Signal:
		if err := s.signal(r.ID, syscall.Signal(r.Signal)); err != nil {
			return s.answer(wire.Answer{ID: r.ID, Error: err})
		}
		return nil
	case wire.Grant, wire.Revoke:
		return s.changeMounts(r, fds)
	case wire.Seal, wire.Unseal:
		return s.seal(r)
	case wire.Freeze, wire.Thaw:
		return s.changeFreeze(r)
	}
	return s.answer(wire.Answer{
		ID:    r.ID,
		Error: &wire.Error{Code: wire.Unsupported, Text: fmt.Sprintf("unknown request %q", r.Op)},
	})
}

// RunsPrograms reports whether a started program is still running.
func (s *Supervisor) RunsPrograms() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byID) > 0
}

func (s *Supervisor) signal(id uint64, sig syscall.Signal) *wire.Error {
	pid, ok := s.byID[id]
	if !ok {
		return &wire.Error{Code: wire.Ended, Text: "the program has ended"}
	}
	// On another thread: inside a sandbox this thread's filter suspends kill until the listener answers, and Go's
	// scheduler does not know that the raw call waits. Without a free processor for the listener, both would wait
	// forever.
	sent := make(chan error)
	go func() { sent <- killGroup(pid, sig) }()
	err := <-sent
	if err != nil {
		return &wire.Error{Code: wire.Failed, Text: fmt.Sprintf("sending signal %d: %v", sig, err)}
	}
	return nil
}

// killGroup signals a program's process group first and then the rest of its session: otherwise a shell that outlives
// its job would print a message about it.
func killGroup(pid int, sig syscall.Signal) error {
	err := unix.Kill(-pid, sig)
	if sig == syscall.SIGKILL {
		killSession(pid)
	}
	return err //nolint:wrapcheck // signal does
}

// answer sends one message.
func (s *Supervisor) answer(a wire.Answer, fds ...int) error { return socket.Send(s.out, a, fds...) }
