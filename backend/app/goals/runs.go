package goals

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"goalpost/backend/app/panes"
	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/runner"
	"goalpost/backend/store"
)

// runs hands goals to the runner and gives orders to their runs.
type runs struct {
	store  *store.Store
	log    *slog.Logger
	runner *runner.Runner
	panes  *panes.Registry
}

// startRunner hands a goal to the runner, which gives the sentinel back after the run.
func (s *runs) startRunner(ctx context.Context, g goal.Goal, own *store.GoalLock, opening ...event.Body) error {
	s.panes.Share(g.Options.Panes, g.ID)
	return s.releaseFunc(g.ID, own, func(release func()) error { return s.runner.Start(ctx, g, release, opening...) }) //nolint:contextcheck // giving panes back outlives the call
}

// releaseFunc lends the runner a sentinel.
func (s *runs) releaseFunc(id goal.ID, own *store.GoalLock, begin func(release func()) error) error {
	release := func() {
		s.panes.EndDrive(id)
		if err := own.Unlock(); err != nil {
			s.log.Warn("sentinel", "goal", id, "error", err)
		}
	}
	if err := begin(release); err != nil {
		release()
		return fmt.Errorf("start goal %s: %w", id.Short(), err)
	}
	return nil
}

// runCloseTimeout is how long a run may take to close after it has told its end.
const runCloseTimeout = 30 * time.Second

// lockStopped takes the sentinel of a goal that does not run. A run of this program
// that has just told its end is waited for.
func (s *runs) lockStopped(ctx context.Context, id goal.ID) (*store.GoalLock, error) {
	if s.runner.Queued(id) {
		return nil, &fault.Error{
			Code:    fault.Conflict,
			Message: "the goal waits in the queue already",
			Hint:    "abort it to take it out",
		}
	}
	ctx, cancel := context.WithTimeout(ctx, runCloseTimeout)
	defer cancel()
	select {
	case <-s.runner.Done(id):
	case <-ctx.Done():
	}
	own, err := s.store.LockGoal(id)
	if err != nil {
		return nil, fmt.Errorf("goal %s: %w", id.Short(), err)
	}
	return own, nil
}

// isQueued says whether a goal waits in the queue, here or in another process, whatever
// its status is: that of a goal which was resumed is what it was until its run begins.
func (s *runs) isQueued(row store.GoalRow) (bool, error) {
	if s.runner.Queued(row.ID) {
		return true, nil
	}
	waits, err := s.store.QueueReason(row)
	return waits != "", err
}

// isActive says whether a goal has a run, waits for one, or may get one.
func (s *runs) isActive(row store.GoalRow) (bool, error) {
	if row.Status.IsActive() {
		return true, nil
	}
	return s.isQueued(row)
}

// awaitRelease waits until the process that owns a goal has ended its run. The
// kernel signals nothing about a lock, so it is asked.
func (s *runs) awaitRelease(ctx context.Context, id goal.ID) (*store.GoalLock, error) {
	ctx, cancel := context.WithTimeout(ctx, runCloseTimeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		own, err := s.store.LockGoal(id)
		if !errors.Is(err, store.ErrGoalLocked) {
			return own, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, &fault.Error{
				Code:    fault.Conflict,
				Message: "the process that runs the goal has not answered yet",
				Hint:    "the order stays with it; look again in a moment",
			}
		}
	}
}

func (s *runs) AddOrder(ctx context.Context, id goal.ID, o goal.Order) error {
	return s.addOrderIf(ctx, id, func(store.GoalRow) error { return nil }, o)
}

// addOrderIf gives orders that only some goals hear.
func (s *runs) addOrderIf(
	ctx context.Context, id goal.ID, hears func(store.GoalRow) error, orders ...goal.Order,
) error {
	if err := s.store.OrderIf(ctx, id, hears, orders...); err != nil {
		return fmt.Errorf("%s: %w", orders[0].Kind, err)
	}
	if !s.runner.Wake(id) {
		s.store.WakeAll(ctx, id) // else it is heard a little later
	}
	return nil
}
