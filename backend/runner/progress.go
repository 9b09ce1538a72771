package runner

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/runner/stall"
)

// progressWatch detects that a goal makes no progress: the detector, and what it is fed
// with besides the results of calls.
type progressWatch struct {
	goal    *goal.Goal
	journal *journalWriter
	gate    *pauseGate
	claims  *claimHistory

	workspace Workspace    // nil where nothing can be compared
	output    OutputSource // nil where the session does not report output

	detector stall.Detector
	// firstFingerprint is of what the run begins with; nil once it is known. Its goroutine
	// touches nothing else of this type.
	firstFingerprint *fingerprintJob
	partialReported  bool // the user was told that not all of the workspace is looked at
}

// checkProgress is the last point of an iteration. It looks at the workspace only when
// nothing else has moved for a while, so that it costs little.
func (w *progressWatch) checkProgress(ctx context.Context) *Stop {
	if !w.detector.EndIteration(w.goal.Spent.USD, w.goal.Limits.USD) {
		return stopCause(ctx)
	}
	changed, err := w.workspaceChanged(ctx)
	if err != nil {
		return w.gate.stopForError(ctx, "looking whether anything changed", err)
	}
	if changed {
		w.detector.NoteChange(w.goal.Spent.USD)
		return stopCause(ctx)
	}
	return &Stop{Exit: goal.Stuck, Reason: w.detector.StopReason(w.goal.Spent.USD)}
}

// OutputSource is a Room that hears what the goal's programs print. Heard is what those
// that were working when it was last asked have printed since, "" if nothing.
type OutputSource interface{ NewOutput() string }

// collectOutput takes what the goal's programs printed while the agent called nothing: a
// watched process that printed is something done, and movement if it is new.
func (w *progressWatch) collectOutput() {
	if w.output == nil {
		return
	}
	if text := w.output.NewOutput(); text != "" {
		w.claims.idle = false
		w.detector.NoteOutput(text)
	}
}

// discardOutput leaves out what was printed while calls were made: that is their result.
func (w *progressWatch) discardOutput(context.Context) *Stop {
	if w.output != nil {
		w.output.NewOutput()
	}
	return nil
}
