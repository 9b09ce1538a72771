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

// goalLocks says which process runs which goal.
type goalLocks struct {
	*connection
	sockets *peerSockets
}

// GoalLock is the exclusive right to run one goal. The kernel releases it with the process that holds it: a free lock
// file of a running goal means that its run died.
type GoalLock struct{ lock *flock.Flock }

// ErrGoalLocked means that another process runs the goal.
var ErrGoalLocked error = fault.Kind(fault.Conflict, "", "another process runs this goal",
	"look at it there, or abort it")

// LockGoal takes the lock file of a goal, or returns ErrGoalLocked.
func (s *goalLocks) LockGoal(id goal.ID) (*GoalLock, error) {
	l := flock.New(s.lockPath(id))
	ok, err := acquireExclusive(l)
	if err != nil {
		return nil, fmt.Errorf("lock file of %s: %w", id.Short(), err)
	}
	if !ok {
		return nil, ErrGoalLocked
	}
	// for users and other processes; only the lock itself decides
	if err := os.WriteFile(l.Path(), []byte(s.processName()+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("lock file of %s: %w", id.Short(), err), l.Close())
	}
	return &GoalLock{l}, nil
}

// lockProbeTimeout is how long a probe of a lock file (see IsLocked) may hold it.
const lockProbeTimeout = 5 * time.Second

// acquireExclusive takes a lock that nobody owns. A probe (see IsLocked) may share it for a moment; acquireExclusive
// polls until it is released, because nothing signals that.
func acquireExclusive(l *flock.Flock) (bool, error) {
	for over := time.Now().Add(lockProbeTimeout); ; time.Sleep(time.Millisecond) {
		if ok, err := l.TryLock(); ok || err != nil {
			return ok, err //nolint:wrapcheck // LockGoal does
		}
		shared, err := l.TryRLock()
		if err = errors.Join(err, l.Unlock()); err != nil || !shared || time.Now().After(over) {
			return false, err
		}
	}
}

// LockOwner is the process that holds the lock file of a goal: it runs the goal, has it in its queue, or waits with
// it for the provider. The zero value is nobody.
type LockOwner struct {
	PID     int
	Other   bool   // it is not this process
	Process string // its name, for DialPeer
}

// LockOwner returns the process that holds the lock file of a goal.
func (s *goalLocks) LockOwner(id goal.ID) (LockOwner, error) {
	alive, err := s.IsLocked(id)
	if err != nil || !alive {
		return LockOwner{}, err
	}
	b, err := os.ReadFile(s.lockPath(id))
	if err != nil {
		return LockOwner{}, fmt.Errorf("lock file of %s: %w", id.Short(), err)
	}
	o := LockOwner{Process: strings.TrimSpace(string(b))}
	pid, _, _ := strings.Cut(o.Process, "-")
	if o.PID, err = strconv.Atoi(pid); err != nil {
		return LockOwner{}, nil // it has just been taken, and is not filled in yet
	}
	o.Other = o.Process != s.processName()
	return o, nil
}

// PeersRunningGoals names the other processes that run goals of this data folder, sorted.
func (s *goalLocks) PeersRunningGoals(ctx context.Context) ([]string, error) {
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

func (s *goalLocks) lockPath(id goal.ID) string {
	return filepath.Join(s.dir, "run", "goal-"+string(id)+".lock")
}

// processName is the name of this process in the run folder: its pid, followed by a number if the process has more than
// one store.
func (s *goalLocks) processName() string {
	s.sockets.wakeSocketMu.Lock()
	defer s.sockets.wakeSocketMu.Unlock()
	if s.sockets.wakeSocket == nil {
		return strconv.Itoa(os.Getpid())
	}
	return strings.TrimSuffix(filepath.Base(s.sockets.wakeSocket.listen.Addr().String()), ".sock")
}

// IsLocked reports whether a process holds the lock file of a goal. It does not compete for the lock: it tries a
// shared lock, and LockGoal waits for that.
func (s *goalLocks) IsLocked(id goal.ID) (bool, error) {
	l := flock.New(s.lockPath(id), flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // it was never run
	}
	if err = errors.Join(err, l.Close()); err != nil {
		return false, fmt.Errorf("lock file of %s: %w", id.Short(), err)
	}
	return !free, nil
}

// Unlock releases the lock file. The file stays: removing it would race with a process that has just opened it.
func (l *GoalLock) Unlock() error {
	if err := l.lock.Close(); err != nil {
		return fmt.Errorf("lock file: %w", err)
	}
	return nil
}

// Interrupt sets every running goal whose owner died to paused/interrupted. Only a program that may run goals calls
// it; reading commands never write.
func (s *recovery) Interrupt(ctx context.Context) (int, error) {
	rows, _, err := s.goals.List(ctx, Filter{Status: goal.Running, Limit: 1 << 20})
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

// InterruptOne does so for one goal. It returns false if the goal's owner lives or the goal is not running.
func (s *recovery) InterruptOne(ctx context.Context, id goal.ID) (ok bool, err error) {
	// A run commits its stop before it releases the lock: a running goal with a free lock has died. Any other free
	// lock may be taken at this moment.
	if alive, err := s.locks.IsLocked(id); err != nil || alive {
		return false, err
	}
	if g, err := s.goals.Goal(ctx, id); err != nil || g.Status != goal.Running {
		return false, err
	}
	own, err := s.locks.LockGoal(id)
	if errors.Is(err, ErrGoalLocked) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, own.Unlock()) }()
	return s.interruptLocked(ctx, id)
}

// orphanedGoals lists the goals that ran or were queued and whose owner is gone, without completed ones, which can
// only be reopened. It writes nothing.
func (s *goalLocks) orphanedGoals(ctx context.Context) ([]any, error) {
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

// interruptLocked is called with the lock file held, so the status cannot change any more. The outcome of a call
// without an answer is unknown, and shown as such.
func (s *recovery) interruptLocked(ctx context.Context, id goal.ID) (bool, error) {
	g, err := s.goals.Goal(ctx, id)
	if err != nil || g.Status != goal.Running {
		return false, err
	}
	open, err := s.history.IntentsWithoutResult(ctx, id)
	if err != nil {
		return false, err
	}
	var bodies []event.Body
	for _, step := range open {
		text := "the program ended before this call answered: its outcome is unknown"
		bodies = append(bodies, &event.Step{
			StepID:  step.StepID,
			Tool:    step.Tool,
			Outcome: event.OutcomeUnknown,
			Preview: text,
			Result:  text,
		})
	}
	reason := "the program ended while the goal ran"
	return true, s.journal.Append(ctx, goal.Run{Goal: g.ID, ID: g.RunID}, append(bodies, &event.Paused{
		Exit: goal.Interrupted, Reason: reason, Report: []string{goal.DescribeStop(reason)},
	})...)
}

// bootID identifies this start of the machine; empty if the system has none.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
