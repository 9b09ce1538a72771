package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/fault"
	"goalpost/backend/policy"
	"goalpost/backend/sandbox"
	"goalpost/backend/tools"
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

// apply makes the walls what the grants say. A grant that was taken back stays so,
// whoever has not heard of that yet.
func (r *machineGrants) apply(ctx context.Context, grants []policy.Grant, open func(context.Context, policy.MachineAccess) machineGrant) error {
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

func (r *machineGrants) revoke(ctx context.Context, id string) error {
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

// closePorts closes the ways out of a goal that is over; its programs keep what they
// see, as long as they are there to be looked at.
func (r *machineGrants) closePorts(ctx context.Context) error {
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

// problem says what keeps something from being open; nil is nothing.
func (r *machineGrants) problem(a policy.MachineAccess) error {
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

func (r *machineGrants) writablePaths() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.wrote)
}

// grant widens the walls of a goal.
func (e *goalSandbox) grant(a *App, layer string) func(context.Context, policy.MachineAccess) machineGrant {
	return func(ctx context.Context, access policy.MachineAccess) machineGrant {
		o := machineGrant{access: access}
		var grant sandbox.RuntimeGrant
		switch access.Kind {
		case policy.ReadAccess:
			grant.Read = access.Path
		case policy.WriteAccess:
			grant.Write = access.Path
			if o.err = recordAutorunOf(access.Path, layer); o.err != nil {
				return o
			}
		case policy.SocketAccess:
			grant.Socket = access.Path
		case policy.PortAccess:
			grant.Port = access.Port
		}
		if o.err = a.validateAccess(access); o.err != nil {
			return o
		}
		opened, err := e.programs.Grant(ctx, grant)
		if err != nil {
			o.err = err
			return o
		}
		o.close = opened.Revoke
		if opened.Port != nil {
			e.proxy.Forward(opened.Port, access.Port)
			o.close = func(context.Context) error { return opened.Port.Close() }
		}
		return o
	}
}

// validateAccess says whether what is there now is of the kind that was asked for.
func (a *App) validateAccess(access policy.MachineAccess) error {
	if access.Kind == policy.PortAccess {
		if a.isOwnPort(access.Port) {
			return errors.New("the port is Goalpost's own")
		}
		return nil
	}
	info, err := os.Stat(access.Path)
	switch {
	case err != nil:
		return fmt.Errorf("what was allowed: %w", err)
	case access.Kind == policy.WriteAccess && !info.IsDir():
		return fmt.Errorf("%s is not a folder", access.Path)
	case access.Kind == policy.SocketAccess && info.Mode().Type() != os.ModeSocket:
		return fmt.Errorf("%s is not a socket", access.Path)
	case access.Kind == policy.ReadAccess && !info.IsDir() && !info.Mode().IsRegular():
		return fmt.Errorf("%s is neither a file nor a folder", access.Path)
	}
	return nil
}

// accessRequester is how a goal's agent asks for more.
type accessRequester struct{ session *Session }

var _ tools.Access = accessRequester{}

// Validate refuses what no goal gets. Whether something is there at all, the agent
// does not learn without the user.
func (k accessRequester) Validate(ctx context.Context, want policy.MachineAccess) (policy.MachineAccess, error) {
	a, p := k.session.app, k.session.policy
	var in api.StartInput
	if want.Kind == policy.PortAccess {
		in.AllowLocal = []int{want.Port}
		return want, agentRefusal(a.grantsOf(in, &policy.Policy{Risk: p.Risk, Dir: p.Dir}))
	}
	if want.Kind != policy.SocketAccess { // said of the name, so that it does not tell whether something is there
		if err := a.validateForeignPath(filepath.Clean(want.Path)); err != nil {
			return want, agentRefusal(err)
		}
	}
	real, err := filepath.EvalSymlinks(want.Path)
	if err != nil || a.validateAccess(policy.MachineAccess{Kind: want.Kind, Path: real}) != nil {
		return want, nil //nolint:nilerr // the user sees the path, and an approval opens nothing
	}
	if want.Path = real; policy.IsWithin(p.Dir, real) {
		return want, fmt.Errorf("%s is in the goal's own folder", real)
	}
	as := policy.Policy{Risk: p.Risk, Dir: p.Dir, AllowWrite: p.AllowWrite}
	switch want.Kind {
	case policy.ReadAccess:
		in.AllowRead = []string{real}
	case policy.SocketAccess:
		in.AllowSocket = []string{real}
	case policy.WriteAccess:
		in.AllowWrite = []string{real}
		if other, err := a.store.ConflictingWriter(ctx, real, k.session.goal); err != nil || other != "" {
			return want, errors.Join(err, fmt.Errorf("goal %s writes there now; wait until it is over", other.Short()))
		}
	case policy.PortAccess:
	}
	return want, agentRefusal(a.grantsOf(in, &as))
}

// agentRefusal is a refusal with its hint, for the agent.
func agentRefusal(err error) error {
	var no *fault.Error
	if errors.As(err, &no) {
		return fmt.Errorf("%s: %s", no.Message, no.Hint)
	}
	return err
}

func (k accessRequester) Problem(a policy.MachineAccess) error {
	return k.session.sandbox.machineGrants.problem(a)
}
