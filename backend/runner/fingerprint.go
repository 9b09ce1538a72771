package runner

import (
	"context"
	"fmt"

	"goalpost/backend/event"
)

// workspaceChanged says whether the world is as it never was before. Where
// there is nothing to compare, it is taken to move.
func (r *Run) workspaceChanged(ctx context.Context) (bool, error) {
	if r.session.World() == nil {
		return true, nil
	}
	return r.awaitFingerprint(ctx, r.startFingerprint(ctx))
}

// fingerprintJob is one at the world, which may take a while: a folder has many files.
type fingerprintJob struct {
	done          chan struct{}
	print, unseen string
	err           error
}

// startFingerprint begins to look.
func (r *Run) startFingerprint(ctx context.Context) *fingerprintJob {
	l := &fingerprintJob{done: make(chan struct{})}
	world := r.session.World()
	go func() {
		defer close(l.done)
		defer func() {
			if p := recover(); p != nil {
				l.err = fmt.Errorf("the look broke: %v", p)
			}
		}()
		l.print, l.unseen, l.err = world.Fingerprint(ctx)
	}()
	return l
}

// awaitFingerprint waits for a look. What cannot be looked at may have been changed by
// whatever was done since the last look: that is told once, and never taken for
// nothing.
func (r *Run) awaitFingerprint(ctx context.Context, l *fingerprintJob) (bool, error) {
	<-l.done // it ends with ctx
	if l.err != nil {
		return false, fmt.Errorf("fingerprint: %w", l.err)
	}
	if l.unseen != "" && !r.partialReported {
		r.partialReported = true
		if stop := r.journal(ctx, &event.Warning{What: "progress", Text: l.unseen + ": what changes in the rest is not seen, so each call that may change something counts as movement"}); stop != nil {
			return false, stop
		}
	}
	return r.progress.AddFingerprint(l.print, r.claims.failingChecks(), l.unseen != ""), nil
}

// awaitFirstFingerprint waits for the first look, which continued while the model thought: what the
// run begins with is no movement when it comes back.
func (r *Run) awaitFirstFingerprint(ctx context.Context) *Stop {
	l := r.firstFingerprint
	if l == nil {
		return nil
	}
	r.firstFingerprint = nil
	if _, err := r.awaitFingerprint(ctx, l); err != nil {
		return r.stopForError(ctx, "looking at the goal's folder", err)
	}
	return nil
}
