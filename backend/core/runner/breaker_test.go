package runner_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// large is a folder whose second fingerprint takes forever.
type large struct {
	looks   atomic.Int64
	looking chan struct{}
}

func (*large) Tampered(context.Context) (string, error)                 { return "", nil }
func (*large) RecordShown(context.Context) ([]goal.DecidingFile, error) { return nil, nil }
func (*large) Changed(context.Context) (string, error)                  { return "", nil }
func (l *large) Fingerprint(ctx context.Context) (string, string, error) {
	if l.looks.Add(1) == 1 {
		return "the start", "", nil
	}
	close(l.looking)
	<-ctx.Done()
	return "", "", context.Cause(ctx)
}

// TestAbort_DuringFingerprint_EndsIt: the fingerprint of an idle goal never delays the user's abort.
func TestAbort_DuringFingerprint_EndsIt(t *testing.T) {
	n := 0
	w := newWorld(t, func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
		n++
		return call(fmt.Sprintf(`read_file {"path":"missing-%d"}`, n))(ctx, turn) // neither a loop nor progress
	})
	l := &large{looking: make(chan struct{})}
	w.look = l
	g := w.create(nil)
	w.start(g, &event.Started{})
	select {
	case <-l.looking:
	case <-w.runner.Done(g.ID):
		t.Fatal("the run ended before it looked")
	}
	w.order(g, goal.Order{Kind: goal.OrderAbort})
	expect(t, w.end(g), goal.Aborted, goal.AbortedByUser)
}
