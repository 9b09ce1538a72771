package runner

import (
	"goalpost/backend/domain/goal"
)

// How much of the newest steps the critic and the judges see: the number of steps, and the bytes of each argument and
// result.
const (
	maxRecent      = 40
	maxJudgedChars = 8 << 10
)

// recentSteps holds the newest steps of a goal, including those of earlier runs, for critic and judges.
type recentSteps struct {
	steps []goal.Step // oldest first
}

func (r *recentSteps) add(step goal.Step) {
	r.steps = append(r.steps, step)
	if excess := len(r.steps) - maxRecent; excess > 0 {
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
