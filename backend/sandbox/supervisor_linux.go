package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"goalpost/backend/process"
	"goalpost/backend/sandbox/mounts"
	"goalpost/backend/sandbox/spec"
	"goalpost/backend/sandbox/wire"
	"goalpost/backend/tail"
)

// helloGrace is how long the helper may take to say hello. It takes
// milliseconds, and on a busy machine seconds; the bound is for a file that is not
// the helper.
const helloGrace = time.Minute

// Supervisor is one owner's programs, all children of one helper, and what they start
// in turn. It ends with Close, and with this process however that ends. All
// methods may be called concurrently. It implements process.Launcher.
type Supervisor struct {
	name      string
	helper    *exec.Cmd
	conn      *net.UnixConn
	stderr    *tail.Writer // of the helper
	sandboxed bool
	spec      spec.Spec // where walled
	ports     int       // of the machine that appear inside
	own       network   // of a goal, once ready
	hello     chan wire.Answer
	done      chan struct{}

	kills sync.WaitGroup // of programs whose start was given up
	tried *violationQueue

	// send keeps packets whole (the memfd of one with its descriptors) and
	// orders them before the end of file.
	send sync.Mutex

	mu      sync.Mutex
	next    uint64
	closed  bool
	all     map[uint64]*program
	dials   map[uint64]chan dialResult
	changes map[uint64]chan mountChangeResult // of the walls
	lost    string                            // the file whose mount is gone
	err     error                             // why the helper died, once done
}

var _ process.Launcher = (*Supervisor)(nil)

