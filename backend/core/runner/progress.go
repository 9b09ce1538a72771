package runner

import (
	"context"

	"goalpost/backend/core/runner/stall"
	"goalpost/backend/domain/goal"
)

// progressWatch detects that a goal makes no progress. It feeds the detector with the folder and the output of
// programs, besides the results of calls.
type progressWatch struct {
	goal     *goal.Goal
	journal  *journalWriter
	messages *messageLog
	pauser   *pauser
	claims   *claimHistory

	folder FolderState  // nil where nothing can be compared
	output OutputSource // nil where the session does not report output

	detector stall.Detector
	// firstFingerprint is the fingerprint at the start of the run; nil once it is known. Its goroutine uses no
	// other field of this type.
	firstFingerprint *fingerprintJob
	partialReported  bool // the user was warned that part of the folder is not compared
}

// checkProgress runs at the end of an iteration. It warns the agent before it stops the run. It reads the folder only
// if nothing else has changed for a while, because that is expensive.
func (pw *progressWatch) checkProgress(ctx context.Context) *Stop {
	usd, limit := pw.goal.Spent.USD, pw.goal.Limits.USD
	state := pw.detector.EndIteration(usd, limit)
	if state == stall.Moving {
		return stopCause(ctx)
	}
	changed, err := pw.hasFolderChanged(ctx)
	if err != nil {
		return pw.pauser.stopForError(ctx, "looking for changes", err)
	}
	switch {
	case changed:
		pw.detector.NoteChange(usd)
		return stopCause(ctx)
	case state == stall.NearStop:
		return pw.messages.addUserMessage(ctx, pw.detector.Warning(usd, limit))
	}
	return &Stop{Exit: goal.Stuck, Reason: pw.detector.StopReason(usd, limit)}
}

// OutputSource is a Session that records the output of the goal's programs. NewOutput returns what the programs
// that ran at the last call have printed since, "" if nothing.
type OutputSource interface{ NewOutput() string }

// collectOutput reads what the goal's programs printed between the agent's calls. Output of a watched process is an
// action, and progress if it is new.
func (pw *progressWatch) collectOutput() {
	if pw.output == nil {
		return
	}
	if text := pw.output.NewOutput(); text != "" {
		pw.claims.idle = false
		pw.detector.NoteOutput(text)
	}
}

// discardOutput drops what was printed during calls, because it is part of their results.
func (pw *progressWatch) discardOutput(context.Context) *Stop {
	if pw.output != nil {
		pw.output.NewOutput()
	}
	return nil
}
