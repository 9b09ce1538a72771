package main

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
)

// set is the programs of one owner. mu orders a start's answer before its exit
// and keeps a pid from being signalled once it has been reaped.
type set struct {
	null    int
	started chan struct{} // one token: a child may be there to wait for

	mu    sync.Mutex
	byID  map[uint64]int // programs that run
	byPid map[int]uint64
}

func serve() error {
	// Caught, not ignored: a caught signal is default again in children. Nobody
	// reads the channel; the app ends the helper by closing the socket.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
		syscall.SIGPIPE, syscall.SIGALRM, syscall.SIGUSR1, syscall.SIGUSR2)
	unix.CloseOnExec(wire.Socket)
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("becoming subreaper: %w", err)
	}
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening /dev/null: %w", err)
	}
	s := &set{null: null, started: make(chan struct{}, 1), byID: map[uint64]int{}, byPid: map[int]uint64{}}
	if err := s.answer(wire.Answer{Hello: wire.Version}); err != nil {
		return err
	}
	go s.reap()
	err = s.read()
	s.end()
	return err
}

// read takes requests until the app closes the socket.
func (s *set) read() error {
	packet, oob := make([]byte, wire.PacketSize), make([]byte, wire.OOBSize)
	for {
		n, oobn, _, _, err := unix.Recvmsg(wire.Socket, packet, oob, unix.MSG_CMSG_CLOEXEC)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECONNRESET), err == nil && n == 0:
			return nil
		case err != nil:
			return fmt.Errorf("reading requests: %w", err)
		}
		fds, err := wire.Descriptors(oob[:oobn])
		if err != nil {
			return fmt.Errorf("reading requests: %w", err)
		}
		var r wire.Request
		fds, err = wire.Decode(packet[:n], fds, &r)
		if err == nil {
			err = s.handle(r, fds)
		}
		for _, fd := range fds {
			_ = unix.Close(fd) // the program has its own copies
		}
		if err != nil {
			return err
		}
	}
}

// handle does one request. Its error is the end of the helper; what is wrong
// with the request itself is answered.
func (s *set) handle(r wire.Request, fds []int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch r.Op {
	case wire.Start:
		pid, err := s.fork(r, fds)
		if err != nil {
			return s.answer(wire.Answer{ID: r.ID, Error: err})
		}
		s.byID[r.ID], s.byPid[pid] = pid, r.ID
		select {
		case s.started <- struct{}{}:
		default:
		}
		return s.answer(wire.Answer{ID: r.ID, Pid: pid})
	case wire.Signal:
		if err := s.signal(r.ID, syscall.Signal(r.Signal)); err != nil {
			return s.answer(wire.Answer{ID: r.ID, Error: err})
		}
		return nil
	}
	return s.answer(wire.Answer{ID: r.ID, Error: &wire.Error{Code: wire.Unsupported, Text: fmt.Sprintf("unknown request %q", r.Op)}})
}

func (s *set) signal(id uint64, sig syscall.Signal) *wire.Error {
	pid, ok := s.byID[id]
	if !ok {
		return &wire.Error{Code: wire.Ended, Text: "the program has ended"}
	}
	if sig == syscall.SIGKILL {
		killSession(pid)
	}
	if err := unix.Kill(-pid, sig); err != nil {
		return &wire.Error{Code: wire.Failed, Text: fmt.Sprintf("sending signal %d: %v", sig, err)}
	}
	return nil
}

// answer sends one packet; answers are small.
func (s *set) answer(a wire.Answer) error {
	packet, file, err := wire.Encode(a)
	if err != nil {
		return fmt.Errorf("answering: %w", err)
	}
	if file != nil {
		return errors.Join(errors.New("answering: an answer exceeds a packet"), file.Close())
	}
	for {
		err := unix.Sendto(wire.Socket, packet, unix.MSG_NOSIGNAL, nil)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EPIPE), errors.Is(err, unix.ECONNRESET):
			return nil // the app is gone; read sees it too and ends the set
		default:
			return fmt.Errorf("answering: %w", err)
		}
	}
}
