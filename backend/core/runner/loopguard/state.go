package loopguard

import (
	"cmp"
	"maps"
	"slices"

	"goalpost/backend/domain/goal"
)

// maxCalls limits how many repeated calls the next run remembers.
const maxCalls = 200

// SaveState writes into m what the next run's guard must know.
func (g *Guard) SaveState(m *goal.LoopState) {
	m.Calls, m.Warned, m.Failures = map[string]goal.RepeatCount{}, slices.Sorted(maps.Keys(g.warned)),
		maps.Clone(g.failures)
	m.Refusals, m.Reading = g.refusals, g.reading
	var repeats []string
	for key, last := range g.last {
		if last.times > 1 && !last.isOngoing { // the program may have ended with the run
			repeats = append(repeats, key)
		}
	}
	slices.SortFunc(repeats, func(a, b string) int {
		return cmp.Or(cmp.Compare(g.last[b].times, g.last[a].times), cmp.Compare(a, b))
	})
	for _, key := range repeats[:min(maxCalls, len(repeats))] {
		m.Calls[key] = goal.RepeatCount{Result: g.last[key].result, Times: g.last[key].times}
	}
}

// RestoreState restores the state of the previous run. Each call may be made once more, because the user may have
// fixed what it depends on.
func (g *Guard) RestoreState(m goal.LoopState) {
	for key, c := range m.Calls {
		g.last[key] = repeatEntry{result: c.Result, times: min(c.Times, refuseAfter-2)}
	}
	for _, what := range m.Warned {
		g.warned[what] = true
	}
	maps.Copy(g.failures, m.Failures)
	g.refusals, g.reading = m.Refusals, m.Reading
}
