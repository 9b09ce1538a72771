package runner

import "time"

// budget is what a goal may spend and has spent.
type budget struct {
	run *Run

	startedAt       time.Time     // of this run
	spentBefore     time.Duration // spent by earlier runs
	stoppedAt       time.Time     // what follows is not the goal's time any more; zero while it runs
	warned          limitWarnings // safe for both
	idle            waitTimer     // safe for both
	tokensEstimated bool          // the user was told that tokens are guessed
}
