package runner

import (
	"goalpost/backend/core/runner/stall"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// stepRecorder passes each executed call to the plan, the claim history, the critic, the judges and the progress
// detector.
type stepRecorder struct {
	clock    Clock
	plan     *plan
	claims   *claimHistory
	critic   *critic
	recent   *recentSteps
	progress *progressWatch
}

// markExecuted records that a call was executed. Waiting counts as an action: a server may have started.
func (s *stepRecorder) markExecuted(c *resolvedCall) {
	if _, waits := c.tool.(Waiter); waits || c.Tool == stall.WaitTool {
		s.claims.idle = false
	}
	if c.effect.Control {
		return
	}
	s.claims.idle = false
	if canChange(c.effect) {
		s.plan.stepUsed = true
		s.progress.detector.NoteAction()
	}
}

// canChange reports whether a call may change something.
func canChange(e policy.Effect) bool { return !e.Control && e.Risk != policy.ReadOnly }

// recordStep stores a step for the critic, the judges and the progress detector. result is the whole result; goesOn
// says that the program that the call observed is still running.
func (s *stepRecorder) recordStep(c *resolvedCall, o event.Outcome, result string, goesOn bool) {
	if goesOn {
		s.progress.detector.NoteOngoing(c.Call, result, s.clock.Now())
	} else {
		s.progress.detector.NoteResult(c.effect, o, result)
	}
	if c.effect.Control {
		return
	}
	s.critic.acted = true
	s.recent.add(goal.Step{
		N:         c.step,
		Tool:      c.Tool,
		Arguments: c.Arguments,
		Outcome:   string(o),
		Result:    text.Truncate(result, maxJudgedChars),
	})
}
