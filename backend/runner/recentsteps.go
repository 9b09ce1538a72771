package runner

import (
	"goalpost/backend/goal"
)

// What critic and judges see of the newest steps: how many, and how much of each
// result in characters. A critic that looks seldom sees more, as its window allows.
const (
	maxRecent      = 40
	maxCriticSteps = 400
	maxJudgedChars = 4000
)

// recentSteps are the newest steps of a goal, also of earlier runs, for critic and judges.
type recentSteps struct {
	limit int         // how many are kept
	steps []goal.Step // oldest first
}

// newRecentSteps keeps twice as many steps as pass between two looks of the critic.
func newRecentSteps(criticEvery int) *recentSteps {
	return &recentSteps{limit: max(maxRecent, min(2*criticEvery, maxCriticSteps))}
}

func (s *recentSteps) add(step goal.Step) {
	s.steps = append(s.steps, step)
	if over := len(s.steps) - s.limit; over > 0 {
		s.steps = append(s.steps[:0], s.steps[over:]...)
	}
}

// newest returns the number of the newest step, 0 for none.
func (s *recentSteps) newest() int {
	if len(s.steps) == 0 {
		return 0
	}
	return s.steps[len(s.steps)-1].N
}

// forJudge returns what a judge is shown of them.
func (s *recentSteps) forJudge() []goal.Step { return s.steps[max(0, len(s.steps)-maxRecent):] }
