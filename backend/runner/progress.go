package runner

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/runner/stall"
)

// progressWatch detects that a goal makes no progress. It feeds the detector with the workspace and the output of
// programs, besides the results of calls.
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
	partialReported  bool // the user was notified that only a part of the workspace is looked at
}

// checkProgress runs at the end of an iteration. It reads the workspace only if nothing else has changed for a while,
// because that is expensive.
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

// OutputSource is a Session that records what the goal's programs print. NewOutput returns what the programs that were
// running at the last call have printed since, "" if nothing.
type OutputSource interface{ NewOutput() string }

// collectOutput reads what the goal's programs printed while the agent made no call: output of a watched process is
// an action, and progress if it is new.
func (w *progressWatch) collectOutput() {
	if w.output == nil {
		return
	}
	if text := w.output.NewOutput(); text != "" {
		w.claims.idle = false
		w.detector.NoteOutput(text)
	}
}

// discardOutput drops what was printed while calls were made: it is part of their results.
func (w *progressWatch) discardOutput(context.Context) *Stop {
	if w.output != nil {
		w.output.NewOutput()
	}
	return nil
}
