package runner

import (
	"context"
	"fmt"

	"goalpost/backend/domain/event"
)

// hasFolderChanged reports whether the folder is in a state that is new in this goal. If nothing can be compared,
// every iteration counts as a change.
func (pw *progressWatch) hasFolderChanged(ctx context.Context) (bool, error) {
	if pw.folder == nil {
		return true, nil
	}
	return pw.awaitFingerprint(ctx, pw.startFingerprint(ctx))
}

// fingerprintJob computes one fingerprint of the folder in the background, because it takes a while for many files.
type fingerprintJob struct {
	done        chan struct{}
	print, gaps string
	err         error
}

// startFingerprint starts a job.
func (pw *progressWatch) startFingerprint(ctx context.Context) *fingerprintJob {
	l := &fingerprintJob{done: make(chan struct{})}
	folder := pw.folder
	go func() {
		defer close(l.done)
		defer func() {
			if p := recover(); p != nil {
				l.err = fmt.Errorf("computing the fingerprint panicked: %v", p)
			}
		}()
		l.print, l.gaps, l.err = folder.Fingerprint(ctx)
	}()
	return l
}

// awaitFingerprint waits for a job. An unread part may have changed since the last fingerprint: the user is warned
// once, and it always counts as a change.
func (pw *progressWatch) awaitFingerprint(ctx context.Context, l *fingerprintJob) (bool, error) {
	<-l.done // it ends with ctx
	if l.err != nil {
		return false, fmt.Errorf("fingerprint: %w", l.err)
	}
	if l.gaps != "" && !pw.partialReported {
		pw.partialReported = true
		if stop := pw.journal.append(ctx, &event.Warning{
			What: "progress",
			Text: l.gaps + ": Goalpost does not see changes in the rest, so each call that may " +
				"change something counts as progress",
		}); stop != nil {
			return false, stop
		}
	}
	return pw.detector.AddFingerprint(l.print, pw.claims.failingChecks(), l.gaps != ""), nil
}

// beginFirstFingerprint starts the fingerprint of the folder at the start of the run.
func (pw *progressWatch) beginFirstFingerprint(ctx context.Context) {
	if pw.folder != nil {
		pw.firstFingerprint = pw.startFingerprint(ctx)
	}
}

// wait waits for a job that may still run. The job ends with the context that it was started with.
func (pw *progressWatch) wait() {
	if pw.firstFingerprint != nil {
		<-pw.firstFingerprint.done
	}
}

// awaitFirstFingerprint waits for the first fingerprint, which was computed while the model worked. Without it,
// returning to the first state would count as progress.
func (pw *progressWatch) awaitFirstFingerprint(ctx context.Context) *Stop {
	l := pw.firstFingerprint
	if l == nil {
		return nil
	}
	pw.firstFingerprint = nil
	if _, err := pw.awaitFingerprint(ctx, l); err != nil {
		return pw.pauser.stopForError(ctx, "reading the goal's folder", err)
	}
	return nil
}
