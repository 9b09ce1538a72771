package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
)

// GoalLock is the exclusive right to run one goal. The kernel drops it with the
// process that holds it: a free sentinel of a running goal means that its run died.
type GoalLock struct{ lock *flock.Flock }

// ErrGoalLocked means that another process runs the goal.
var ErrGoalLocked error = fault.Kind(fault.Conflict, "", "another process runs this goal", "look at it there, or abort it")

// LockGoal takes the sentinel of a goal, or says ErrGoalLocked.
func (s *Store) LockGoal(id goal.ID) (*GoalLock, error) {
	l := flock.New(s.lockPath(id))
	ok, err := acquireExclusive(l)
	if err != nil {
		return nil, fmt.Errorf("sentinel of %s: %w", id.Short(), err)
	}
	if !ok {
		return nil, ErrGoalLocked
	}
	if err := os.WriteFile(l.Path(), []byte(s.process()+"\n"), 0o600); err != nil { // for people and other processes; the lock alone decides
		return nil, errors.Join(fmt.Errorf("sentinel of %s: %w", id.Short(), err), l.Close())
	}
	return &GoalLock{l}, nil
}

// lockProbeTimeout is how long who only looks at a sentinel may take to let go of it.
const lockProbeTimeout = 5 * time.Second

// acquireExclusive takes a lock that nobody owns. Whoever looks at it just then (see Alive)
// shares it for a moment and is waited for: nothing signals that.
func acquireExclusive(l *flock.Flock) (bool, error) {
	for over := time.Now().Add(lockProbeTimeout); ; time.Sleep(time.Millisecond) {
		if ok, err := l.TryLock(); ok || err != nil {
			return ok, err //nolint:wrapcheck // Own does
		}
		shared, err := l.TryRLock()
		if err = errors.Join(err, l.Unlock()); err != nil || !shared || time.Now().After(over) {
			return false, err
		}
	}
}

// LockOwner is a process that holds the sentinel of a goal: it runs the goal, has it
// in its queue, or waits with it. The zero value is nobody.
type LockOwner struct {
	PID     int
	Other   bool   // it is another one than this
	Process string // what Visit calls it
}

// LockOwner says which process holds the sentinel of a goal.
func (s *Store) LockOwner(id goal.ID) (LockOwner, error) {
	alive, err := s.IsLocked(id)
	if err != nil || !alive {
		return LockOwner{}, err
	}
	b, err := os.ReadFile(s.lockPath(id))
	if err != nil {
		return LockOwner{}, fmt.Errorf("sentinel of %s: %w", id.Short(), err)
	}
	o := LockOwner{Process: strings.TrimSpace(string(b))}
	pid, _, _ := strings.Cut(o.Process, "-")
	if o.PID, err = strconv.Atoi(pid); err != nil {
		return LockOwner{}, nil // it has just been taken, and says so in a moment
	}
	o.Other = o.Process != s.process()
	return o, nil
}

// PeersRunningGoals names the other processes that run goals of this data folder, sorted.
func (s *Store) PeersRunningGoals(ctx context.Context) ([]string, error) {
	running, err := s.seqs(ctx, "status = 'running'")
	if err != nil {
		return nil, err
	}
	var names []string
	for id := range running {
		o, err := s.LockOwner(id)
		if err != nil {
			return nil, err
		}
		if o.Other {
			names = append(names, o.Process)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func (s *Store) lockPath(id goal.ID) string {
	return filepath.Join(s.dir, "run", "goal-"+string(id)+".lock")
}

// process is what this process is called in the run folder: its pid, and a number
// behind it when there is more than one store in it.
func (s *Store) process() string {
	s.wakeSocketMu.Lock()
	defer s.wakeSocketMu.Unlock()
	if s.wakeSocket == nil {
		return strconv.Itoa(os.Getpid())
	}
	return strings.TrimSuffix(filepath.Base(s.wakeSocket.listen.Addr().String()), ".sock")
}

// IsLocked says whether a process holds the sentinel of a goal. It takes no part in
// who gets it: a shared lock is tried, and Own waits for that.
func (s *Store) IsLocked(id goal.ID) (bool, error) {
	l := flock.New(s.lockPath(id), flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // nobody has ever run it
	}
	if err = errors.Join(err, l.Close()); err != nil {
		return false, fmt.Errorf("sentinel of %s: %w", id.Short(), err)
	}
	return !free, nil
}

// Unlock gives the sentinel back. The file stays: removing it would race with
// a process that has just opened it.
func (l *GoalLock) Unlock() error {
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
		ok, err := s.InterruptOne(ctx, g.ID)
		if err != nil {
			return n, err
		}
		if ok {
			n++
		}
	}
	return n, nil
}

// InterruptOne does so for one goal, of which something is asked. It says false
// where its owner lives or it does not run.
func (s *Store) InterruptOne(ctx context.Context, id goal.ID) (ok bool, err error) {
	// A run commits its stop before it lets go: what is free and still runs has died. What
	// else is free may be taken at this moment, and is not held against that.
	if alive, err := s.IsLocked(id); err != nil || alive {
		return false, err
	}
	if g, err := s.Goal(ctx, id); err != nil || g.Status != goal.Running {
		return false, err
	}
	own, err := s.LockGoal(id)
	if errors.Is(err, ErrGoalLocked) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, own.Unlock()) }()
	return s.interrupt(ctx, id)
}

// orphanedGoals lists the goals that ran or waited in the queue and whose owner is gone, but no
// done one, which is only reopened. It writes nothing.
func (s *Store) orphanedGoals(ctx context.Context) ([]any, error) {
	running, err := s.seqs(ctx, "status IN ('running','pending') OR queued <> '' AND status <> 'completed'")
	if err != nil {
		return nil, err
	}
	var ids []any
	for id := range running {
		alive, err := s.IsLocked(id)
		if err != nil {
			return nil, err
		}
		if !alive {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// interrupt is called with the sentinel held, so the status cannot change any
// more. A call that had not answered is in doubt, and shown so from now on.
func (s *Store) interrupt(ctx context.Context, id goal.ID) (bool, error) {
	g, err := s.Goal(ctx, id)
	if err != nil || g.Status != goal.Running {
		return false, err
	}
	open, err := s.IntentsWithoutResult(ctx, id)
	if err != nil {
		return false, err
	}
	var bodies []event.Body
	for _, step := range open {
		text := "the program ended before this call answered: its outcome is unknown"
		bodies = append(bodies, &event.Step{StepID: step.StepID, Tool: step.Tool, Outcome: event.OutcomeUnknown, Preview: text, Result: text})
	}
	reason := "the program ended while the goal ran"
	return true, s.Append(ctx, goal.Run{Goal: g.ID, ID: g.RunID}, append(bodies, &event.Paused{
		Exit: goal.Interrupted, Reason: reason, Report: []string{"Stopped because " + reason + "."},
	})...)
}

// bootID tells this start of the machine from others; empty where there is none.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
