package runner

import (
	"context"

	"goalpost/backend/core/runner/loopguard"
	"goalpost/backend/domain/goal"
)

// The counts of repeated calls live as long as the goal, so that a pause, a parked provider or a crash allows no more
// repeats. They start again when the user adds a note, changes the limits, or resumes a goal that had stopped for the
// user.

// loopState returns what the next run must know about this run's repeated calls.
func (r *Run) loopState() goal.LoopState {
	m := goal.LoopState{Silent: r.turns.silent}
	r.dispatcher.guard.SaveState(&m)
	r.progress.detector.SaveState(&m)
	return m
}

// restoreLoopState restores the state of the previous run.
func (r *Run) restoreLoopState(m goal.LoopState) {
	r.dispatcher.guard.RestoreState(m)
	r.progress.detector.RestoreState(m)
	r.turns.silent = m.Silent
}

// resetLoopState forgets repeated calls after the user intervened, because they may be right now.
func (r *Run) resetLoopState() {
	r.dispatcher.guard = loopguard.New()
	r.progress.detector.Reset(r.goal.Spent.USD)
	r.turns.silent = 0
}

// saveLoopState runs at the end of each iteration, so that even a killed run leaves its state.
func (r *Run) saveLoopState(ctx context.Context) *Stop {
	now := r.cfg.Clock.Now()
	if r.turns.stateSavedAt.IsZero() {
		r.turns.stateSavedAt = r.budget.startedAt
	}
	if now.Sub(r.turns.stateSavedAt) < idleInterval {
		return stopCause(ctx)
	}
	r.turns.stateSavedAt = now
	if err := r.cfg.Store.History.SaveLoopState(ctx, r.id, r.loopState()); err != nil && ctx.Err() == nil {
		r.cfg.Log.Warn("save the loop state", "goal", r.goal.ID, "error", err)
	}
	return stopCause(ctx)
}
