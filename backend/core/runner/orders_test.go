package runner_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/storage/store"
)

// hang is a turn that signals when it has begun, and ends with its context.
func hang(entered chan<- struct{}) func(context.Context, goal.Turn) (goal.Reply, error) {
	return func(ctx context.Context, _ goal.Turn) (goal.Reply, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return goal.Reply{}, ctx.Err()
	}
}

// TestNote_RunEndsBeforeItsTurn_IsNotLost: many notes arrive in the last turn of a run. The next run gets all of them,
// in their order.
func TestNote_RunEndsBeforeItsTurn_IsNotLost(t *testing.T) {
	entered := make(chan struct{}, 1)
	w := newWorld(t, hang(entered), call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim))
	g := w.create(nil)
	w.start(g, &event.Started{})
	<-entered
	const notes = 100
	for range notes - 1 {
		w.order(g, goal.Order{Kind: goal.OrderSteer, Text: "look left"})
	}
	w.order(g, goal.Order{Kind: goal.OrderSteer, Text: "and right"})
	w.order(g, goal.Order{Kind: goal.OrderAbort}) // must arrive although many notes wait
	expect(t, w.end(g), goal.Aborted, goal.AbortedByUser)
	w.start(g, &event.Resumed{})
	expect(t, w.end(g), goal.Completed, goal.Done)
	reported := 0
	for _, m := range w.model.seen[1].Messages {
		if strings.HasPrefix(m.Text, "A note from the user") {
			reported++
		}
	}
	if reported != notes || !strings.Contains(w.model.lastUser(1), "and right") {
		t.Errorf("told %d notes, the last %q", reported, w.model.lastUser(1))
	}
}

func TestAbort_QueuedGoal_EndsIt(t *testing.T) {
	entered := make(chan struct{}, 3)
	w := newWorld(t, hang(entered))
	other := func(g *goal.Goal) { g.Policy.Dir = t.TempDir() }
	for range 3 {
		w.start(w.create(other), &event.Started{})
	}
	for range 3 {
		<-entered
	}
	g := w.create(other)
	w.start(g, &event.Started{})
	w.await("queued")
	if !w.runner.IsQueued(g.ID) {
		t.Error("it does not count as queued")
	}
	w.order(g, goal.Order{Kind: goal.OrderAbort})
	row := w.end(g)
	expect(t, row, goal.Aborted, goal.AbortedByUser)
	if !row.StartedAt.IsZero() || row.Spent.Iterations != 0 {
		t.Errorf("it has begun: %+v", row)
	}
}

// TestGoalEnd_IsReported_GoalIsFree checks that Done is not closed before the lock file is released.
func TestGoalEnd_IsReported_GoalIsFree(t *testing.T) {
	w := newWorld(t, call(`abort_with_report {"reason":"no","what_was_learned":"nothing"}`))
	g := w.create(nil)
	releasing, free := make(chan struct{}), make(chan struct{})
	if err := w.runner.Start(t.Context(), *g, func() { close(releasing); <-free }, &event.Started{}); err != nil {
		t.Fatal(err)
	}
	done := w.runner.Done(g.ID)
	<-releasing
	select {
	case <-done:
		t.Error("the end was reported while the lock file was held")
	default:
	}
	close(free)
	expect(t, w.end(g), goal.Aborted, goal.GaveUp)
}

// later is the real clock, moved forward by the test.
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

// TestReclaim_AfterAMinute_IsVerified checks that a second claim without an action is verified again after a minute,
// because what the check waits for may have happened.
func TestReclaim_AfterAMinute_IsVerified(t *testing.T) {
	l := &later{moved: make(chan time.Duration, 1)}
	l.moved <- 0
	w := newWorldAt(t, l, call(pendingClaim), func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
		l.move(61 * time.Second)
		return call(pendingClaim)(ctx, turn)
	})
	_, row := w.run(func(g *goal.Goal) {
		g.Criterion.Checks[0].Command = "test -f once || { touch once; false; }"
	})
	expect(t, row, goal.Completed, goal.Done)
}

var _ runner.Clock = (*later)(nil)

// quick is a clock that runs a hundred times as fast as the real one.
type quick struct{ from time.Time }

func (q quick) Now() time.Time { return q.from.Add(100 * time.Since(q.from)) }

func (quick) After(d time.Duration) <-chan time.Time { return time.After(d / 100) }

// TestSpend_DuringATurn_IsSaved: the time must not be lost if the process is killed.
func TestSpend_DuringATurn_IsSaved(t *testing.T) {
	var w *world
	saved := func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
		for over := time.Now().Add(late); time.Now().Before(over); <-time.After(5 * time.Millisecond) {
			rows, _, err := w.store.Goals.List(ctx, store.Filter{Status: goal.Running})
			if err != nil || len(rows) == 1 && rows[0].Spent.WallClock >= 5*time.Second {
				return call(finish, pendingClaim)(ctx, turn)
			}
		}
		return goal.Reply{}, errors.New("nothing was saved while the model thought")
	}
	w = newWorldAt(t, quick{time.Now()}, saved)
	_, row := w.run(func(g *goal.Goal) { g.WallClockMS = 0 }) // an hour of this clock takes 36 seconds
	expect(t, row, goal.Completed, goal.Done)
}

