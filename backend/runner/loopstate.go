package runner

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/runner/loopguard"
)

// The rounds that an agent goes live with the goal: a pause, a parked provider and
// a crash give no fresh supply of repeats. They begin again where the user said:
// continue, by a note, by other limits, or by continuing what had stopped for them.

// loopState is what the next run must know of the rounds of this one.
func (r *Run) loopState() goal.LoopState {
	m := goal.LoopState{Silent: r.turns.silent}
	r.dispatcher.guard.SaveState(&m)
	r.progress.detector.SaveState(&m)
	return m
}

// restoreLoopState takes what the run before knew.
func (r *Run) restoreLoopState(m goal.LoopState) {
	r.dispatcher.guard.RestoreState(m)
	r.progress.detector.RestoreState(m)
	r.turns.silent = m.Silent
}

// resetLoopState is the user's word: what went round in circles may be right now.
func (r *Run) resetLoopState() {
	r.dispatcher.guard = loopguard.New()
	r.progress.detector.Reset(r.goal.Spent.USD)
	r.turns.silent = 0
}

// saveLoopState is the end of an iteration: a run that is killed leaves its memory, too.
func (r *Run) saveLoopState(ctx context.Context) *Stop {
	now := r.cfg.Clock.Now()
	if r.turns.stateSavedAt.IsZero() {
		r.turns.stateSavedAt = r.budget.startedAt
	}
	if now.Sub(r.turns.stateSavedAt) < heartbeat {
		return stopCause(ctx)
	}
	r.turns.stateSavedAt = now
	if err := r.history.SaveLoopState(ctx, r.id, r.loopState()); err != nil && ctx.Err() == nil {
		r.cfg.Log.Warn("what the run remembers", "goal", r.goal.ID, "error", err)
	}
	return stopCause(ctx)
}
