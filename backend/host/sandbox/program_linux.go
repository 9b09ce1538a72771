package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox/wire"
)

// Start starts a program in a session of its own. ctx applies to the start only; if it is cancelled
// before the helper answers, the program is killed as soon as it runs. A command of a check that asks for a trace
// gets a process.TracedProcess; if nothing can be observed (another supervisor above listens to system calls), its
// trace's Incomplete is the reason. The files become blocking, as with os/exec.
// Errors are *StartError (what the user can change), ErrClosed, or
// ctx's own.
func (s *Supervisor) Start(ctx context.Context, c process.Command) (process.Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", programName(c), err)
	}
	if c.FreezeAgent {
		return s.startWhileFrozen(ctx, c)
	}
	p, err := s.start(ctx, c, nil)
	if err != nil {
		return nil, err
	}
	if s.isTraced(c) {
		return tracedProgram{p}, nil
	}
	return p, nil
}

func (s *Supervisor) start(ctx context.Context, c process.Command, size *wire.Size) (*program, error) {
	if len(c.Held) > 0 && (!s.sandboxed || c.Domain != process.DomainCheck) {
		return nil, &StartError{
			Code:    string(wire.Unsupported),
			Program: programName(c),
			text:    "only a check inside a sandbox can hold files",
		}
	}
	p, err := s.register()
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", programName(c), err)
	}
	request, files := startRequest(c)
	request.ID, request.Size = p.id, size
	if s.sandboxed {
		request.Domain = wire.DomainAgent
		if c.Domain == process.DomainCheck {
			request.Domain = wire.DomainCheck
		}
	}
	if size == nil && s.isTraced(c) {
		request.Trace = &wire.TraceRequest{Dir: []byte(s.spec.Dir)}
	}
	if err := s.sendPacket(request, files); err != nil {
		s.unregister(p)
		var wireErr *wire.Error
		if errors.As(err, &wireErr) {
			return nil, &StartError{Code: string(wireErr.Code), Program: programName(c), text: wireErr.Text}
		}
		return nil, fmt.Errorf("starting %s: %w", programName(c), err)
	}
	select {
	case <-p.answer:
	case <-ctx.Done():
		p.killWhenStarted()
		return nil, fmt.Errorf("starting %s: %w", programName(c), ctx.Err())
	}
	if p.failed != nil {
		return nil, &StartError{Code: string(p.failed.Code), Program: programName(c), text: p.failed.Text}
	}
	if p.pid == 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		return nil, fmt.Errorf("starting %s: %w", programName(c), errors.Join(ErrClosed, s.err))
	}
	return p, nil
}

func programName(c process.Command) string {
	if len(c.Argv) == 0 {
		return "a program"
	}
	return c.Argv[0]
}

func startRequest(c process.Command) (wire.Request, []*os.File) {
	r := wire.Request{Op: wire.Start, Argv: toByteSlices(c.Argv), Env: toByteSlices(c.Env), Dir: []byte(c.Dir), TTY: c.TTY}
	for _, h := range c.Held {
		r.Held = append(r.Held, wire.FileOverride{Path: []byte(h.Path), Copy: []byte(h.Copy)})
	}
	var files []*os.File
	for _, f := range c.Files {
		if f == nil {
			r.Files = append(r.Files, -1)
			continue
		}
		r.Files = append(r.Files, len(files))
		files = append(files, f)
	}
	return r, files
}

func toByteSlices(words []string) [][]byte {
	out := make([][]byte, len(words))
	for i, w := range words {
		out[i] = []byte(w)
	}
	return out
}

// register gives a program its ID before the request is sent.
func (s *Supervisor) register() (*program, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.Join(ErrClosed, s.err)
	}
	s.next++
	p := &program{set: s, id: s.next, answer: make(chan struct{}), done: make(chan struct{})}
	s.all[p.id] = p
	return p, nil
}

func (s *Supervisor) unregister(p *program) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, p.id)
}

// sendPacket sends one request. Once it is sent, the kernel has its own references to the files.
func (s *Supervisor) sendPacket(r wire.Request, files []*os.File) error {
	if len(files) > wire.MaxFiles {
		return fmt.Errorf("%d files exceed the limit of %d", len(files), wire.MaxFiles)
	}
	packet, memfd, err := wire.Encode(r)
	if err != nil {
		return fmt.Errorf("asking the helper: %w", err)
	}
	if memfd != nil {
		files = append([]*os.File{memfd}, files...)
	}
	err = s.write(packet, files, nil)
	if memfd != nil {
		err = errors.Join(err, memfd.Close())
	}
	if errors.Is(err, unix.EPIPE) || errors.Is(err, unix.ECONNRESET) || errors.Is(err, net.ErrClosed) {
		return ErrClosed
	}
	return err
}

