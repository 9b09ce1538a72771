package goalsandbox

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"goalpost/backend/app/access"
	"goalpost/backend/policy"
	"goalpost/backend/sandbox"
)

// grantTimeout bounds a change of the walls; it takes milliseconds.
const grantTimeout = 10 * time.Second

// machineGrants are what the user opened for a goal of their machine while it ran, in the
// walls that stand. The zero value is ready; all methods may be called concurrently.
type machineGrants struct {
	mu   sync.Mutex
	open map[string]machineGrant // by grant
	gone map[string]bool
	// wrote are folders that were open for writing, for the report.
	wrote []string
}

type machineGrant struct {
	access policy.MachineAccess
	close  func(context.Context) error
	err    error // why it is not open
}

// Apply opens in the sandbox what the grants allow. A revoked grant stays closed, also where a
// run has not read of it yet.
func (r *machineGrants) Apply(
	ctx context.Context, grants []policy.Grant, open func(context.Context, policy.MachineAccess) machineGrant,
) error {
	ctx, cancel := context.WithTimeout(ctx, grantTimeout)
	defer cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[string]machineGrant{}
	}
	var errs []error
	for id := range r.open {
		if !slices.ContainsFunc(grants, func(g policy.Grant) bool { return g.ID == id }) {
			errs = append(errs, r.revokeLocked(ctx, id))
		}
	}
	for _, g := range grants {
		if _, have := r.open[g.ID]; have || g.Scope != policy.ScopeMachine || g.Access == nil || r.gone[g.ID] {
			continue
		}
		r.open[g.ID] = open(ctx, *g.Access)
		if g.Access.Kind == policy.WriteAccess {
			r.wrote = append(r.wrote, g.Access.Path)
		}
	}
	return errors.Join(errs...)
}

// revokeLocked is called with openings locked.
func (r *machineGrants) revokeLocked(ctx context.Context, id string) error {
	o, have := r.open[id]
	delete(r.open, id)
	if !have || o.close == nil {
		return nil
	}
	return o.close(ctx)
}

func (r *machineGrants) Revoke(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, grantTimeout)
	defer cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone == nil {
		r.gone = map[string]bool{}
	}
	r.gone[id] = true
	return r.revokeLocked(ctx, id)
}

// ClosePorts closes the ways out of a goal that is over; its programs keep what they
// see, as long as they are there to be looked at.
func (r *machineGrants) ClosePorts(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for id, o := range r.open {
		if o.access.Kind == policy.PortAccess {
			errs = append(errs, r.revokeLocked(ctx, id))
		}
	}
	return errors.Join(errs...)
}

// Problem says what keeps something from being open; nil is nothing.
func (r *machineGrants) Problem(a policy.MachineAccess) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := errors.New("it was taken back")
	for _, o := range r.open {
		if o.access != a {
			continue
		}
		if o.err == nil {
			return nil
		}
		err = o.err
	}
	return err
}

func (r *machineGrants) WritablePaths() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.wrote)
}

// Grant widens the walls of a goal.
func (e *Sandbox) Grant(access *access.Rules, layer string) func(context.Context, policy.MachineAccess) machineGrant {
	return func(ctx context.Context, want policy.MachineAccess) machineGrant {
		o := machineGrant{access: want}
		var grant sandbox.RuntimeGrant
		switch want.Kind {
		case policy.ReadAccess:
			grant.Read = want.Path
		case policy.WriteAccess:
			grant.Write = want.Path
			if o.err = recordAutorunOf(want.Path, layer); o.err != nil {
				return o
			}
		case policy.SocketAccess:
			grant.Socket = want.Path
		case policy.PortAccess:
			grant.Port = want.Port
		}
		if o.err = access.ValidateAccess(want); o.err != nil {
			return o
		}
		opened, err := e.Programs.Grant(ctx, grant)
		if err != nil {
			o.err = err
			return o
		}
		o.close = opened.Revoke
		if opened.Port != nil {
			e.Proxy.Forward(opened.Port, want.Port)
			o.close = func(context.Context) error { return opened.Port.Close() }
		}
		return o
	}
}
