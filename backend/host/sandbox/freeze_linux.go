package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox/wire"
)

// FreezeAgent stops the agent's programs until Thaw is called, or until a check connects to one of them. Freezes are
// counted: programs run again after the last freeze is undone. Programs that were stopped before stay stopped. ctx
// bounds the freezing only. The programs of a closed Supervisor have ended, so nothing stays frozen.
func (s *Supervisor) FreezeAgent(ctx context.Context) (*Freeze, error) {
	id, a := s.ask(ctx, wire.Request{Op: wire.Freeze})
	f := &Freeze{listening: a.listening}
	f.thaw = sync.OnceFunc(func() { // an error means that the programs have ended
		s.mu.Lock()
		delete(s.freezes, f)
		s.mu.Unlock()
		_, _, _ = s.call(context.WithoutCancel(ctx), wire.Request{ID: id, Op: wire.Thaw})
	})
	if a.err != nil {
		if id != 0 && ctx.Err() != nil { // the helper may still freeze the programs
			s.kills.Go(f.thaw)
		}
		return nil, fmt.Errorf("freezing the programs of %s: %w", s.name, a.err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.freezes[f] = true
	return f, nil
}

// Freeze is one freeze of the agent's programs. Its methods may be called concurrently.
type Freeze struct {
	listening wire.Listening
	connected atomic.Bool
	thaw      func()
}

// Thaw undoes the freeze. It may be called more than once.
func (f *Freeze) Thaw() { f.thaw() }

// Listens reports whether one of the programs listened on a TCP port or on a Unix socket.
func (f *Freeze) Listens() bool { return len(f.listening.Ports) > 0 || f.listening.Unix }

// WasEnded reports whether a check has connected to one of the programs, which ended the freeze. It is true before the
// check's end is reported.
func (f *Freeze) WasEnded() bool { return f.connected.Load() }

// onConnect lets the agent's programs run if a check connects to one of them: to a port, or with 0 to a Unix socket.
func (s *Supervisor) onConnect(port uint16) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.freezes {
		if port == 0 && f.listening.Unix || slices.Contains(f.listening.Ports, port) {
			f.connected.Store(true)
			go f.thaw() // the caller delivers the answer
		}
	}
}

// UnsealFolder undoes SealFolder.
func (s *Supervisor) UnsealFolder(ctx context.Context) error {
	if _, _, err := s.call(ctx, wire.Request{Op: wire.Unseal}); err != nil {
		return fmt.Errorf("making the folder of %s writable again: %w", s.name, err)
	}
	return nil
}

// SealFolder makes a folder read-only for the agent's programs until UnsealFolder, including programs that are already
// running. It returns ErrFolderBusy and changes nothing if one of them has a file there open for writing.
func (s *Supervisor) SealFolder(ctx context.Context, dir string) error {
	_, _, err := s.call(ctx, wire.Request{Op: wire.Seal, Dir: []byte(dir)})
	if hasCode(err, wire.Busy) {
		return ErrFolderBusy
	}
	if err != nil {
		return fmt.Errorf("making %s read-only: %w", dir, err)
	}
	return nil
}

func hasCode(err error, code wire.Code) bool {
	var wireErr *wire.Error
	return errors.As(err, &wireErr) && wireErr.Code == code
}

// startWhileFrozen starts a check's program with the agent's programs frozen until it ends.
func (s *Supervisor) startWhileFrozen(ctx context.Context, c process.Command) (process.Process, error) {
	if !s.sandboxed || c.Domain != process.DomainCheck {
		return nil, &StartError{
			Code:    string(wire.Unsupported),
			Program: programName(c),
			text:    "only a check inside a sandbox can freeze the agent's programs",
		}
	}
	frozen, err := s.FreezeAgent(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.start(ctx, c, nil)
	if err != nil {
		frozen.Thaw()
		return nil, err
	}
	go func() {
		<-p.Done()
		frozen.Thaw()
	}()
	return p, nil
}
