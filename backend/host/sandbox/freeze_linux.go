package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox/wire"
)

// FreezeAgent stops the agent's programs until thaw is called. thaw may be called more than once. Freezes are counted:
// programs run again after the last freeze is undone. Programs that were stopped before stay stopped. ctx bounds the
// freezing only. The programs of a closed Supervisor have ended, so nothing stays frozen.
func (s *Supervisor) FreezeAgent(ctx context.Context) (thaw func(), err error) {
	return s.freeze(ctx, false)
}

// FreezeIdleAgent does what FreezeAgent does if none of the agent's programs listens on a TCP port or a Unix socket.
// Otherwise it freezes nothing and returns ErrAgentListens: a check may need their answer.
func (s *Supervisor) FreezeIdleAgent(ctx context.Context) (thaw func(), err error) {
	return s.freeze(ctx, true)
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

func (s *Supervisor) freeze(ctx context.Context, unlessListening bool) (thaw func(), err error) {
	id, _, err := s.call(ctx, wire.Request{Op: wire.Freeze, UnlessListening: unlessListening})
	if hasCode(err, wire.Listening) {
		return nil, ErrAgentListens
	}
	thaw = sync.OnceFunc(func() { // an error means that the programs have ended
		_, _, _ = s.call(context.WithoutCancel(ctx), wire.Request{ID: id, Op: wire.Thaw})
	})
	if err != nil {
		if id != 0 && ctx.Err() != nil { // the helper may still freeze the programs
			s.kills.Go(thaw)
		}
		return nil, fmt.Errorf("freezing the programs of %s: %w", s.name, err)
	}
	return thaw, nil
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
	thaw, err := s.FreezeAgent(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.start(ctx, c, nil)
	if err != nil {
		thaw()
		return nil, err
	}
	go func() {
		<-p.Done()
		thaw()
	}()
	return p, nil
}
