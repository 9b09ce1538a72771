package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/store"
)

// Recover turns goals whose process died into paused/interrupted. Only programs
// that may run goals call it. A window and serve also take up what waits and has
// lost its process: goals in the queue, parked ones, which continue at their time, and
// those whose user has said about a claim what nobody heard.
func (a *App) Recover(ctx context.Context) error {
	n, err := a.store.Interrupt(ctx)
	if n > 0 {
		a.log.Info("goals were interrupted", "count", n)
	}
	if err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	if !a.followOthers {
		return nil
	}
	if err := a.deleteExpired(ctx); err != nil {
		a.log.Warn("deleting goals that were kept long enough", "error", err)
	}
	if n, err := a.store.Sweep(ctx); err != nil {
		a.log.Warn("evidence that nothing refers to", "error", err)
	} else if n > 0 {
		a.log.Info("evidence that nothing referred to was removed", "count", n)
	}
	for _, status := range []goal.Status{goal.Pending, goal.Paused} {
		if err := a.adoptAll(ctx, status); err != nil {
			return fmt.Errorf("recover: %w", err)
		}
	}
	if err := a.adoptManualAnswers(ctx); err != nil {
		a.log.Warn("goals that were answered", "error", err)
	}
	return nil
}

// deleteExpired deletes the goals that ended so long ago that the user does not want
// them any more.
func (a *App) deleteExpired(ctx context.Context) error {
	days := a.cfg.Settings().KeepDays
	if days == 0 {
		return nil
	}
	n, err := a.Prune(ctx, api.PruneInput{OlderThanMS: (time.Duration(days) * 24 * time.Hour).Milliseconds()})
	if n > 0 {
		a.log.Info("goals were deleted", "count", n, "older_than_days", days)
	}
	return err
}

// adoptAll takes goals up in the order in which they were created.
func (a *App) adoptAll(ctx context.Context, status goal.Status) error {
	rows, _, err := a.store.List(ctx, store.Filter{Status: status, Limit: 1 << 20})
	if err != nil {
		return err
	}
	for i := len(rows) - 1; i >= 0; i-- {
		if status == goal.Paused && rows[i].Queued == "" && !parked(rows[i]) { // not held against who resumes it just now
			continue
		}
		if err := a.adopt(ctx, rows[i].ID); err != nil {
			// One goal that cannot continue must not keep the window from opening.
			a.log.Warn("taking up a goal that waits", "goal", rows[i].ID, "error", err)
		}
	}
	return nil
}

// adopt looks after a goal that waits, if nobody else does.
func (a *App) adopt(ctx context.Context, id goal.ID) error {
	own, err := a.store.LockGoal(id)
	if errors.Is(err, store.ErrGoalLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	row, err := a.store.Goal(ctx, id)                                 // now nobody else changes it
	if err == nil && row.Queued != "" && row.Status != goal.Pending { // it died there, and this one does not wait for that
		err = a.store.Append(ctx, goal.Run{Goal: id, ID: row.RunID}, &event.Queued{Reason: "the program ended while the goal waited", Left: goal.Interrupted})
	}
	if err != nil {
		return errors.Join(err, own.Unlock())
	}
	switch {
	case a.parentPaused(ctx, row.Options.Parent):
	case row.Status == goal.Pending:
		return a.startRunner(ctx, row.Goal, own, &event.Started{})
	case row.Status == goal.Paused && row.Exit == goal.NeedsUser:
		return a.adoptManualAnswer(ctx, row, own)
	case parked(row):
		return a.releaseFunc(id, own, func(release func()) error { return a.runner.ResumeParked(ctx, row.Goal, release) }) //nolint:contextcheck // giving panes back outlives the call
	}
	return own.Unlock()
}

// parentPaused says whether the goal that started another is paused: what it started
// spends nothing then, and is woken with it.
func (a *App) parentPaused(ctx context.Context, parent goal.ID) bool {
	if parent == "" {
		return false
	}
	row, err := a.store.Goal(ctx, parent)
	return err == nil && row.Status == goal.Paused && row.Exit != goal.Interrupted
}

// adoptManualAnswer continues with a goal whose user has accepted its result or sent it
// back, and whose process died before it could do so.
func (a *App) adoptManualAnswer(ctx context.Context, row store.GoalRow, own *store.GoalLock) error {
	said, err := a.store.Orders(ctx, row.ID, goal.OrderAccept, goal.OrderReject)
	if err != nil || len(said) == 0 || runProblem(row) != nil { // why it may not is said to who resumes it
		return errors.Join(err, own.Unlock())
	}
	if err := a.settleStaleOrders(ctx, row.ID, said[len(said)-1]); err != nil {
		return errors.Join(err, own.Unlock())
	}
	return a.startRunner(ctx, row.Goal, own, &event.Resumed{Note: "the user had answered, and the program ended before it continued"})
}

// settleStaleOrders drops what was asked of the run before the user's word: it says nothing
// about the one that the word begins.
func (a *App) settleStaleOrders(ctx context.Context, id goal.ID, word goal.Order) error {
	asked, err := a.store.Orders(ctx, id, goal.OrderAbort, goal.OrderPause, goal.OrderResume)
	if err != nil {
		return err
	}
	return a.store.Settle(ctx, slices.DeleteFunc(asked, func(o goal.Order) bool { return o.ID > word.ID })...)
}

// adoptManualAnswers does so for goals of other processes that died while this one is open.
func (a *App) adoptManualAnswers(ctx context.Context) error {
	ids, err := a.store.ManuallyAnswered(ctx)
	for _, id := range ids {
		if row, gone := a.store.Goal(ctx, id); gone == nil && !a.parentPaused(ctx, row.Options.Parent) { // again in adopt: now others must not have to wait
			err = errors.Join(err, a.adopt(ctx, id))
		}
	}
	return err
}
