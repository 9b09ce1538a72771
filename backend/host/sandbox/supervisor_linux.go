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

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox/cgroup"
	"goalpost/backend/host/sandbox/mounts"
	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/host/sandbox/wire"
	"goalpost/backend/lib/tail"
)

// helloGrace limits how long Open waits for Hello. The helper takes milliseconds, or seconds on a busy machine; the
// limit is for a file that is not the helper.
const helloGrace = time.Minute

// Supervisor runs the programs of one owner as children of one helper. They, and what they start, end
// with Close and whenever this process ends. Its methods may be called concurrently. It
// implements process.Launcher.
type Supervisor struct {
	name      string
	helper    *exec.Cmd
	conn      *net.UnixConn
	stderr    *tail.Writer // of the helper
	sandboxed bool
	spec      spec.Spec // if sandboxed
	ports     int       // number of the machine's ports that appear inside

	scope    *cgroup.Scope // that bounds the programs; nil if the helper measures them
	scopeErr error         // why there is no scope

	network network // of a goal, once ready
	hello   chan wire.Answer
	done    chan struct{}

	kills      sync.WaitGroup   // for starts and freezes that were given up
	freezes    map[*Freeze]bool // in effect; guarded by mu
	violations *violationQueue

	// send keeps a packet together with its descriptors and orders packets before the end of file.
	send sync.Mutex

	mu       sync.Mutex
	next     uint64
	closed   bool
	all      map[uint64]*program
	calls    map[uint64]chan callAnswer
	lostFile string // the file whose mount is gone
	err      error  // why the helper died, once done
}

var _ process.Launcher = (*Supervisor)(nil)

// Open starts a helper and waits until it is ready. ctx applies to the opening only.
func Open(ctx context.Context, o Options) (*Supervisor, error) {
	var wireSpec *wire.Spec
	if o.Spec != nil {
		plan, err := mounts.Build(*o.Spec, o.Helper)
		if err != nil {
			return nil, fmt.Errorf("opening the programs of %s: %w", o.Name, err)
		}
		wireSpec = &plan
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
		name:       o.Name,
		conn:       conn.(*net.UnixConn),
		stderr:     tail.NewWriter(4096),
		hello:      make(chan wire.Answer, 1),
		done:       make(chan struct{}),
		all:        map[uint64]*program{},
		sandboxed:  wireSpec != nil,
		ports:      portsOf(o),
		calls:      map[uint64]chan callAnswer{},
		freezes:    map[*Freeze]bool{},
		violations: newAttempts(o.Attempted),
	}
	if wireSpec != nil {
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
		s.violations.close()
		return nil, fmt.Errorf("starting the helper of %s: %w", o.Name, errors.Join(err, s.conn.Close()))
	}
	if wireSpec != nil {
		s.openScope(ctx, o.Systemd, wireSpec) // before the first request, which lets the helper start others
	}
	go s.receive()
	if wireSpec != nil {
		wireSpec.Listen = withMachinePorts(o.Spec.Ports)
		err = s.sendPacket(wire.Request{Op: wire.Configure, Spec: wireSpec}, nil)
	}
	if err == nil || errors.Is(err, ErrClosed) { // a helper that has ended reported why
		err = s.ready(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("starting the helper of %s: %w", o.Name, err), s.Close(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// portsOf returns the number of the machine's ports that appear inside.
func portsOf(o Options) int {
	if o.Spec == nil {
		return 0
	}
	return len(o.Spec.Ports)
}

// helperArg returns the helper's role.
func (s *Supervisor) helperArg() string {
	if s.sandboxed {
		return "sandbox"
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
	err := errors.New("it did not answer")
	select {
	case answer := <-s.hello:
		err = parseHello(answer)
	case <-s.done:
		select {
		case answer := <-s.hello: // the helper's last message
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
	if killErr := s.helper.Process.Kill(); !errors.Is(killErr, os.ErrProcessDone) {
		err = errors.Join(err, killErr)
	}
	return err
}

// parseHello returns the error of a helper's first message, nil if it is ready.
func parseHello(answer wire.Answer) error {
	switch {
	case answer.Error != nil:
		return withAdvice(answer.Error)
	case answer.Hello == wire.Version:
		return nil
	}
	return fmt.Errorf("it uses version %d of the protocol, and this program version %d", answer.Hello, wire.Version)
}

// Done is closed when the helper and all its programs have ended.
func (s *Supervisor) Done() <-chan struct{} { return s.done }

// Err returns the reason why the helper died, or nil before that and after Close. It is a *ReplacedError if the
// sandbox ended because of a file that it covers.
func (s *Supervisor) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close kills every program and what the programs started, and returns when they have ended. If ctx
// ends first, Close returns its error and the killing continues.
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

// receive reads the helper's answers until the helper ends, and then fails what is pending.
func (s *Supervisor) receive() {
	packet, oob := make([]byte, wire.PacketSize), make([]byte, wire.OOBSize)
	var readErr error
	for {
		n, oobn, _, _, err := s.conn.ReadMsgUnix(packet, oob)
		if errors.Is(err, unix.ECONNRESET) {
			continue // the helper ended with a request unread; its answers follow
		}
		if err != nil || n == 0 {
			break
		}
		fds, err := wire.Descriptors(oob[:oobn])
		if err != nil {
			readErr = err
			break
		}
		var a wire.Answer
		fds, err = wire.Decode(packet[:n], fds, &a)
		if err != nil {
			closeFDs(fds)
			readErr = err
			break
		}
		s.dispatchAnswer(a, fds)
	}
	s.failPending(readErr)
}

func closeFDs(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}

// dispatchAnswer passes an answer and its descriptors to the program or call that waits for it.
func (s *Supervisor) dispatchAnswer(a wire.Answer, fds []int) {
	switch {
	case a.Attempt != nil:
		closeFDs(fds)
		if a.Attempt.Connects {
			s.onConnect(a.Attempt.Port)
			return
		}
		s.violations.add(*a.Attempt)
		return
	case a.Lost != nil:
		closeFDs(fds)
		s.mu.Lock()
		s.lostFile = string(a.Lost)
		s.mu.Unlock()
		return
	case a.ID == 0:
		s.network.adopt(fds)
		select {
		case s.hello <- a:
		default:
		}
		return
	case s.onCallAnswer(a, fds):
		return
	}
	if a.Exit != nil {
		s.reportKills() // before the end that they explain
	}
	defer closeFDs(fds) // programs make copies
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

// failPending ends what is pending after the helper ended: no program runs any more, although some
// have no status yet.
func (s *Supervisor) failPending(failed error) {
	s.closeScope() // the cgroup will soon be gone
	// If the helper only closed its end, this makes it end its programs.
	_ = s.conn.Close()
	err := s.helper.Wait()
	s.mu.Lock()
	if !s.closed {
		why := errors.Join(err, failed)
		if stderr := s.stderr.String(); stderr != "" {
			why = errors.Join(why, errors.New(stderr))
		}
		if why == nil {
			why = errors.New("it reported no reason")
		}
		s.err = fmt.Errorf("the helper of %s ended: %w", s.name, why)
		if s.lostFile != "" {
			s.err = &ReplacedError{Path: s.lostFile}
		}
	}
	s.closed = true
	programs := s.all
	s.all = nil
	s.mu.Unlock()
	for _, p := range programs {
		p.onAnswer(wire.Answer{Exit: &wire.Exit{Code: -1, Signal: int(syscall.SIGKILL)}}, nil)
	}
	s.network.close()
	s.failCalls()
	s.kills.Wait()
	s.violations.close()
	close(s.done)
}
