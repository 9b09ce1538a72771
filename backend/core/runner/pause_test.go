package runner_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// TestPauseNow_RunningRequest_IsCancelledFirst: PauseNow cancels running requests and waits until they are over.
func TestPauseNow_RunningRequest_IsCancelledFirst(t *testing.T) {
	entered := make(chan struct{}, 1)
	var asking atomic.Bool
	w := newWorld(t, func(ctx context.Context, _ goal.Turn) (goal.Reply, error) {
		asking.Store(true)
		defer asking.Store(false)
		entered <- struct{}{}
		<-ctx.Done()
		return goal.Reply{}, ctx.Err()
	}, call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim))
	g := w.create(nil)
	w.start(g, &event.Started{})
	<-entered
	if ours, err := w.runner.PauseNow(t.Context(), g.ID, "the user drives"); !ours || err != nil {
		t.Fatal(ours, err)
	}
	if asking.Load() {
		t.Error("the model is still being asked")
	}
	row := w.end(g)
	expect(t, row, goal.Paused, goal.PausedByUser)
	if row.Report[0] != "Stopped: the user drives." {
		t.Errorf("report %q", row.Report)
	}
	if w.runner.UndoPause(g.ID) {
		t.Error("a hold of a goal that has stopped was lifted")
	}
	w.start(g, &event.Resumed{})
	expect(t, w.end(g), goal.Completed, goal.Done)
}

// TestPauseNow_ReplyArrivesMeanwhile_IsDiscarded: the model replies although its request was cancelled.
func TestPauseNow_ReplyArrivesMeanwhile_IsDiscarded(t *testing.T) {
	entered := make(chan struct{}, 1)
	w := newWorld(t, func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim)(ctx, turn)
	})
	g := w.create(nil)
	w.start(g, &event.Started{})
	<-entered
	if _, err := w.runner.PauseNow(t.Context(), g.ID, "the user drives"); err != nil {
		t.Fatal(err)
	}
	row := w.end(g)
	expect(t, row, goal.Paused, goal.PausedByUser)
	if row.Spent.Steps != 0 || row.Spent.Claims != 0 {
		t.Errorf("it was acted on: %+v", row.Spent)
	}
}

// TestOrder_DuringACall_StopsTheNextOne: the order stops the next call even before the runner is woken.
func TestOrder_DuringACall_StopsTheNextOne(t *testing.T) {
	for kind, exit := range map[goal.OrderKind]goal.Exit{
		goal.OrderPause: goal.PausedByUser,
		goal.OrderAbort: goal.AbortedByUser,
	} {
		t.Run(string(kind), func(t *testing.T) {
			w := newWorld(t, call(posting, finish), says("what now?"))
			w.post.hold, w.post.runs = make(chan struct{}), make(chan struct{})
			g := w.create(func(g *goal.Goal) { g.Options.OnAsk = goal.OnAskAllow })
			w.start(g, &event.Started{})
			<-w.post.runs
			if err := w.store.Orders.Add(t.Context(), g.ID, goal.Order{Kind: kind}); err != nil { // without waking the runner
				t.Fatal(err)
			}
			close(w.post.hold)
			if row := w.end(g); row.Exit != exit || row.Spent.Steps != 1 || w.turns() != 1 {
				t.Errorf("%s after %d steps and %d turns", row.Exit, row.Spent.Steps, w.turns())
			}
		})
	}
}

// parkClock ends the wait of a parked goal when the test decides.
type parkClock struct {
	clock
	over chan time.Time
}

const park = 10 * time.Minute

func (p parkClock) After(d time.Duration) <-chan time.Time {
	if d > park/2 && d <= park {
		return p.over
	}
	return p.clock.After(d)
}

// TestPauseNow_ParkedGoal_StaysPaused also checks that a pause that is undone before the end of the wait changes
// nothing.
func TestPauseNow_ParkedGoal_StaysPaused(t *testing.T) {
	parks := func(context.Context, goal.Turn) (goal.Reply, error) {
		return goal.Reply{}, &goal.Unavailable{Until: time.Now().Add(park), Err: context.DeadlineExceeded}
	}
	c := parkClock{over: make(chan time.Time)}
	w := newWorldAt(t, c, parks, parks, call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("paused")
	hold := func() {
		t.Helper()
		if _, err := w.runner.PauseNow(t.Context(), g.ID, "the user drives"); err != nil {
			t.Fatal(err)
		}
	}
	c.over <- time.Now() // ends the first wait
	w.awaitN("paused", 2)
	hold()
	for deadline := time.Now().Add(late); !w.runner.UndoPause(g.ID); { // until the run has ended and the goal waits again
		if time.Now().After(deadline) {
			t.Fatal("the goal waits, and its hold was not lifted")
		}
		<-time.After(time.Millisecond)
	}
	hold()
	c.over <- time.Now()
	expect(t, w.end(g), goal.Paused, goal.PausedByUser)
	if n := len(w.model.seen); n != 2 {
		t.Errorf("the model was asked %d times, want 2", n)
	}
}

// TestParkedGoal_SandboxSlowToClose_Resumes checks that the goal continues at its time although closing the session
// failed.
func TestParkedGoal_SandboxSlowToClose_Resumes(t *testing.T) {
	c := parkClock{over: make(chan time.Time, 1)}
	w := newWorldAt(t, c, func(context.Context, goal.Turn) (goal.Reply, error) {
		return goal.Reply{}, &goal.Unavailable{Until: time.Now().Add(park), Err: errors.New("slow down")}
	}, call(`abort_with_report {"reason":"no","what_was_learned":"nothing"}`))
	w.unclosed = context.DeadlineExceeded
	g := w.create(nil)
	c.over <- time.Now()
	w.start(g, &event.Started{})
	expect(t, w.end(g), goal.Aborted, goal.GaveUp)
}
