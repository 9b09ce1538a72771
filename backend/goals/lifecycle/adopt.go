package lifecycle

import (
	"context"
	"errors"
	"slices"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

// Recovery adopts goals whose process has ended: this process continues them.
type Recovery struct {
	*Runs
}

// adoptAll adopts the goals with a status in the order in which they were created.
func (r *Recovery) adoptAll(ctx context.Context, status goal.Status) error {
	rows, _, err := r.store.Goals.List(ctx, store.Filter{Status: status, Limit: 1 << 20})
	if err != nil {
		return err
	}
	for i := len(rows) - 1; i >= 0; i-- {
		// Nothing is to be done, and the lock could keep another process from resuming the goal.
		if status == goal.Paused && rows[i].Queued == "" && !isParked(rows[i]) {
			continue
		}
		if err := r.adoptParked(ctx, rows[i].ID); err != nil {
			// A goal that cannot continue must not keep the window from opening.
			r.log.Warn("a waiting goal cannot continue", "goal", rows[i].ID, "error", err)
		}
	}
	return nil
}

// adoptParked adopts a goal that waits, unless another process has it.
func (r *Recovery) adoptParked(ctx context.Context, id goal.ID) error {
	lock, err := r.store.Locks.LockGoal(id)
	if errors.Is(err, store.ErrGoalLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	row, err := r.store.Goals.Get(ctx, id) // no other process can change it now
	// A goal whose process died while it waited to be resumed is not queued again.
	if err == nil && row.Queued != "" && row.Status != goal.Pending {
		err = r.store.Journal.Append(ctx, goal.Run{Goal: id, ID: row.RunID}, &event.Queued{
			Reason: "the program ended while the goal waited",
			Left:   goal.Interrupted,
		})
	}
	if err != nil {
		return errors.Join(err, lock.Unlock())
	}
	switch {
	case r.isParentPaused(ctx, row.Origin.Parent):
	case row.Status == goal.Pending:
		return r.startRunner(ctx, row.Goal, lock, &event.Started{})
	case row.Status == goal.Paused && row.Exit == goal.NeedsUser:
		return r.adoptManualAnswer(ctx, row, lock)
	case isParked(row):
		//nolint:contextcheck // giving panes back outlives the call
		return r.beginWithLock(id, lock, func(release func()) error {
			return r.runner.ResumeParked(ctx, row.Goal, release)
		})
	}
	return lock.Unlock()
}

// isParentPaused reports whether a parent goal is paused by more than the end of its process or a wait for a condition.
// Its children then wait with it.
func (r *Recovery) isParentPaused(ctx context.Context, parent goal.ID) bool {
	if parent == "" {
		return false
	}
	row, err := r.store.Goals.Get(ctx, parent)
	return err == nil && row.Status == goal.Paused && row.Exit != goal.Interrupted && row.Exit != goal.WaitingForCondition
}

// adoptManualAnswer continues a goal whose process died after the user accepted or rejected its result and before it
// acted on the answer.
func (r *Recovery) adoptManualAnswer(ctx context.Context, row store.GoalRow, lock *store.GoalLock) error {
	answers, err := r.store.Orders.List(ctx, row.ID, goal.OrderAccept, goal.OrderReject)
	if err != nil || len(answers) == 0 || runProblem(row) != nil { // the user sees the problem when resuming the goal
		return errors.Join(err, lock.Unlock())
	}
	if err := r.settleStaleOrders(ctx, row.ID, answers[len(answers)-1]); err != nil {
		return errors.Join(err, lock.Unlock())
	}
	return r.startRunner(ctx, row.Goal, lock, &event.Resumed{
		Note: "the user had answered, and the program ended before it continued",
	})
}

// settleStaleOrders settles the orders that are older than the user's answer. They are for the former run, not for the
// one that the answer begins.
func (r *Recovery) settleStaleOrders(ctx context.Context, id goal.ID, answer goal.Order) error {
	orders, err := r.store.Orders.List(ctx, id, goal.OrderAbort, goal.OrderPause, goal.OrderResume)
	if err != nil {
		return err
	}
	return r.store.Orders.Settle(ctx, slices.DeleteFunc(orders, func(o goal.Order) bool { return o.ID > answer.ID })...)
}

// AdoptManualAnswers continues goals whose process died after the user had answered a manual check.
func (r *Recovery) AdoptManualAnswers(ctx context.Context) error {
	ids, err := r.store.Questions.ManuallyAnswered(ctx)
	for _, id := range ids {
		// adoptParked checks this again. Checking it first keeps other processes from having to wait for the lock.
		if row, readErr := r.store.Goals.Get(ctx, id); readErr == nil && !r.isParentPaused(ctx, row.Origin.Parent) {
			err = errors.Join(err, r.adoptParked(ctx, id))
		}
	}
	return err
}
