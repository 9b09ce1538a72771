package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"goalpost/backend/domain/process"
)

// launchSpec describes the program that a session starts, each time that it is started. It does not change.
type launchSpec struct {
	dir      string
	env      []string
	argv     []string
	shell    shellKind
	host     string // this machine's name; "" for a terminal on another one
	grace    time.Duration
	launcher process.Launcher
}

const (
	readSize = 64 << 10

	// maxOutputAfterExit limits the output of programs that keep printing after the terminal's own program has ended,
	// in bytes.
	maxOutputAfterExit = 1 << 20

	// resetModes resets the modes that an ended program may have left on: alternate screen, scroll region, application
	// keys, hidden cursor, mouse and focus reports, bracketed paste, colours. Leaving the alternate screen and the
	// scroll region moves the cursor, on the main screen too, and later output would overwrite earlier output. So the
	// cursor is saved before each.
	resetModes = ownResetMarker + "\x1b[?1049l\x1b7\x1b[r\x1b8\x1b[?1l\x1b>\x1b[4l\x1b[?7h\x1b[?25h" +
		"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[?2026l\x1b(B\x0f\x1b[0m\r\n"

	// ownResetMarker distinguishes our leaving of the alternate screen from a program's.
	ownResetMarker = "\x18\x1b7"
)

// childProcess is one program of a session, from its start until all of its output is read.
type childProcess struct {
	master *os.File
	proc   process.Process
	input  *input
	rcDir  string        // of the shell's start files, "" if none
	stop   chan struct{} // closed when the program no longer waits for viewers
	once   sync.Once
	done   chan struct{} // closed when all goroutines of this program have ended
}

// begin starts the program; the caller prevents concurrent starts and ends.
func (s *Session) begin(ctx context.Context) error {
	nonce := newNonce()
	p, err := s.spec.shell.prepare(s.spec.argv, s.spec.env, nonce, s.Info().GoalID == "")
	if err != nil {
		return err
	}
	c := process.Command{Argv: p.argv, Env: p.env, Dir: s.spec.dir, Files: []*os.File{nil, nil, nil}}
	if p.rc != nil {
		c.Files = append(c.Files, p.rc)
	}
	proc, master, err := s.startOn(ctx, c)
	if p.rc != nil {
		err = errors.Join(err, p.rc.Close())
	}
	if err != nil {
		if proc != nil {
			err = errors.Join(err, proc.Signal(syscall.SIGKILL), master.Close())
		}
		return errors.Join(fmt.Errorf("opening a terminal in %s: %w", s.spec.dir, err), os.RemoveAll(p.dir))
	}
	l := &childProcess{
		master: master,
		proc:   proc,
		input:  newInput(),
		rcDir:  p.dir,
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	s.mu.Lock()
	s.life, s.ended, s.status = l, false, process.Status{}
	s.marks = markParser{nonce: nonce, host: s.spec.host}
	s.command = command{state: s.spec.shell.initialState(), count: s.command.count}
	s.mu.Unlock()
	go s.pump(l)
	return nil
}

// startOn starts a program on a terminal of the launcher, if it provides terminals, otherwise on one of the machine.
func (s *Session) startOn(ctx context.Context, c process.Command) (process.Process, *os.File, error) {
	cols, rows := s.Size()
	if l, ok := s.spec.launcher.(process.TerminalLauncher); ok {
		proc, master, err := l.StartTerminal(ctx, c, cols, rows)
		if !errors.Is(err, errors.ErrUnsupported) {
			return proc, master, err
		}
	}
	master, tty, err := openPTY(cols, rows)
	if err != nil {
		return nil, nil, err
	}
	c.Files[0], c.Files[1], c.Files[2], c.TTY = tty, tty, tty, true
	proc, err := s.spec.launcher.Start(ctx, c)
	if err := errors.Join(err, tty.Close()); err != nil {
		if proc != nil {
			err = errors.Join(err, proc.Signal(syscall.SIGKILL))
		}
		return nil, nil, errors.Join(err, master.Close())
	}
	return proc, master, nil
}

// pump reads the program's output until it has ended and nothing is left. The end is the wait status, not the end of
// the output: a background child may keep the terminal open for hours.
func (s *Session) pump(l *childProcess) {
	defer close(l.done)
	var others sync.WaitGroup
	others.Go(func() { l.input.run(l.master) })
	done := make(chan struct{})
	others.Go(func() {
		defer close(done)
		<-l.proc.Done()
		_ = l.master.SetReadDeadline(time.Unix(1, 0)) // ends a blocked read
	})
	buf := make([]byte, readSize)
	for s.makeSpace(l, len(buf)) {
		n, err := l.master.Read(buf)
		// The kernel returns 4 KiB at a time. During a flood more is available by now.
		for err == nil && n < len(buf) {
			more := readNow(l.master, buf[n:])
			if more == 0 {
				break
			}
			n += more
		}
		s.appendOutput(buf[:n])
		if err != nil {
			break // the deadline, or EIO: no process has the terminal open
		}
	}
	<-done // from here on the deadline stays unset; otherwise the rest could not be read
	_ = l.master.SetReadDeadline(time.Time{})
	for budget := maxOutputAfterExit; budget > 0; {
		s.makeSpace(l, len(buf))
		n := readNow(l.master, buf)
		if n == 0 {
			break
		}
		s.appendOutput(buf[:n])
		budget -= n
	}
	l.input.close()
	_ = l.master.Close()
	others.Wait()
	if l.rcDir != "" {
		_ = os.RemoveAll(l.rcDir) // a shell that reached its prompt has already removed it
	}
	s.mu.Lock()
	s.ended, s.status = true, l.proc.Status()
	s.command.state = shellEnded
	s.output.broadcast()
	s.mu.Unlock()
	s.changed()
}

// appendOutput adds output to the scrollback.
func (s *Session) appendOutput(p []byte) {
	if len(p) == 0 {
		return
	}
	s.mu.Lock()
	at := s.ring.end
	s.ring.add(p)
	moved := false
	for _, m := range s.marks.feed(p, at) {
		moved = s.note(m) || moved
	}
	s.command.keepHead(p, at)
	s.output.broadcast()
	s.mu.Unlock()
	if moved {
		s.changed()
	}
}

// makeSpace waits while a viewer is too far behind to take n more bytes, which slows the program down; false if the
// program is to end.
func (s *Session) makeSpace(l *childProcess, n int) bool {
	for {
		s.mu.Lock()
		blocked := s.blocked(int64(n))
		next := s.spaceFreed.next()
		s.mu.Unlock()
		if !blocked {
			return true
		}
		select {
		case <-next:
		case <-l.stop:
			return false
		}
	}
}

func (s *Session) blocked(n int64) bool {
	for v := range s.viewers {
		if v.isTooFarBehind(n) {
			return true
		}
	}
	return false
}

// Restart starts the program again below the present output. A running one is ended first.
func (s *Session) Restart(ctx context.Context) error {
	s.start.Lock()
	defer s.start.Unlock()
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return ErrClosed
	}
	if err := s.kill(ctx); err != nil {
		return err
	}
	s.appendOutput([]byte(resetModes))
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.changed()
	return nil
}

