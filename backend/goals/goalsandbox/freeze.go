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
func (e *Sandbox) Freeze(ctx context.Context) error {
	e.frozen.mu.Lock()
	defer e.frozen.mu.Unlock()
	if e.frozen.thaw != nil {
		return nil
	}
	if e.Proxy == nil {
		return errors.New("the goal has no sandbox, so the agent's programs ran while the check ran")
	}
	thaw, err := e.Programs.FreezeIdleAgent(ctx)
	if errors.Is(err, sandbox.ErrAgentListens) {
		return errListening
	}
	if err != nil {
		return fmt.Errorf("the agent's programs ran while the check ran: %w", err)
	}
	e.frozen.thaw = thaw
	return nil
}

// Thaw lets the agent's programs continue.
func (e *Sandbox) Thaw() {
	e.frozen.mu.Lock()
	defer e.frozen.mu.Unlock()
	if e.frozen.thaw != nil {
		e.frozen.thaw()
		e.frozen.thaw = nil
	}
}

// Seal makes the folder of a completed goal read-only for the agent's running programs. If a program has a file there
// open for writing, the folder cannot be sealed: then Seal ends all programs, unless one of them listens on a port. It
// reports whether the programs still run.
func (e *Sandbox) Seal(ctx context.Context, dir string) (running bool) {
	defer e.Thaw()
	if e.Proxy == nil {
		return true
	}
	if err := e.Programs.SealFolder(ctx, dir); err == nil || errors.Is(e.Freeze(ctx), errListening) {
		return true
	}
	_ = e.Programs.Close(ctx) // closing the session reports an error again
	return false
}

// Unseal makes the folder writable again, for another run.
func (e *Sandbox) Unseal(ctx context.Context) error {
	if e.Proxy == nil {
		return nil
	}
	return e.Programs.UnsealFolder(ctx)
}
