package goals

import (
	"context"
	"errors"
	"slices"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/store"
)

// recovery takes over goals whose process has ended.
type recovery struct {
	*runs
}

// adoptAll takes over goals in the order in which they were created.
func (s *recovery) adoptAll(ctx context.Context, status goal.Status) error {
	rows, _, err := s.store.List(ctx, store.Filter{Status: status, Limit: 1 << 20})
	if err != nil {
		return err
	}
	for i := len(rows) - 1; i >= 0; i-- {
		// There is nothing to do, and locking it could hinder another process from resuming it.
		if status == goal.Paused && rows[i].Queued == "" && !isParked(rows[i]) {
			continue
		}
		if err := s.adoptParked(ctx, rows[i].ID); err != nil {
			// A goal that cannot continue must not keep the window from opening.
			s.log.Warn("a waiting goal cannot continue", "goal", rows[i].ID, "error", err)
		}
	}
	return nil
}

// adoptParked takes over a goal that waits, if no other process has.
func (s *recovery) adoptParked(ctx context.Context, id goal.ID) error {
	own, err := s.store.LockGoal(id)
	if errors.Is(err, store.ErrGoalLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	row, err := s.store.Goal(ctx, id) // no other process can change it now
	// Its process died while it waited to be resumed. This process does not queue it again.
	if err == nil && row.Queued != "" && row.Status != goal.Pending {
		err = s.store.Append(ctx, goal.Run{Goal: id, ID: row.RunID}, &event.Queued{
			Reason: "the program ended while the goal waited",
			Left:   goal.Interrupted,
		})
	}
	if err != nil {
		return errors.Join(err, own.Unlock())
	}
	switch {
	case s.parentPaused(ctx, row.Options.Parent):
	case row.Status == goal.Pending:
		return s.startRunner(ctx, row.Goal, own, &event.Started{})
	case row.Status == goal.Paused && row.Exit == goal.NeedsUser:
		return s.adoptManualAnswer(ctx, row, own)
	case isParked(row):
		return s.releaseFunc(id, own, func(release func()) error { return s.runner.ResumeParked(ctx, row.Goal, release) }) //nolint:contextcheck // giving panes back outlives the call
	}
	return own.Unlock()
}

// parentPaused reports whether the goal that started another one is paused. The child then waits with it.
func (s *recovery) parentPaused(ctx context.Context, parent goal.ID) bool {
	if parent == "" {
		return false
	}
	row, err := s.store.Goal(ctx, parent)
	return err == nil && row.Status == goal.Paused && row.Exit != goal.Interrupted
}

// adoptManualAnswer continues a goal whose result the user accepted or rejected, and whose process died before
// it could act on that.
func (s *recovery) adoptManualAnswer(ctx context.Context, row store.GoalRow, own *store.GoalLock) error {
	said, err := s.store.Orders(ctx, row.ID, goal.OrderAccept, goal.OrderReject)
	if err != nil || len(said) == 0 || runProblem(row) != nil { // the user learns the reason when resuming the goal
		return errors.Join(err, own.Unlock())
	}
	if err := s.settleStaleOrders(ctx, row.ID, said[len(said)-1]); err != nil {
		return errors.Join(err, own.Unlock())
	}
	return s.startRunner(ctx, row.Goal, own, &event.Resumed{
		Note: "the user had answered, and the program ended before it continued",
	})
}

// settleStaleOrders drops orders that are older than the user's answer: they concern the former run, not the
// one that the answer begins.
func (s *recovery) settleStaleOrders(ctx context.Context, id goal.ID, word goal.Order) error {
	asked, err := s.store.Orders(ctx, id, goal.OrderAbort, goal.OrderPause, goal.OrderResume)
	if err != nil {
		return err
	}
	return s.store.Settle(ctx, slices.DeleteFunc(asked, func(o goal.Order) bool { return o.ID > word.ID })...)
}

// AdoptManualAnswers continues goals of other processes that died after the user had answered a manual check.
func (s *recovery) AdoptManualAnswers(ctx context.Context) error {
	ids, err := s.store.ManuallyAnswered(ctx)
	for _, id := range ids {
		// adopt checks this again; checking first avoids making others wait for the lock
		if row, gone := s.store.Goal(ctx, id); gone == nil && !s.parentPaused(ctx, row.Options.Parent) {
			err = errors.Join(err, s.adoptParked(ctx, id))
		}
	}
	return err
}
