package goalsandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"goalpost/backend/host/sandbox"
)

// agentFreeze is the present freeze of a goal's programs.
type agentFreeze struct {
	mu   sync.Mutex
	thaw func() // nil while nothing is frozen
}

// errListening is the reason why the agent's programs were not frozen while a check ran.
var errListening = errors.New("a program of the agent listens, and checks may need its answers, so the agent's " +
	"programs ran while the check ran")

// Freeze stops the agent's programs until Thaw. A second call does nothing. If Freeze returns an error, nothing is
// frozen.
func (s *Sandbox) Freeze(ctx context.Context) error {
	s.frozen.mu.Lock()
	defer s.frozen.mu.Unlock()
	if s.frozen.thaw != nil {
		return nil
	}
	if s.Proxy == nil {
		return errors.New("the goal has no sandbox, so the agent's programs ran while the check ran")
	}
	thaw, err := s.Programs.FreezeIdleAgent(ctx)
	if errors.Is(err, sandbox.ErrAgentListens) {
		return errListening
	}
	if err != nil {
		return fmt.Errorf("the agent's programs ran while the check ran: %w", err)
	}
	s.frozen.thaw = thaw
	return nil
}

// Thaw lets the agent's programs continue.
func (s *Sandbox) Thaw() {
	s.frozen.mu.Lock()
	defer s.frozen.mu.Unlock()
	if s.frozen.thaw != nil {
		s.frozen.thaw()
		s.frozen.thaw = nil
	}
}

// Seal makes the folder of a completed goal read-only for the agent's running programs. If a program has a file there
// open for writing, the folder cannot be sealed: then Seal ends all programs, unless one of them listens on a port. It
// reports whether the programs still run.
func (s *Sandbox) Seal(ctx context.Context, dir string) (running bool) {
	defer s.Thaw()
	if s.Proxy == nil {
		return true
	}
	if err := s.Programs.SealFolder(ctx, dir); err == nil || errors.Is(s.Freeze(ctx), errListening) {
		return true
	}
	_ = s.Programs.Close(ctx) // closing the session reports an error again
	return false
}

// Unseal makes the folder writable again, for another run.
func (s *Sandbox) Unseal(ctx context.Context) error {
	if s.Proxy == nil {
		return nil
	}
	return s.Programs.UnsealFolder(ctx)
}
