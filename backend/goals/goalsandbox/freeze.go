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
	mu  sync.Mutex
	now *sandbox.Freeze // nil while nothing is frozen
}

// Freeze stops the agent's programs until Thaw, or until a check connects to one of them. A second call does nothing
// while they are stopped. If Freeze returns an error, nothing is frozen.
func (s *Sandbox) Freeze(ctx context.Context) error {
	s.frozen.mu.Lock()
	defer s.frozen.mu.Unlock()
	if f := s.frozen.now; f != nil && !f.WasEnded() {
		return nil
	}
	if s.Proxy == nil {
		return errors.New("the goal has no sandbox, so the agent's programs ran while the check ran")
	}
	f, err := s.Programs.FreezeAgent(ctx)
	if err != nil {
		return fmt.Errorf("the agent's programs ran while the check ran: %w", err)
	}
	s.frozen.now = f
	return nil
}

// Listens reports whether one of the frozen programs listens.
func (s *Sandbox) Listens() bool {
	s.frozen.mu.Lock()
	defer s.frozen.mu.Unlock()
	return s.frozen.now != nil && s.frozen.now.Listens()
}

// Serves reports whether one of the agent's programs listens. It stops them for a moment, in which none of them ends.
func (s *Sandbox) Serves(ctx context.Context) bool {
	f, err := s.Programs.FreezeAgent(ctx)
	if err != nil {
		return false // they have ended
	}
	defer f.Thaw()
	return f.Listens()
}

// Served reports whether a check has connected to one of the frozen programs, so that they ran.
func (s *Sandbox) Served() bool {
	s.frozen.mu.Lock()
	defer s.frozen.mu.Unlock()
	return s.frozen.now != nil && s.frozen.now.WasEnded()
}

// Thaw lets the agent's programs continue.
func (s *Sandbox) Thaw() {
	s.frozen.mu.Lock()
	defer s.frozen.mu.Unlock()
	if s.frozen.now != nil {
		s.frozen.now.Thaw()
		s.frozen.now = nil
	}
}

// AfterDone says what the programs of a completed goal can do.
type AfterDone int

// The states.
const (
	ProgramsEnded AfterDone = iota
	FolderSealed            // they run, and cannot write in the goal's folder
	FolderOpen              // they run, and can write there
)

// Seal makes the folder of a completed goal read-only for the agent's running programs. If a program has a file there
// open for writing, the folder cannot be sealed: then Seal ends all programs, unless one of them listens on a port. The
// programs stay frozen until Thaw.
func (s *Sandbox) Seal(ctx context.Context, dir string) AfterDone {
	if s.Proxy == nil {
		return FolderOpen
	}
	if s.Programs.SealFolder(ctx, dir) == nil {
		return FolderSealed
	}
	if s.Freeze(ctx) == nil && s.Listens() {
		return FolderOpen
	}
	_ = s.Programs.Close(ctx) // closing the session reports an error again
	return ProgramsEnded
}

// Unseal makes the folder writable again, for another run.
func (s *Sandbox) Unseal(ctx context.Context) error {
	if s.Proxy == nil {
		return nil
	}
	return s.Programs.UnsealFolder(ctx)
}
