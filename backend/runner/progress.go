package runner

import (
	"context"

	"goalpost/backend/goal"
)

// checkProgress is the last point of an iteration. It looks at the workspace only when
// nothing else has moved for a while, so that it costs little.
func (r *Run) checkProgress(ctx context.Context) *Stop {
	if !r.progress.EndIteration(r.goal.Spent.USD, r.goal.Limits.USD) {
		return stopCause(ctx)
	}
	changed, err := r.workspaceChanged(ctx)
	if err != nil {
		return r.stopForError(ctx, "looking whether anything changed", err)
	}
	if changed {
		r.progress.NoteChange(r.goal.Spent.USD)
		return stopCause(ctx)
	}
	return &Stop{Exit: goal.Stuck, Reason: r.progress.StopReason(r.goal.Spent.USD)}
}

// OutputSource is a Room that hears what the goal's programs print. Heard is what those
// that were working when it was last asked have printed since, "" if nothing.
type OutputSource interface{ NewOutput() string }

// collectOutput takes what the goal's programs printed while the agent called nothing: a
// watched process that printed is something done, and movement if it is new.
func (r *Run) collectOutput() {
	h, ok := r.session.(OutputSource)
	if !ok {
		return
	}
	if text := h.NewOutput(); text != "" {
		r.claims.idle = false
		r.progress.NoteOutput(text)
	}
}

// discardOutput leaves out what was printed while calls were made: that is their result.
func (r *Run) discardOutput(context.Context) *Stop {
	if h, ok := r.session.(OutputSource); ok {
		h.NewOutput()
	}
	return nil
}
