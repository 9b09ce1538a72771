package runner

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"goalpost/backend/goal"
)

// The rounds that an agent goes live with the goal: a pause, a parked provider and
// a crash give no fresh supply of repeats. They begin again where the user said:
// continue, by a note, by other limits, or by continuing what had stopped for them.

// How much of a run the next one knows.
const (
	maxCalls = 200
	maxSeen  = 500
)

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
	g, p := r.guard, &r.progress
	m := goal.LoopState{
		Calls: map[string]goal.RepeatCount{}, Warned: slices.Sorted(maps.Keys(g.told)), Failures: maps.Clone(g.failures), Refusals: g.refusals, Reading: g.reading,
		Results: p.results.newest(), Worlds: p.worlds.newest(), Quiet: p.quiet, Unmade: p.unmade, Silent: r.silentTurns, USD: p.usd,
	}
	var again []string
	for key, last := range g.last {
		if last.times > 1 && !last.goesOn { // what continued may have ended with the run
			again = append(again, key)
		}
	}
	slices.SortFunc(again, func(a, b string) int { return cmp.Or(cmp.Compare(g.last[b].times, g.last[a].times), cmp.Compare(a, b)) })
	for _, key := range again[:min(maxCalls, len(again))] {
		m.Calls[key] = goal.RepeatCount{Result: g.last[key].result, Times: g.last[key].times}
	}
	return m
}

// restoreLoopState takes what the run before knew. In the meantime the user may have put right
// what a call depends on: it may be made once more.
func (r *Run) restoreLoopState(m goal.LoopState) {
	g, p := r.guard, &r.progress
	for key, c := range m.Calls {
		g.last[key] = repeatEntry{result: c.Result, times: min(c.Times, refuseAfter-2)}
	}
	for _, what := range m.Warned {
		g.told[what] = true
	}
	maps.Copy(g.failures, m.Failures)
	g.refusals, g.reading = m.Refusals, m.Reading
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
	r.guard = newGuard()
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
