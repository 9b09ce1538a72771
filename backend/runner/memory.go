package runner

import (
	"context"
	"slices"

	"goalpost/backend/goal"
	"goalpost/backend/runner/loopguard"
)

// The rounds that an agent goes live with the goal: a pause, a parked provider and
// a crash give no fresh supply of repeats. They begin again where the user said:
// continue, by a note, by other limits, or by continuing what had stopped for them.

// How much of a run the next one knows.
const maxSeen = 500

// seenSet is what was seen before.
type seenSet struct {
	has  map[string]bool
	list []string // in the order in which it was seen
}

// add says whether it was new.
func (s *seenSet) add(what string) bool {
	if s.has[what] {
		return false
	}
	if s.has == nil {
		s.has = map[string]bool{}
	}
	s.has[what] = true
	s.list = append(s.list, what)
	return true
}

func (s *seenSet) newest() []string { return slices.Clone(s.list[max(0, len(s.list)-maxSeen):]) }

// loopState is what the next run must know of the rounds of this one.
func (r *Run) loopState() goal.LoopState {
	p := &r.progress
	m := goal.LoopState{
		Results: p.results.newest(), Worlds: p.worlds.newest(), Quiet: p.quiet, Unmade: p.unmade, Silent: r.silentTurns, USD: p.usd,
	}
	r.guard.SaveState(&m)
	return m
}

// restoreLoopState takes what the run before knew.
func (r *Run) restoreLoopState(m goal.LoopState) {
	r.guard.RestoreState(m)
	p := &r.progress
	for _, sum := range m.Results {
		p.results.add(sum)
	}
	for _, print := range m.Worlds {
		p.worlds.add(print)
	}
	p.quiet, p.unmade, r.silentTurns = m.Quiet, m.Unmade, m.Silent
	if m.USD > 0 {
		p.usd = m.USD
	}
}

// resetLoopState is the user's word: what went round in circles may be right now.
func (r *Run) resetLoopState() {
	p := &r.progress
	r.guard = loopguard.New()
	p.worlds, p.results = seenSet{}, seenSet{}
	p.quiet, p.unmade, p.usd, r.silentTurns = 0, 0, r.goal.Spent.USD, 0
}

// saveLoopState is the end of an iteration: a run that is killed leaves its memory, too.
func (r *Run) saveLoopState(ctx context.Context) *Stop {
	now := r.cfg.Clock.Now()
	if r.stateSavedAt.IsZero() {
		r.stateSavedAt = r.startedAt
	}
	if now.Sub(r.stateSavedAt) < heartbeat {
		return stopCause(ctx)
	}
	r.stateSavedAt = now
	if err := r.cfg.Journal.SaveLoopState(ctx, r.id, r.loopState()); err != nil && ctx.Err() == nil {
		r.cfg.Log.Warn("what the run remembers", "goal", r.goal.ID, "error", err)
	}
	return stopCause(ctx)
}
