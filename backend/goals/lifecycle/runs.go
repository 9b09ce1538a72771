package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/panes"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Runs starts runs of goals and gives them orders.
type Runs struct {
	store  *store.Store
	log    *slog.Logger
	runner *runner.Runner
	panes  *panes.Registry
}

// startRunner passes a goal to the runner, which releases the lock after the run.
func (r *Runs) startRunner(ctx context.Context, g goal.Goal, lock *store.GoalLock, opening ...event.Body) error {
	r.panes.Share(g.Options.Panes, g.ID)
	//nolint:contextcheck // giving panes back outlives the call
	return r.beginWithLock(g.ID, lock, func(release func()) error {
		return r.runner.Start(ctx, g, release, opening...)
	})
}

// beginWithLock calls begin with a function that releases the lock. If begin fails, it releases the lock itself.
func (r *Runs) beginWithLock(id goal.ID, lock *store.GoalLock, begin func(release func()) error) error {
	release := func() {
		r.panes.EndDrive(id)
		if err := lock.Unlock(); err != nil {
			r.log.Warn("a goal's lock file was not released", "goal", id, "error", err)
		}
	}
	if err := begin(release); err != nil {
		release()
		return fmt.Errorf("start goal %s: %w", id.Short(), err)
	}
	return nil
}

// runCloseTimeout bounds how long a run may take to close after it has reported its end.
const runCloseTimeout = 30 * time.Second

// lockStopped locks a goal that does not run. It waits for a run of this process that has just ended to close.
func (r *Runs) lockStopped(ctx context.Context, id goal.ID) (*store.GoalLock, error) {
	if r.runner.IsQueued(id) {
		return nil, fault.New(fault.Conflict, "the goal is already in the queue", "abort it to take it out")
	}
	ctx, cancel := context.WithTimeout(ctx, runCloseTimeout)
	defer cancel()
	select {
	case <-r.runner.Done(id):
	case <-ctx.Done():
	}
	lock, err := r.store.Locks.LockGoal(id)
	if err != nil {
		return nil, fmt.Errorf("goal %s: %w", id.Short(), err)
	}
	return lock, nil
}

// isQueued reports whether a goal waits in the queue, here or in another process. The status is not enough, because a
// resumed goal keeps its former status until its run begins.
func (r *Runs) isQueued(row store.GoalRow) (bool, error) {
	if r.runner.IsQueued(row.ID) {
		return true, nil
	}
	waits, err := r.store.Queue.QueueReason(row)
	return waits != "", err
}

// isActive reports whether a goal has not ended, or waits in the queue to be resumed or reopened.
func (r *Runs) isActive(row store.GoalRow) (bool, error) {
	if row.Status.IsActive() {
		return true, nil
	}
	return r.isQueued(row)
}

// readActive returns a goal, and whether it is active.
func (r *Runs) readActive(ctx context.Context, id goal.ID) (row store.GoalRow, isActive bool, err error) {
	if row, err = r.store.Goals.Get(ctx, id); err == nil {
		isActive, err = r.isActive(row)
	}
	return row, isActive, err
}

// awaitRelease waits until the process that owns a goal has ended its run, and returns the goal's lock. It polls,
// because the kernel does not signal the release of a lock.
func (r *Runs) awaitRelease(ctx context.Context, id goal.ID) (*store.GoalLock, error) {
	ctx, cancel := context.WithTimeout(ctx, runCloseTimeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		lock, err := r.store.Locks.LockGoal(id)
		if !errors.Is(err, store.ErrGoalLocked) {
			return lock, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fault.New(fault.Conflict, "the process that runs the goal has not answered yet",
				"it acts as soon as it can; look again in a moment")
		}
	}
}

// AddOrder gives an order to a goal's run, or to its next one.
func (r *Runs) AddOrder(ctx context.Context, id goal.ID, o goal.Order) error {
	return r.addOrderIf(ctx, id, func(store.GoalRow) error { return nil }, o)
}

// addOrderIf gives orders if accept returns nil for the goal's row.
func (r *Runs) addOrderIf(
	ctx context.Context, id goal.ID, accept func(store.GoalRow) error, orders ...goal.Order,
) error {
	if err := r.store.Orders.AddIf(ctx, id, accept, orders...); err != nil {
		return fmt.Errorf("%s: %w", orders[0].Kind, err)
	}
	r.runner.Wake(id)
	return nil
}

func isParked(r store.GoalRow) bool {
	return r.Status == goal.Paused && r.Exit.IsParked()
}

// noteUserMessage stores a message of the user for the run that is about to begin. The run adds it to the conversation.
func (r *Runs) noteUserMessage(ctx context.Context, id goal.ID, text string) error {
	if text == "" {
		return nil
	}
	if err := r.store.Orders.Add(ctx, id, goal.Order{Kind: goal.OrderSteer, Text: text}); err != nil {
		return fmt.Errorf("note: %w", err)
	}
	return nil
}
