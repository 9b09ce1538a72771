package runner

import (
	"context"
	"fmt"

	"goalpost/backend/domain/event"
)

// hasFolderChanged reports whether the folder is in a state that is new in this goal. If nothing can be compared,
// every iteration counts as a change.
func (w *progressWatch) hasFolderChanged(ctx context.Context) (bool, error) {
	if w.folder == nil {
		return true, nil
	}
	return w.awaitFingerprint(ctx, w.startFingerprint(ctx))
}

// fingerprintJob computes one fingerprint of the folder in the background, because it takes a while for many files.
type fingerprintJob struct {
	done          chan struct{}
	print, unseen string
	err           error
}

// startFingerprint starts a job.
func (w *progressWatch) startFingerprint(ctx context.Context) *fingerprintJob {
	l := &fingerprintJob{done: make(chan struct{})}
	folder := w.folder
	go func() {
		defer close(l.done)
		defer func() {
			if p := recover(); p != nil {
				l.err = fmt.Errorf("computing the fingerprint panicked: %v", p)
			}
		}()
		l.print, l.unseen, l.err = folder.Fingerprint(ctx)
	}()
	return l
}

// awaitFingerprint waits for a job. An unread part may have changed since the last fingerprint: the user is warned
// once, and it always counts as a change.
func (w *progressWatch) awaitFingerprint(ctx context.Context, l *fingerprintJob) (bool, error) {
	<-l.done // it ends with ctx
	if l.err != nil {
		return false, fmt.Errorf("fingerprint: %w", l.err)
	}
	if l.unseen != "" && !w.partialReported {
		w.partialReported = true
		if stop := w.journal.append(ctx, &event.Warning{
			What: "progress",
			Text: l.unseen + ": Goalpost does not see changes in the rest, so each call that may " +
				"change something counts as progress",
		}); stop != nil {
			return false, stop
		}
	}
	return w.detector.AddFingerprint(l.print, w.claims.failingChecks(), l.unseen != ""), nil
}

// beginFirstFingerprint starts the fingerprint of the folder at the start of the run.
func (w *progressWatch) beginFirstFingerprint(ctx context.Context) {
	if w.folder != nil {
		w.firstFingerprint = w.startFingerprint(ctx)
	}
}

// wait waits for a job that may still run. The job ends with the context that it was started with.
func (w *progressWatch) wait() {
	if w.firstFingerprint != nil {
		<-w.firstFingerprint.done
	}
}

// awaitFirstFingerprint waits for the first fingerprint, which was computed while the model worked. Without it,
// returning to the first state would count as progress.
func (w *progressWatch) awaitFirstFingerprint(ctx context.Context) *Stop {
	l := w.firstFingerprint
	if l == nil {
		return nil
	}
	w.firstFingerprint = nil
	if _, err := w.awaitFingerprint(ctx, l); err != nil {
		return w.pauser.stopForError(ctx, "reading the goal's folder", err)
	}
	return nil
}