// TestTamperedCheck_AsksTheUser: a criterion or policy that does not match its frozen hash decides nothing.
func TestTamperedCheck_AsksTheUser(t *testing.T) {
	for name, move := range map[string]func(*goal.Goal){
		"criterion": func(g *goal.Goal) { g.Criterion.Checks[0].Command = "true" },
		"policy":    func(g *goal.Goal) { g.Policy.Risk = policy.SpendsMoney },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, call(pendingClaim))
			g := w.create(nil)
			move(g)
			if err := w.runner.Start(t.Context(), *g, func() {}, &event.Started{}); err != nil {
				t.Fatal(err)
			}
			row := w.end(g)
			expect(t, row, goal.Paused, goal.NeedsUser)
			if w.turns() != 0 || !strings.Contains(row.Report[0], "has changed since the start") {
				t.Errorf("%d turns, %q", w.turns(), row.Report)
			}
		})
	}
}

// TestLoopState_DuringARun_IsSaved: killing the process must not reset the loop guard.
func TestLoopState_DuringARun_IsSaved(t *testing.T) {
	var w *world
	var g *goal.Goal
	kept, n := false, 0
	work := func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
		past, err := w.store.History.RunHistory(ctx, g.ID, 9)
		if kept = err == nil && len(past.Memory.Results) > 0; kept {
			return call(finish, pendingClaim)(ctx, turn)
		}
		<-time.After(10 * time.Millisecond) // a second of the fast clock
		n++
		return call(fmt.Sprintf(`run_command {"command":"echo %d"}`, n))(ctx, turn)
	}
	w = newWorldAt(t, quick{time.Now()}, work)
	g = w.create(func(g *goal.Goal) { g.Limits = goal.Limits{Iterations: 500} })
	w.start(g, &event.Started{})
	if row := w.end(g); !kept {
		t.Errorf("nothing was kept in %d turns; %s/%s", n, row.Status, row.Exit)
	}
}

// TestLimits_GivenAsTheCountdownEnds_Apply checks that the run that begins then has the new limits.
func TestLimits_GivenAsTheCountdownEnds_Apply(t *testing.T) {
	w := newWorld(t, call(`abort_with_report {"reason":"no","what_was_learned":"nothing"}`))
	g := w.create(nil)
	// as if it was not read before the wait ended
	w.order(g, goal.Order{Kind: goal.OrderResume, Text: `{"WallClock":3600000000000,"Iterations":7}`})
	w.start(g, &event.Resumed{})
	row := w.end(g)
	expect(t, row, goal.Aborted, goal.GaveUp)
	if left, err := w.store.Orders.List(t.Context(), g.ID); err != nil || len(left) > 0 || row.Limits.Iterations != 7 {
		t.Errorf("limits %+v, left %+v, %v", row.Limits, left, err)
	}
}

// TestPause_AsTheGoalIsParked_TakesEffect checks that the goal is then paused by the user, and no longer parked.
func TestPause_AsTheGoalIsParked_TakesEffect(t *testing.T) {
	w := newWorld(t, func(context.Context, goal.Turn) (goal.Reply, error) {
		return goal.Reply{}, &goal.Unavailable{Until: time.Now().Add(time.Hour), Err: errors.New("slow down")}
	})
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("paused")
	w.order(g, goal.Order{Kind: goal.OrderPause})
	row := w.end(g)
	expect(t, row, goal.Paused, goal.PausedByUser)
	if !row.ParkedUntil.IsZero() || row.StoppedBy != "" {
		t.Errorf("until %s, stopped by %q", row.ParkedUntil, row.StoppedBy)
	}
}

// TestPause_ByUser_OnlyUserResumes: the parent goal also pauses the goal, before or after the user does.
func TestPause_ByUser_OnlyUserResumes(t *testing.T) {
	for name, orders := range map[string][]goal.Order{
		"first": {{Kind: goal.OrderPause}, {Kind: goal.OrderPause, Request: "parent", Text: "x"}},
		"last":  {{Kind: goal.OrderPause, Request: "parent", Text: "x"}, {Kind: goal.OrderPause}},
	} {
		t.Run(name, func(t *testing.T) {
			entered := make(chan struct{}, 1)
			w := newWorld(t, hang(entered))
			g := w.create(nil)
			w.start(g, &event.Started{})
			<-entered
			if err := w.store.Orders.AddIf(t.Context(), g.ID, func(store.GoalRow) error { return nil }, orders...); err != nil {
				t.Fatal(err)
			}
			w.runner.Wake(g.ID)
			row := w.end(g)
			expect(t, row, goal.Paused, goal.PausedByUser)
			if row.StoppedBy != "" {
				t.Errorf("stopped by %q", row.StoppedBy)
			}
		})
	}
}

// TestPause_NotReceived_TakesEffectLater: the run stops for its parent before it reads the user's pause. The goal then
// counts as paused by the user.
func TestPause_NotReceived_TakesEffectLater(t *testing.T) {
	w := newWorld(t, hang(make(chan struct{}, 1)))
	g := w.create(nil)
	run, err := w.store.Journal.Begin(t.Context(), g.ID, 3, &event.Started{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.store.Orders.Add(t.Context(), g.ID, goal.Order{Kind: goal.OrderPause}); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Journal.Append(t.Context(), run, &event.Paused{
		Exit:   goal.PausedByUser,
		By:     "parent",
		Reason: "x",
		Report: []string{"x"},
	}); err != nil {
		t.Fatal(err)
	}
	if row, err := w.store.Goals.Get(t.Context(), g.ID); err != nil || row.StoppedBy != "" {
		t.Errorf("stopped by %q, %v", row.StoppedBy, err)
	}
}
