package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
)

// GoalLocks finds which process runs which goal.
type GoalLocks struct{ *connection }

// GoalLock is the exclusive right to run one goal. The kernel releases it with the process that holds it: a free lock
// file of a running goal means that its run died.
type GoalLock struct{ lock *flock.Flock }

// ErrGoalLocked means that another process runs the goal.
var ErrGoalLocked error = fault.Kind(fault.Conflict, "", "another process runs this goal",
	"watch it there, or abort it")

// LockGoal takes the lock file of a goal, or returns ErrGoalLocked.
func (g *GoalLocks) LockGoal(id goal.ID) (*GoalLock, error) {
	l := flock.New(g.lockPath(id))
	ok, err := acquireExclusive(l)
	if err != nil {
		return nil, fmt.Errorf("lock file of %s: %w", id.Short(), err)
	}
	if !ok {
		return nil, ErrGoalLocked
	}
	// for users and other processes; only the lock itself decides
	if err := os.WriteFile(l.Path(), []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("lock file of %s: %w", id.Short(), err), l.Close())
	}
	return &GoalLock{l}, nil
}

// lockProbeTimeout is how long a probe of a lock file (see IsLocked) may hold it.
const lockProbeTimeout = 5 * time.Second

// acquireExclusive takes a lock that nobody owns. A probe (see IsLocked) may share it for a moment; acquireExclusive
// polls until it is released, because nothing signals that.
func acquireExclusive(l *flock.Flock) (bool, error) {
	for deadline := time.Now().Add(lockProbeTimeout); ; time.Sleep(time.Millisecond) {
		if ok, err := l.TryLock(); ok || err != nil {
			return ok, err //nolint:wrapcheck // LockGoal does
		}
		shared, err := l.TryRLock()
		if err = errors.Join(err, l.Unlock()); err != nil || !shared || time.Now().After(deadline) {
			return false, err
		}
	}
}

// LockOwner returns the pid of the process that holds the lock file of a goal, or 0 if none does. That process runs the
// goal, has it in its queue, or waits for the provider with it.
func (g *GoalLocks) LockOwner(id goal.ID) (pid int, err error) {
	alive, err := g.IsLocked(id)
	if err != nil || !alive {
		return 0, err
	}
	b, err := os.ReadFile(g.lockPath(id))
	if err != nil {
		return 0, fmt.Errorf("lock file of %s: %w", id.Short(), err)
	}
	if pid, err = strconv.Atoi(strings.TrimSpace(string(b))); err != nil {
		return 0, nil // the process has just taken it, and has not written its pid yet
	}
	return pid, nil
}

func (g *GoalLocks) lockPath(id goal.ID) string {
	return filepath.Join(g.dir, "run", "goal-"+string(id)+".lock")
}

// IsLocked reports whether a process holds the lock file of a goal. It does not compete for the lock: it tries a
// shared lock, and LockGoal waits for that.
func (g *GoalLocks) IsLocked(id goal.ID) (bool, error) {
	l := flock.New(g.lockPath(id), flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // it was never run
	}
	if err = errors.Join(err, l.Close()); err != nil {
		return false, fmt.Errorf("lock file of %s: %w", id.Short(), err)
	}
	return !free, nil
}

// hasLiveOwner reports whether the process that locked a goal lives. A process that dies while it starts a child leaves
// the lock to that, until the child has begun its own program. hasLiveOwner polls until then: nothing signals it.
func (g *GoalLocks) hasLiveOwner(id goal.ID) (bool, error) {
	for deadline := time.Now().Add(lockProbeTimeout); ; time.Sleep(5 * time.Millisecond) {
		pid, err := g.LockOwner(id)
		if err != nil || pid == 0 {
			return false, err
		}
		if isAlive(pid) || time.Now().After(deadline) {
			return true, nil
		}
	}
}

// isAlive reports whether a process exists.
func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	return err == nil && !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// Unlock releases the lock file. The file stays: removing it would race with a process that has just opened it.
func (g *GoalLock) Unlock() error {
	if err := g.lock.Close(); err != nil {
		return fmt.Errorf("lock file: %w", err)
	}
	return nil
}

// orphanedGoals lists the goals that ran or were queued and whose owner is gone, without completed ones, which can
// only be reopened. It writes nothing.
func (g *GoalLocks) orphanedGoals(ctx context.Context) ([]any, error) {
	active, err := readRows(ctx, g.read, "goals", scanValue[goal.ID],
		"SELECT id FROM goals WHERE status IN ('running','pending') OR queued <> '' AND status <> 'completed'")
	if err != nil {
		return nil, err
	}
	var ids []any
	for _, id := range active {
		alive, err := g.IsLocked(id)
		if err != nil {
			return nil, err
		}
		if !alive {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// bootID identifies this start of the machine; empty if the system has none.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