// End ends the program as closing the window of a terminal does. Its output stays, and Restart starts it again.
func (s *Session) End(ctx context.Context) error {
	s.start.Lock()
	defer s.start.Unlock()
	return s.kill(ctx)
}

// Signal sends a signal to the program's process group.
func (s *Session) Signal(sig syscall.Signal) error {
	s.mu.Lock()
	l := s.life
	s.mu.Unlock()
	if l == nil {
		return ErrEnded
	}
	if err := l.proc.Signal(sig); err != nil {
		return fmt.Errorf("signalling the terminal's program: %w", err)
	}
	return nil
}

// kill ends the program as closing a window does: SIGHUP, then the terminal is closed, and SIGKILL after the grace
// period, which also reaches the jobs of its session. It returns when the program has ended. A process that ignores
// SIGHUP (nohup) and outlives its shell keeps running until the launcher's supervisor is closed, as the user asked.
func (s *Session) kill(ctx context.Context) error {
	s.mu.Lock()
	l := s.life
	s.mu.Unlock()
	if l == nil { // not started yet
		return nil
	}
	l.once.Do(func() { close(l.stop) })
	for _, sig := range exitSignals {
		if err := l.proc.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return fmt.Errorf("ending the terminal's program: %w", err)
		}
	}
	// A bash that is about to read notices the signal only at the next key; it always notices that the terminal is
	// gone.
	if l.endsWithin(ctx, s.spec.grace/drainTime) {
		return nil
	}
	_ = l.master.Close() // the reader closes it again, without effect
	if l.endsWithin(ctx, s.spec.grace) {
		return nil
	}
	if err := l.proc.Signal(syscall.SIGKILL); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("ending the terminal's program: %w", err)
	}
	// SIGKILL cannot be ignored, so this ends although ctx may have ended.
	<-l.done
	return nil
}

// drainTime divides the grace period: in the first part output is still stored.
const drainTime = 20

// endsWithin reports whether the program ends in time.
func (c *childProcess) endsWithin(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// close ends the program and all waits for it.
func (s *Session) close(ctx context.Context) error {
	s.start.Lock()
	defer s.start.Unlock()
	err := s.kill(ctx)
	s.mu.Lock()
	s.closed = true
	s.output.broadcast()
	s.mu.Unlock()
	s.screen.close()
	return err
}
