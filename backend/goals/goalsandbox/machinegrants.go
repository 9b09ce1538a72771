package goalsandbox

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"goalpost/backend/domain/policy"
)

// grantTimeout bounds a change to a running sandbox, which usually takes milliseconds.
const grantTimeout = 10 * time.Second

// machineGrants are the files, folders, sockets and ports that the user allowed while the goal was running.
// The zero value is ready. All methods may be called concurrently.
type machineGrants struct {
	mu         sync.Mutex
	open       map[string]machineGrant // by id of the grant
	revokedIDs map[string]bool         // ids of revoked grants
	// wrote lists all folders that have been writable, for the report.
	wrote []string
}

type machineGrant struct {
	access policy.MachineAccess
	close  func(context.Context) error
	err    error // why it could not be opened
}

// Apply opens the access that grants allow, and closes all other access. A revoked grant stays revoked, even if the run
// has not read the revocation yet.
func (m *machineGrants) Apply(
	ctx context.Context, grants []policy.Grant, open func(context.Context, policy.MachineAccess) machineGrant,
) error {
	ctx, cancel := context.WithTimeout(ctx, grantTimeout)
	defer cancel()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.open == nil {
		m.open = map[string]machineGrant{}
	}
	var errs []error
	for id := range m.open {
		if !slices.ContainsFunc(grants, func(g policy.Grant) bool { return g.ID == id }) {
			errs = append(errs, m.revokeLocked(ctx, id))
		}
	}
	for _, g := range grants {
		if _, have := m.open[g.ID]; have || g.Scope != policy.ScopeMachine || g.Access == nil || m.revokedIDs[g.ID] {
			continue
		}
		m.open[g.ID] = open(ctx, *g.Access)
		if g.Access.Kind == policy.WriteAccess {
			m.wrote = append(m.wrote, g.Access.Path)
		}
	}
	return errors.Join(errs...)
}

// revokeLocked closes the access of a grant. The caller holds mu.
func (m *machineGrants) revokeLocked(ctx context.Context, id string) error {
	o, have := m.open[id]
	delete(m.open, id)
	if !have || o.close == nil {
		return nil
	}
	return o.close(ctx)
}

// Revoke closes the access of a grant for good.
func (m *machineGrants) Revoke(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, grantTimeout)
	defer cancel()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.revokedIDs == nil {
		m.revokedIDs = map[string]bool{}
	}
	m.revokedIDs[id] = true
	return m.revokeLocked(ctx, id)
}

// ClosePorts closes the ports of a goal that has ended. Files and sockets stay open for its remaining programs.
func (m *machineGrants) ClosePorts(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for id, o := range m.open {
		if o.access.Kind == policy.PortAccess {
			errs = append(errs, m.revokeLocked(ctx, id))
		}
	}
	return errors.Join(errs...)
}

// Problem returns why access to something is not open, nil if it is open.
func (m *machineGrants) Problem(a policy.MachineAccess) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := errors.New("it was revoked")
	for _, o := range m.open {
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

// WritablePaths lists all folders that have been writable, including those whose grant was revoked.
func (m *machineGrants) WritablePaths() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.wrote)
}
