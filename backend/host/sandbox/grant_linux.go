package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/mounts"
	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/host/sandbox/wire"
)

// ActiveGrant is a grant in force.
type ActiveGrant struct {
	set *Supervisor
	id  uint64
	// Port is the listener of a granted port on the goal's loopback, which the caller closes; nil for
	// every other grant.
	Port net.Listener
}

// Grant gives programs that start from now on, and checks, additional access. Without a sandbox
// the error is errors.ErrUnsupported.
func (s *Supervisor) Grant(ctx context.Context, g spec.RuntimeGrant) (*ActiveGrant, error) {
	if !s.sandboxed {
		return nil, fmt.Errorf("granting access to %s: %w", s.name, errors.ErrUnsupported)
	}
	r := wire.Request{Op: wire.Grant}
	var err error
	if g.Port > 0 {
		r.Listen = "tcp " + net.JoinHostPort("127.0.0.1", strconv.Itoa(g.Port))
	} else if r.Mounts, err = mounts.ForGrant(s.spec, g); err != nil {
		return nil, fmt.Errorf("granting access to %s: %w", s.name, err)
	}
	id, fds, err := s.call(ctx, r)
	o := &ActiveGrant{set: s, id: id}
	if err == nil && r.Listen != "" {
		n := network{}
		n.adopt(fds)
		o.Port, err = n.listener(0)
		n.close()
	} else {
		closeFDs(fds)
	}
	if err != nil {
		if id != 0 && r.Listen == "" { // checks must not get it either
			_, _, _ = s.call(ctx, wire.Request{ID: id, Op: wire.Revoke})
		}
		return nil, fmt.Errorf("granting access to %s: %w", s.name, err)
	}
	return o, nil
}

// Revoke ends the access. Programs may have it open, so all programs of the agent end. For a port,
// Revoke does nothing: the caller closes the listener.
func (a *ActiveGrant) Revoke(ctx context.Context) error {
	if a.Port != nil {
		return nil
	}
	_, _, err := a.set.call(ctx, wire.Request{ID: a.id, Op: wire.Revoke, Signal: int(unix.SIGKILL)})
	if err != nil && !errors.Is(err, ErrClosed) {
		return fmt.Errorf("revoking access of %s: %w", a.set.name, err)
	}
	return nil
}
