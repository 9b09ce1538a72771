package runner_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/runner"
)

// hang is a turn that says when it has begun and ends with its context.
func hang(entered chan<- struct{}) func(context.Context, goal.Turn) (goal.Reply, error) {
	return func(ctx context.Context, _ goal.Turn) (goal.Reply, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return goal.Reply{}, ctx.Err()
	}
}

// TestANoteIsNotLostWhenTheRunEndsBeforeItsPlace: more notes than anybody would
// buffer, in the last turn of a run, are told to the next run in their order.
func TestANoteIsNotLostWhenTheRunEndsBeforeItsPlace(t *testing.T) {
	entered := make(chan struct{}, 1)
	w := newWorld(t, hang(entered), call(`write_file {"path":"done.txt","content":"x"}`, claim))
	g := w.create(nil)
	w.start(g, &event.Started{})
	<-entered
	const notes = 100
	for range notes - 1 {
		w.order(g, goal.Order{Kind: goal.OrderSteer, Text: "look left"})
	}
	w.order(g, goal.Order{Kind: goal.OrderSteer, Text: "and right"})
	w.order(g, goal.Order{Kind: goal.OrderAbort}) // reaches a watch that has not got stuck in notes
	expect(t, w.end(g), goal.Aborted, goal.UserAborted)
	w.start(g, &event.Resumed{})
	expect(t, w.end(g), goal.Completed, goal.Done)
	told := 0
	for _, m := range w.model.seen[1].Messages {
		if strings.HasPrefix(m.Text, "A note from the person") {
			told++
		}
	}
	if told != notes || !strings.Contains(w.model.lastUser(1), "and right") {
		t.Errorf("told %d notes, the last %q", told, w.model.lastUser(1))
	}
}

// TestAnAbortReachesAGoalInTheQueue, also one that comes from another process.
func TestAnAbortReachesAGoalInTheQueue(t *testing.T) {
	entered := make(chan struct{}, 3)
	w := newWorld(t, hang(entered))
	elsewhere := func(g *goal.Goal) { g.Policy.Dir = t.TempDir() }
	for range 3 {
		w.start(w.create(elsewhere), &event.Started{})
	}
	for range 3 {
		<-entered
	}
	g := w.create(elsewhere)
	w.start(g, &event.Started{})
	w.await("queued")
	if !w.runner.Queued(g.ID) {
		t.Error("it does not count as queued")
	}
	if err := w.store.Order(t.Context(), g.ID, goal.Order{Kind: goal.OrderAbort}); err != nil {
		t.Fatal(err)
	}
	row := w.end(g)
	expect(t, row, goal.Aborted, goal.UserAborted)
	if !row.StartedAt.IsZero() || row.Spent.Iterations != 0 {
		t.Errorf("it has begun: %+v", row)
	}
}

// TestAGoalIsFreeWhenItsEndIsTold: who waits for Done may take the sentinel.
func TestAGoalIsFreeWhenItsEndIsTold(t *testing.T) {
	w := newWorld(t, call(`abort_with_report {"reason":"no","what_was_learned":"nothing"}`))
	g := w.create(nil)
	releasing, free := make(chan struct{}), make(chan struct{})
	if err := w.runner.Go(t.Context(), *g, func() { close(releasing); <-free }, &event.Started{}); err != nil {
		t.Fatal(err)
	}
	done := w.runner.Done(g.ID)
	<-releasing
	select {
	case <-done:
		t.Error("the end was told while the sentinel was held")
	default:
	}
	close(free)
	expect(t, w.end(g), goal.Aborted, goal.GaveUp)
}

// later is a clock that a test moves on.
type later struct {
	clock
	moved chan time.Duration
}

func (l *later) Now() time.Time {
	by := <-l.moved
	l.moved <- by
	return time.Now().Add(by)
}

func (l *later) move(by time.Duration) {
	<-l.moved
	l.moved <- by
}

// TestAMinuteCountsAsSomethingDone: the second claim is not answered from
// memory, because what the check waits for may have happened by itself.
func TestAMinuteCountsAsSomethingDone(t *testing.T) {
	l := &later{moved: make(chan time.Duration, 1)}
	l.moved <- 0
	w := newWorldAt(t, l, call(claim), func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
		l.move(61 * time.Second)
		return call(claim)(ctx, turn)
	})
	_, row := w.run(func(g *goal.Goal) {
		g.Criterion.Checks[0].Command = "test -f once || { touch once; false; }"
	})
	expect(t, row, goal.Completed, goal.Done)
}

var _ runner.Clock = (*later)(nil)
