package supervise

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
	"goalpost/cmd/goalpost-helper/internal/socket"
)

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
	case wire.List:
		return s.answer(wire.Answer{ID: r.ID, Listed: true, Programs: listSession(r.Pid)})
	}
	if s.inside == nil {
		return s.answer(wire.Answer{ID: r.ID, Error: errNoSandbox})
	}
	switch r.Op { //nolint:exhaustive // see above
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

// errNoSandbox refuses a request that needs a sandbox.
var errNoSandbox = &wire.Error{Code: wire.Unsupported, Text: "this helper has no sandbox"}

func (s *Supervisor) signal(id uint64, sig syscall.Signal) *wire.Error {
	pid, ok := s.byID[id]
	switch left, wasTerminated := s.terminated[id]; {
	case ok && sig == syscall.SIGTERM:
		s.terminated[id] = pid
	case !ok && wasTerminated && sig == syscall.SIGKILL:
		delete(s.terminated, id)
		if _, isReused := s.byPid[left]; isReused {
			return nil
		}
		pid = left
	case !ok:
		return &wire.Error{Code: wire.Ended, Text: "the program has ended"}
	}
	// On another thread: inside a sandbox this thread's filter suspends kill until the listener answers, and Go's
	// scheduler does not know that the raw call waits. Without a free processor for the listener, both would wait
	// forever.
	sent := make(chan error)
	go func() { sent <- killGroup(pid, sig) }()
	err := <-sent
	if err != nil && (ok || !errors.Is(err, unix.ESRCH)) {
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
