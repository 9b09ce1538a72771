package runner

import (
	"context"

	"goalpost/backend/core/runner/stall"
	"goalpost/backend/domain/goal"
)

// progressWatch detects that a goal makes no progress. It feeds the detector with the folder and the output of
// programs, besides the results of calls.
type progressWatch struct {
	goal    *goal.Goal
	journal *journalWriter
	pauser  *pauser
	claims  *claimHistory

	folder FolderState  // nil where nothing can be compared
	output OutputSource // nil where the session does not report output

	detector stall.Detector
	// firstFingerprint is the fingerprint at the start of the run; nil once it is known. Its goroutine uses no
	// other field of this type.
	firstFingerprint *fingerprintJob
	partialReported  bool // the user was warned that part of the folder is not compared
}

// checkProgress runs at the end of an iteration. It reads the folder only if nothing else has changed for a while,
// because that is expensive.
func (w *progressWatch) checkProgress(ctx context.Context) *Stop {
	if !w.detector.EndIteration(w.goal.Spent.USD, w.goal.Limits.USD) {
		return stopCause(ctx)
	}
	changed, err := w.hasFolderChanged(ctx)
	if err != nil {
		return w.pauser.stopForError(ctx, "looking for changes", err)
	}
	if changed {
		w.detector.NoteChange(w.goal.Spent.USD)
		return stopCause(ctx)
	}
	return &Stop{Exit: goal.Stuck, Reason: w.detector.StopReason(w.goal.Spent.USD)}
}

// OutputSource is a Session that records the output of the goal's programs. NewOutput returns what the programs
// that ran at the last call have printed since, "" if nothing.
type OutputSource interface{ NewOutput() string }

// collectOutput reads what the goal's programs printed between the agent's calls. Output of a watched process is an
// action, and progress if it is new.
func (w *progressWatch) collectOutput() {
	if w.output == nil {
		return
	}
	if text := w.output.NewOutput(); text != "" {
		w.claims.idle = false
		w.detector.NoteOutput(text)
	}
}

// discardOutput drops what was printed during calls, because it is part of their results.
func (w *progressWatch) discardOutput(context.Context) *Stop {
	if w.output != nil {
		w.output.NewOutput()
	}
	return nil
}
