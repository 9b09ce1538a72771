package store

import (
	"context"
	"errors"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// Recovery pauses goals whose process has ended.
type Recovery struct {
	*connection
	goals   *GoalTable
	journal *Journal
	history *History
	locks   *GoalLocks
}

// Interrupt sets every running goal whose owner died to paused/interrupted. Only a program that may run goals calls
// it; reading commands never write.
func (r *Recovery) Interrupt(ctx context.Context) (int, error) {
	rows, _, err := r.goals.List(ctx, Filter{Status: goal.Running, Limit: 1 << 20})
	if err != nil {
		return 0, err
	}
	n := 0
	for _, g := range rows {
		ok, err := r.InterruptOne(ctx, g.ID)
		if err != nil {
			return n, err
		}
		if ok {
			n++
		}
	}
	return n, nil
}

// InterruptOne does what Interrupt does, for one goal. It returns false if the goal's owner lives or the goal is not
// running.
func (r *Recovery) InterruptOne(ctx context.Context, id goal.ID) (ok bool, err error) {
	// A run commits its stop before it releases the lock: a running goal with a free lock has died. Any other free
	// lock may be taken at this moment.
	if g, err := r.goals.Get(ctx, id); err != nil || g.Status != goal.Running {
		return false, err
	}
	if alive, err := r.locks.hasLiveOwner(id); err != nil || alive {
		return false, err
	}
	if g, err := r.goals.Get(ctx, id); err != nil || g.Status != goal.Running {
		return false, err
	}
	lock, err := r.locks.LockGoal(id)
	if errors.Is(err, ErrGoalLocked) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return r.interruptLocked(ctx, id)
}

// interruptLocked interrupts a goal whose lock file the caller holds, so that the status cannot change any more. It
// records the outcome of a call without a result as unknown.
func (r *Recovery) interruptLocked(ctx context.Context, id goal.ID) (bool, error) {
	g, err := r.goals.Get(ctx, id)
	if err != nil || g.Status != goal.Running {
		return false, err
	}
	open, err := r.history.IntentsWithoutResult(ctx, id)
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
	return true, r.journal.Append(ctx, goal.Run{Goal: g.ID, ID: g.RunID}, append(bodies, &event.Paused{
		Exit: goal.Interrupted, Reason: reason, Report: []string{goal.DescribeStop(reason)},
	})...)
}
