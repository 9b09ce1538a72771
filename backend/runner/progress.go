package runner

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/runner/stall"
)

// progressWatch detects that nothing moves.
type progressWatch struct {
	run *Run

	progress stall.Detector
	// firstFingerprint is of what the run begins with; nil once it is known.
	firstFingerprint *fingerprintJob
	partialReported  bool // the user was told that not all of the workspace is looked at
}

// checkProgress is the last point of an iteration. It looks at the workspace only when
// nothing else has moved for a while, so that it costs little.
func (w *progressWatch) checkProgress(ctx context.Context) *Stop {
	if !w.progress.EndIteration(w.run.goal.Spent.USD, w.run.goal.Limits.USD) {
		return stopCause(ctx)
	}
	changed, err := w.workspaceChanged(ctx)
	if err != nil {
		return w.run.stopForError(ctx, "looking whether anything changed", err)
	}
	if changed {
		w.progress.NoteChange(w.run.goal.Spent.USD)
		return stopCause(ctx)
	}
	return &Stop{Exit: goal.Stuck, Reason: w.progress.StopReason(w.run.goal.Spent.USD)}
}

// OutputSource is a Room that hears what the goal's programs print. Heard is what those
// that were working when it was last asked have printed since, "" if nothing.
type OutputSource interface{ NewOutput() string }

// collectOutput takes what the goal's programs printed while the agent called nothing: a
// watched process that printed is something done, and movement if it is new.
func (w *progressWatch) collectOutput() {
	h, ok := w.run.session.(OutputSource)
	if !ok {
		return
	}
	if text := h.NewOutput(); text != "" {
		w.run.verification.claims.idle = false
		w.progress.NoteOutput(text)
	}
}

// discardOutput leaves out what was printed while calls were made: that is their result.
func (w *progressWatch) discardOutput(context.Context) *Stop {
	if h, ok := w.run.session.(OutputSource); ok {
		h.NewOutput()
	}
	return nil
}