// write nests the SyscallConn.Control of every file, so that no descriptor is closed and reused before
// the packet is sent. File.Fd would also make the caller's file blocking.
func (s *Supervisor) write(packet []byte, files []*os.File, fds []int) error {
	if len(files) == 0 {
		s.send.Lock()
		defer s.send.Unlock()
		var rights []byte
		if len(fds) > 0 {
			rights = unix.UnixRights(fds...)
		}
		if _, _, err := s.conn.WriteMsgUnix(packet, rights, nil); err != nil {
			return fmt.Errorf("asking the helper: %w", err)
		}
		return nil
	}
	conn, err := files[0].SyscallConn()
	if err != nil {
		return fmt.Errorf("passing %s: %w", files[0].Name(), err)
	}
	var sendErr error
	err = conn.Control(func(fd uintptr) {
		// Go opens pipes and terminals non-blocking; programs do not expect it.
		if sendErr = unix.SetNonblock(int(fd), false); sendErr == nil {
			sendErr = s.write(packet, files[1:], append(fds, int(fd)))
		}
	})
	if err != nil {
		return fmt.Errorf("passing %s: %w", files[0].Name(), err)
	}
	return sendErr
}

// program is a started program. pid and failed are final once answer is closed, status once done
// is closed.
type program struct {
	set    *Supervisor
	id     uint64
	answer chan struct{}
	done   chan struct{}

	terminated atomic.Bool // SIGTERM was sent, so SIGKILL concerns what is left of its session

	mu        sync.Mutex
	started   bool
	abandoned bool
	pid       int
	master    *os.File // of a program with a terminal of its own
	failed    *wire.Error
	status    process.Status
	trace     traceCollector // of a program whose command asked for it
}

var _ process.Process = (*program)(nil)

func (p *program) Pid() int { return p.pid }

func (p *program) Done() <-chan struct{} { return p.done }

func (p *program) Status() process.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// ListLeft returns the command lines of the programs that run in the session of p, also after p has ended.
func (p *program) ListLeft(ctx context.Context) ([]string, error) {
	_, a := p.set.ask(ctx, wire.Request{Op: wire.List, Pid: p.pid})
	if a.err != nil {
		return nil, fmt.Errorf("listing the programs: %w", a.err)
	}
	lines := make([]string, len(a.programs))
	for i, line := range a.programs {
		lines[i] = string(line)
	}
	return lines, nil
}

// Signal goes to the program's process group; SIGKILL also to the other groups
// of its session, which are the jobs of an interactive shell.
func (p *program) Signal(sig syscall.Signal) error {
	select {
	case <-p.done:
		if sig != syscall.SIGKILL || !p.terminated.Load() {
			return os.ErrProcessDone
		}
	default:
	}
	if sig == syscall.SIGTERM {
		p.terminated.Store(true)
	}
	err := p.set.sendPacket(wire.Request{ID: p.id, Op: wire.Signal, Signal: int(sig)}, nil)
	if errors.Is(err, ErrClosed) {
		return os.ErrProcessDone // the helper has ended, and its programs with it
	}
	return err
}

func (p *program) isStarted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.started
}

// killWhenStarted kills a program whose start was given up.
func (p *program) killWhenStarted() {
	p.mu.Lock()
	p.abandoned = true
	kill := p.started
	p.closeTerminal()
	p.mu.Unlock()
	if kill {
		_ = p.Signal(syscall.SIGKILL) // it or the whole supervisor has ended
	}
}

// closeTerminal closes a terminal that no caller receives. mu is held.
func (p *program) closeTerminal() {
	if p.master != nil {
		_ = p.master.Close()
		p.master = nil
	}
}

// onAnswer is called only by Supervisor.receive.
func (p *program) onAnswer(a wire.Answer, fds []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case a.Trace != nil: // the first batch may come before the pid
		p.trace.add(*a.Trace)
	case a.Exit != nil:
		p.status = process.Status{Code: a.Exit.Code, Signal: syscall.Signal(a.Exit.Signal)}
		if !p.started {
			close(p.answer)
		}
		p.started = true
		close(p.done)
	case p.started: // the answer to a signal that was too late
	case a.Error != nil:
		p.failed = a.Error
		close(p.answer)
	default:
		p.pid, p.started = a.Pid, true
		if len(fds) == 1 {
			p.master = adoptFile(fds[0], "terminal")
		}
		close(p.answer)
		if p.abandoned {
			p.closeTerminal()
			// The receiver must not wait for space in the socket: the helper may be
			// waiting for the receiver. settle waits for it.
			p.set.kills.Go(func() { _ = p.Signal(syscall.SIGKILL) })
		}
	}
}
