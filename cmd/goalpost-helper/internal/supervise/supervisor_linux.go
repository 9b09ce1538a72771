// Package supervise starts and ends the programs of one owner and reports their ends.
package supervise

import (
	"fmt"
	"os"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/wire"
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

	mu    sync.Mutex
	byID  map[uint64]int // running programs
	byPid map[int]uint64
	// terminated has the pids of programs to which SIGTERM was sent, also after their end: SIGKILL ends what is left of
	// their sessions.
	terminated map[uint64]int
	frozen     freezer
}

// sandbox starts the programs of a goal and changes their mounts. Its methods are called by one goroutine at a time.
type sandbox interface {
	// start runs a program; path is its resolved name, files are its descriptors.
	Start(path string, r wire.Request, files []uintptr) (pid int, wireErr *wire.Error)
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

		terminated: map[uint64]int{},
	}, nil
}

// CatchSignals protects the helper from all signals, because programs can reach the first process of their sandbox.
// Signals are caught, not ignored, so that children start with the default action. Nothing reads the channel; the app
// ends the helper by closing the socket.
func CatchSignals() { signal.Notify(make(chan os.Signal, 1)) }

// RunsPrograms reports whether a started program is still running.
func (s *Supervisor) RunsPrograms() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byID) > 0
}

// answer sends one message.
func (s *Supervisor) answer(a wire.Answer, fds ...int) error { return socket.Send(s.out, a, fds...) }
