package runner

import (
	"goalpost/backend/domain/goal"
)

// How much of the newest steps the critic and the judges see: the number of steps, and the characters of each
// argument and result. A critic with a longer interval sees more, if its context window and its share of the tokens
// allow it.
const (
	maxRecent      = 40
	maxCriticSteps = 400
	maxJudgedChars = 8 << 10
)

// recentSteps holds the newest steps of a goal, including those of earlier runs, for critic and judges.
type recentSteps struct {
	limit int         // how many are kept
	steps []goal.Step // oldest first
}

// newRecentSteps keeps four steps for each turn between two calls of the critic, and at least maxRecent.
func newRecentSteps(criticEvery int) *recentSteps {
	return &recentSteps{limit: max(maxRecent, min(4*criticEvery, maxCriticSteps))}
}

func (r *recentSteps) add(step goal.Step) {
	r.steps = append(r.steps, step)
	if excess := len(r.steps) - r.limit; excess > 0 {
		r.steps = append(r.steps[:0], r.steps[excess:]...)
	}
}

// newest returns the number of the newest step, 0 for none.
func (r *recentSteps) newest() int {
	if len(r.steps) == 0 {
		return 0
	}
	return r.steps[len(r.steps)-1].N
}

// forJudge returns the steps that a judge sees.
func (r *recentSteps) forJudge() []goal.Step { return r.steps[max(0, len(r.steps)-maxRecent):] }
