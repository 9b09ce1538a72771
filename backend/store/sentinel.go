package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// Sentinel is the exclusive right to run one goal. The kernel drops it with the
// process that holds it: a free sentinel of a running goal means that its run died.
type Sentinel struct{ lock *flock.Flock }

// ErrOwned means that another process runs the goal.
var ErrOwned = errors.New("another process runs this goal")

// Own takes the sentinel of a goal, or says ErrOwned.
func (s *Store) Own(id goal.ID) (*Sentinel, error) {
	l := flock.New(filepath.Join(s.dir, "run", "goal-"+string(id)+".lock"))
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("sentinel of %s: %w", id.Short(), err)
	}
	if !ok {
		return nil, ErrOwned
	}
	return &Sentinel{l}, nil
}

// Alive says whether a process holds the sentinel of a goal. It takes no part in
// who gets it: a shared lock is tried.
func (s *Store) Alive(id goal.ID) (bool, error) {
	l := flock.New(filepath.Join(s.dir, "run", "goal-"+string(id)+".lock"))
	free, err := l.TryRLock()
	if err = errors.Join(err, l.Close()); err != nil {
		return false, fmt.Errorf("sentinel of %s: %w", id.Short(), err)
	}
	return !free, nil
}

// Release gives the sentinel back. The file stays: removing it would race with
// a process that has just opened it.
func (l *Sentinel) Release() error {
	if err := l.lock.Close(); err != nil {
		return fmt.Errorf("sentinel: %w", err)
	}
	return nil
}

// Interrupt turns every running goal whose owner died into paused/interrupted.
// Only a program that may run goals calls it; reading commands never write.
func (s *Store) Interrupt(ctx context.Context) (int, error) {
	rows, _, err := s.List(ctx, Filter{Status: goal.Running, Limit: 1 << 20})
	if err != nil {
		return 0, err
	}
	n := 0
	for _, g := range rows {
		own, err := s.Own(g.ID)
		if errors.Is(err, ErrOwned) {
			continue
		}
		if err != nil {
			return n, err
		}
		ok, err := s.interrupt(ctx, g.ID)
		if err = errors.Join(err, own.Release()); err != nil {
			return n, err
		}
		if ok {
			n++
		}
	}
	return n, nil
}

// dead lists the running goals whose owner is gone. It writes nothing.
func (s *Store) dead(ctx context.Context) ([]any, error) {
	running, err := s.seqs(ctx, "status = 'running'")
	if err != nil {
		return nil, err
	}
	var ids []any
	for id := range running {
		alive, err := s.Alive(id)
		if err != nil {
			return nil, err
		}
		if !alive {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// interrupt is called with the sentinel held, so the status cannot change any more.
func (s *Store) interrupt(ctx context.Context, id goal.ID) (bool, error) {
	g, err := s.Goal(ctx, id)
	if err != nil || g.Status != goal.Running {
		return false, err
	}
	reason := "the program ended while the goal ran"
	return true, s.Append(ctx, goal.Run{Goal: g.ID, ID: g.RunID}, &event.Paused{
		Exit: goal.Interrupted, Reason: reason, Report: []string{"Stopped because " + reason + "."},
	})
}

// bootID tells this start of the machine from others; empty where there is none.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
