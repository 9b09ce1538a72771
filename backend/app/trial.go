package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"goalpost/backend/api"
	"goalpost/backend/fault"
	"goalpost/backend/policy"
	"goalpost/backend/process"
	"goalpost/backend/sandbox"
)

// TrialSandbox is a sandbox without a goal, for a user who wants to see what holds.
type TrialSandbox struct {
	Inside  process.Launcher // the agent's programs of a goal
	Outside process.Launcher // the user's own, through a helper too
	Env     []string         // of Inside
	OwnEnv  []string         // of Outside
	Dir     string

	held *goalSandbox
}

// Network lists what the network has refused so far, a line each.
func (w *TrialSandbox) Network() []string { return w.held.proxy.RefusedSince(0) }

// Violations lists what the kernel has refused so far, a line each.
func (w *TrialSandbox) Violations() []string {
	w.held.mu.Lock()
	defer w.held.mu.Unlock()
	return slices.Clone(w.held.violations)
}

// OpenTrialSandbox makes the sandbox that a goal would get, lends it, and ends
// everything in it.
func (a *App) OpenTrialSandbox(ctx context.Context, in api.StartInput, do func(*TrialSandbox) error) (err error) {
	p := policy.Policy{Risk: in.Risk, AllowHosts: in.AllowHosts, DenyHosts: in.DenyHosts}
	if !p.Risk.IsValid() {
		return &fault.Error{Field: "risk", Message: fmt.Sprintf("unknown risk %q", p.Risk), Hint: "use one of " + policy.RiskNames()}
	}
	if p.Dir, err = a.validateExistingDir(in.Dir); err != nil {
		return err
	}
	if err := a.grantsOf(in, &p); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(a.cfg.State(), "rooms"), 0o700); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	layer, err := os.MkdirTemp(filepath.Join(a.cfg.State(), "rooms"), "person-*")
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	defer func() { err = errors.Join(err, sandbox.RemoveLayer(layer)) }()
	held, err := a.openSandbox(ctx, "sandbox", p, layer)
	if errors.Is(err, sandbox.ErrRefused) {
		return &fault.Error{Field: "sandbox", Message: err.Error(), Hint: "doctor says what holds here"}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close(context.WithoutCancel(ctx))) }()
	return do(&TrialSandbox{Inside: held.programs, Outside: a.userPrograms, Env: held.env, OwnEnv: a.userEnv(), Dir: p.Dir, held: held})
}