// Open starts a helper and waits until it is ready. ctx bounds the opening only;
// the set lives until Close.
func Open(ctx context.Context, o Options) (*Supervisor, error) {
	var walls *wire.Spec
	if o.Spec != nil {
		planned, err := mounts.Build(*o.Spec, o.Helper)
		if err != nil {
			return nil, fmt.Errorf("opening the programs of %s: %w", o.Name, err)
		}
		walls = &planned
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("opening the programs of %s: %w", o.Name, err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "helper"), os.NewFile(uintptr(fds[1]), "set")
	conn, err := net.FileConn(ours)
	if err := errors.Join(err, ours.Close()); err != nil {
		return nil, fmt.Errorf("opening the programs of %s: %w", o.Name, errors.Join(err, theirs.Close()))
	}
	s := &Supervisor{
		name:      o.Name,
		conn:      conn.(*net.UnixConn),
		stderr:    tail.NewWriter(4096),
		hello:     make(chan wire.Answer, 1),
		done:      make(chan struct{}),
		all:       map[uint64]*program{},
		sandboxed: walls != nil,
		ports:     portsOf(o),
		dials:     map[uint64]chan dialResult{},
		changes:   map[uint64]chan mountChangeResult{},
		tried:     newAttempts(o.Attempted),
	}
	if walls != nil {
		s.spec = *o.Spec
	}
	// Not CommandContext: ctx bounds the opening, not the helper's life.
	s.helper = exec.Command(o.Helper, s.helperArg()) //nolint:noctx // see above
	s.helper.Env = []string{}
	s.helper.Stderr = s.stderr
	s.helper.ExtraFiles = []*os.File{theirs}
	s.helper.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // out of reach of the app's terminal
	err = makeBlocking(theirs)
	if err == nil {
		err = s.helper.Start()
	}
	if err := errors.Join(err, theirs.Close()); err != nil {
		s.tried.close()
		return nil, fmt.Errorf("starting the helper of %s: %w", o.Name, errors.Join(err, s.conn.Close()))
	}
	go s.receive()
	if walls != nil {
		walls.Listen = withMachinePorts(o.Spec.Ports)
		err = s.sendPacket(wire.Request{Op: wire.Configure, Spec: walls}, nil)
	}
	if err == nil || errors.Is(err, ErrClosed) { // a helper that is gone has said why
		err = s.ready(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the helper of %s: %w", o.Name, err), s.Close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// portsOf is how many ports of the machine appear inside.
func portsOf(o Options) int {
	if o.Spec == nil {
		return 0
	}
	return len(o.Spec.Ports)
}

// helperArg is the helper's argument.
func (s *Supervisor) helperArg() string {
	if s.sandboxed {
		return "room"
	}
	return "set"
}

// makeBlocking undoes SOCK_NONBLOCK on the helper's end: it has no poller.
func makeBlocking(f *os.File) error {
	raw, err := f.SyscallConn()
	if err != nil {
		return fmt.Errorf("preparing the helper's socket: %w", err)
	}
	var set error
	err = raw.Control(func(fd uintptr) { set = unix.SetNonblock(int(fd), false) })
	if err := errors.Join(err, set); err != nil {
		return fmt.Errorf("preparing the helper's socket: %w", err)
	}
	return nil
}

func (s *Supervisor) ready(ctx context.Context) error {
	grace := time.NewTimer(helloGrace)
	defer grace.Stop()
	err := errors.New("it says nothing")
	select {
	case answer := <-s.hello:
		err = parseHello(answer)
	case <-s.done:
		select {
		case answer := <-s.hello: // its last word
			if err := parseHello(answer); err != nil {
				return err
			}
		default:
		}
		return s.Err()
	case <-ctx.Done():
		err = ctx.Err()
	case <-grace.C:
	}
	if err == nil {
		return nil
	}
	if killed := s.helper.Process.Kill(); !errors.Is(killed, os.ErrProcessDone) {
		err = errors.Join(err, killed)
	}
	return err
}

// parseHello is what a helper's first word means.
func parseHello(answer wire.Answer) error {
	switch {
	case answer.Error != nil:
		return withAdvice(answer.Error)
	case answer.Hello == wire.Version:
		return nil
	}
	return fmt.Errorf("it speaks version %d of the protocol and this program %d", answer.Hello, wire.Version)
}

// Done is closed when the helper has ended and with it everything it held.
func (s *Supervisor) Done() <-chan struct{} { return s.done }

// Err says why the helper died; nil before that and after Close.
func (s *Supervisor) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close kills every program of the set, and whatever those left behind, and
// returns when they are gone. When ctx ends first the killing continues and the
// error says so.
func (s *Supervisor) Close(ctx context.Context) error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if first {
		s.send.Lock()
		err := s.conn.CloseWrite()
		s.send.Unlock()
		if err != nil && !errors.Is(err, syscall.ENOTCONN) && !errors.Is(err, net.ErrClosed) {
			return fmt.Errorf("ending the programs of %s: %w", s.name, err)
		}
	}
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("ending the programs of %s takes longer: %w", s.name, ctx.Err())
	}
}

// receive takes the helper's answers until it has ended, then settles.
func (s *Supervisor) receive() {
	packet, oob := make([]byte, wire.PacketSize), make([]byte, wire.OOBSize)
	var failed error
	for {
		n, oobn, _, _, err := s.conn.ReadMsgUnix(packet, oob)
		if errors.Is(err, unix.ECONNRESET) {
			continue // it ended with a request unread: said once, and before what it had answered
		}
		if err != nil || n == 0 {
			break
		}
		fds, err := wire.Descriptors(oob[:oobn])
		if err != nil {
			failed = err
			break
		}
		var a wire.Answer
		fds, err = wire.Decode(packet[:n], fds, &a)
		if err != nil {
			closeFDs(fds)
			failed = err
			break
		}
		s.dispatchAnswer(a, fds)
	}
	s.failPending(failed)
}

func closeFDs(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}

// dispatchAnswer hands an answer, and the descriptors that came with it, to whom it concerns.
func (s *Supervisor) dispatchAnswer(a wire.Answer, fds []int) {
	switch {
	case a.Attempt != nil:
		closeFDs(fds)
		s.tried.add(*a.Attempt)
		return
	case a.Lost != nil:
		closeFDs(fds)
		s.mu.Lock()
		s.lost = string(a.Lost)
		s.mu.Unlock()
		return
	case a.ID == 0:
		s.own.adopt(fds)
		select {
		case s.hello <- a:
		default:
		}
		return
	case s.onDialAnswer(a, fds), s.onMountChangeAnswer(a, fds):
		return
	}
	defer closeFDs(fds) // what a program takes is a copy
	s.mu.Lock()
	p := s.all[a.ID]
	if p != nil && (a.Exit != nil || a.Error != nil && !p.isStarted()) {
		delete(s.all, a.ID)
	}
	s.mu.Unlock()
	if p != nil {
		p.onAnswer(a, fds)
	}
}

// failPending ends the accounts of a helper that is gone: no status was reported for
// what still counts as running, and nothing runs any more.
func (s *Supervisor) failPending(failed error) {
	// A helper that shut only its socket would keep its programs.
	_ = s.conn.Close()
	err := s.helper.Wait()
	s.mu.Lock()
	if !s.closed {
		why := errors.Join(err, failed)
		if said := s.stderr.String(); said != "" {
			why = errors.Join(why, errors.New(said))
		}
		if why == nil {
			why = errors.New("it does not say why")
		}
		s.err = fmt.Errorf("the helper of %s ended: %w", s.name, why)
		if s.lost != "" {
			s.err = &ReplacedError{Path: s.lost}
		}
	}
	s.closed = true
	left := s.all
	s.all = nil
	s.mu.Unlock()
	for _, p := range left {
		p.onAnswer(wire.Answer{Exit: &wire.Exit{Code: -1, Signal: int(syscall.SIGKILL)}}, nil)
	}
	s.own.close()
	s.failDials()
	s.kills.Wait()
	s.tried.close()
	close(s.done)
}
