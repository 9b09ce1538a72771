package runner

import (
	"context"
	"fmt"

	"goalpost/backend/event"
)

// workspaceChanged says whether the world is as it never was before. Where
// there is nothing to compare, it is taken to move.
func (w *progressWatch) workspaceChanged(ctx context.Context) (bool, error) {
	if w.workspace == nil {
		return true, nil
	}
	return w.awaitFingerprint(ctx, w.startFingerprint(ctx))
}

// fingerprintJob is one at the world, which may take a while: a folder has many files.
type fingerprintJob struct {
	done          chan struct{}
	print, unseen string
	err           error
}

// startFingerprint begins to look.
func (w *progressWatch) startFingerprint(ctx context.Context) *fingerprintJob {
	l := &fingerprintJob{done: make(chan struct{})}
	workspace := w.workspace
	go func() {
		defer close(l.done)
		defer func() {
			if p := recover(); p != nil {
				l.err = fmt.Errorf("the look broke: %v", p)
			}
		}()
		l.print, l.unseen, l.err = workspace.Fingerprint(ctx)
	}()
	return l
}

// awaitFingerprint waits for a look. What cannot be looked at may have been changed by
// whatever was done since the last look: that is told once, and never taken for
// nothing.
func (w *progressWatch) awaitFingerprint(ctx context.Context, l *fingerprintJob) (bool, error) {
	<-l.done // it ends with ctx
	if l.err != nil {
		return false, fmt.Errorf("fingerprint: %w", l.err)
	}
	if l.unseen != "" && !w.partialReported {
		w.partialReported = true
		if stop := w.journal.append(ctx, &event.Warning{
			What: "progress",
			Text: l.unseen + ": what changes in the rest is not seen, so each call that may change something counts as movement",
		}); stop != nil {
			return false, stop
		}
	}
	return w.detector.AddFingerprint(l.print, w.claims.failingChecks(), l.unseen != ""), nil
}

// beginFirstFingerprint begins to look at what the run begins with, if there is anything.
func (w *progressWatch) beginFirstFingerprint(ctx context.Context) {
	if w.workspace != nil {
		w.firstFingerprint = w.startFingerprint(ctx)
	}
}

// wait waits for the look that may be under way. It ends with the context of its start.
func (w *progressWatch) wait() {
	if w.firstFingerprint != nil {
		<-w.firstFingerprint.done
	}
}

// awaitFirstFingerprint waits for the first look, which continued while the model thought: what the
// run begins with is no movement when it comes back.
func (w *progressWatch) awaitFirstFingerprint(ctx context.Context) *Stop {
	l := w.firstFingerprint
	if l == nil {
		return nil
	}
	w.firstFingerprint = nil
	if _, err := w.awaitFingerprint(ctx, l); err != nil {
		return w.gate.stopForError(ctx, "looking at the goal's folder", err)
	}
	return nil
}
