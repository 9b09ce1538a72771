package sandbox

import (
	"context"
	"fmt"
	"sync"

	"goalpost/backend/process"
	"goalpost/backend/sandbox/wire"
)

// FreezeAgent stops the agent's programs until thaw is called, which may be called more than
// once. Freezes are counted: programs run again after the last is undone. Programs that were
// stopped before stay so. ctx bounds the freezing only. The programs of a closed
// Supervisor have ended, so nothing stays frozen.
func (s *Supervisor) FreezeAgent(ctx context.Context) (thaw func(), err error) {
	id, _, err := s.changeMounts(ctx, wire.Request{Op: wire.Freeze})
	thaw = sync.OnceFunc(func() { // an error means that the programs have ended
		_, _, _ = s.changeMounts(context.WithoutCancel(ctx), wire.Request{ID: id, Op: wire.Thaw})
	})
	if err != nil {
		if id != 0 && ctx.Err() != nil { // it may happen yet
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
			text:    "the agent's programs can be frozen for a check inside a sandbox only",
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
