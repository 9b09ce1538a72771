package runner

import "goalpost/backend/goal"

// recentSteps are the newest steps.
type recentSteps struct {
	run *Run

	recent []goal.Step // the newest, oldest first, for critic and judges
}
