package app

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/store"
)

// Recover turns goals whose process died into paused/interrupted. Only programs
// that may run goals call it. A window and serve also take up what waits and has
// lost its process: goals in the queue, and parked ones, which go on at their time.
func (a *App) Recover(ctx context.Context) error {
	n, err := a.store.Interrupt(ctx)
	if n > 0 {
		a.log.Info("goals were interrupted", "count", n)
	}
	if err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	if !a.watch {
		return nil
	}
	for _, status := range []goal.Status{goal.Pending, goal.Paused} {
		if err := a.takeUpAll(ctx, status); err != nil {
			return fmt.Errorf("recover: %w", err)
		}
	}
	return nil
}

// takeUpAll takes goals up in the order in which they were created.
func (a *App) takeUpAll(ctx context.Context, status goal.Status) error {
	rows, _, err := a.store.List(ctx, store.Filter{Status: status, Limit: 1 << 20})
	if err != nil {
		return err
	}
	for i := len(rows) - 1; i >= 0; i-- {
		if err := a.takeUp(ctx, rows[i].ID); err != nil {
			// One goal that cannot go on must not keep the window from opening.
			a.log.Warn("taking up a goal that waits", "goal", rows[i].ID, "error", err)
		}
	}
	return nil
}

// takeUp looks after a goal that waits, if nobody else does.
func (a *App) takeUp(ctx context.Context, id goal.ID) error {
	own, err := a.store.Own(id)
	if errors.Is(err, store.ErrOwned) {
		return nil
	}
	if err != nil {
		return err
	}
	row, err := a.store.Goal(ctx, id) // now nobody else changes it
	if err != nil {
		return errors.Join(err, own.Release())
	}
	switch {
	case row.Status == goal.Pending:
		return a.launch(ctx, row.Goal, own, &event.Started{})
	case row.Status == goal.Paused && row.Exit == goal.Parked:
		return a.owned(id, own, func(release func()) error { return a.runner.Await(ctx, row.Goal, release) })
	}
	return own.Release()
}
