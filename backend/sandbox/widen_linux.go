package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"goalpost/backend/sandbox/wire"
)

// Opening is a grant in force.
type Opening struct {
	set *Set
	id  uint64
	// Port is the listener of a granted port on the goal's loopback, the taker's to
	// close; nil of every other grant.
	Port net.Listener
}

// Widen gives the goal's programs something more: those that are started from now
// on, and checks. A set without walls refuses.
func (s *Set) Widen(ctx context.Context, g Grant) (*Opening, error) {
	if !s.walled {
		return nil, fmt.Errorf("widening the walls of %s: %w", s.name, errors.ErrUnsupported)
	}
	r := wire.Request{Op: wire.Widen}
	var err error
	if g.Port > 0 {
		r.Listen = "tcp " + net.JoinHostPort("127.0.0.1", strconv.Itoa(g.Port))
	} else if r.Mounts, err = planGrant(s.walls, g); err != nil {
		return nil, fmt.Errorf("widening the walls of %s: %w", s.name, err)
	}
	id, fds, err := s.rewall(ctx, r)
	o := &Opening{set: s, id: id}
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
			_, _, _ = s.rewall(ctx, wire.Request{ID: id, Op: wire.Narrow})
		}
		return nil, fmt.Errorf("widening the walls of %s: %w", s.name, err)
	}
	return o, nil
}

// Close takes it back. Programs may have it open, so all programs of the agent end;
// those that only had a port do not, whose listener its taker closes.
func (o *Opening) Close(ctx context.Context) error {
	if o.Port != nil {
		return nil
	}
	_, _, err := o.set.rewall(ctx, wire.Request{ID: o.id, Op: wire.Narrow, Signal: int(unix.SIGKILL)})
	if err != nil && !errors.Is(err, ErrClosed) {
		return fmt.Errorf("narrowing the walls of %s: %w", o.set.name, err)
	}
	return nil
}

// rewall asks the helper for a change and waits until it has come about.
func (s *Set) rewall(ctx context.Context, r wire.Request) (id uint64, fds []int, err error) {
	answer := make(chan rewalled, 1)
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return 0, nil, ErrClosed
	}
	if r.ID == 0 {
		s.next++
		r.ID = s.next
	}
	s.changes[r.ID] = answer
	s.mu.Unlock()
	if err := s.post(r, nil); err != nil {
		s.unchanged(r.ID)
		return r.ID, nil, err
	}
	select {
	case a := <-answer:
		return r.ID, a.fds, a.err
	case <-ctx.Done():
		if s.unchanged(r.ID) == nil { // answered just now
			a := <-answer
			return r.ID, a.fds, a.err
		}
		return r.ID, nil, fmt.Errorf("waiting for the helper: %w", ctx.Err())
	}
}

// rewalled is what became of a change; fds are the taker's.
type rewalled struct {
	fds []int
	err error
}

func (s *Set) unchanged(id uint64) chan rewalled {
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := s.changes[id]
	delete(s.changes, id)
	return answer
}

// changed takes the answer to a change; false if it answers something else.
func (s *Set) changed(a wire.Answer, fds []int) bool {
	answer := s.unchanged(a.ID)
	if answer == nil {
		if a.Changed { // nobody waits any more
			closeFDs(fds)
		}
		return a.Changed
	}
	got := rewalled{fds: fds}
	if a.Error != nil {
		got.err = errors.New(a.Error.Text)
	}
	answer <- got
	return true
}

// planGrant is what the helper mounts for a grant.
func planGrant(w Walls, g Grant) ([]wire.Mount, error) {
	p := planner{w: w}
	path := g.Read + g.Write + g.Socket
	p.w.Read, p.w.Write, p.w.Sockets = []string{path}, nil, nil
	if err := p.check(); err != nil {
		return nil, err
	}
	switch path {
	case "":
		return nil, fmt.Errorf("granting nothing: %w", syscall.EINVAL)
	case g.Read:
		p.granted(path, false)
	case g.Write:
		p.granted(path, true)
		if err := p.gitBelow(path); err != nil {
			return nil, fmt.Errorf("copying what git obeys: %w", err)
		}
	case g.Socket:
		p.socket(path)
	}
	if err := p.places(); err != nil {
		return nil, fmt.Errorf("making places for what the goal may see: %w", err)
	}
	return p.out.Mounts, nil
}
