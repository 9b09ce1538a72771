package runner_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// newModelAway is a goal whose model asks for half an hour of patience in each of the given turns.
func newModelAway(t *testing.T, turns int) *waiting {
	t.Helper()
	hands := newHandClock()
	parks := func(context.Context, goal.Turn) (goal.Reply, error) {
		return goal.Reply{}, &goal.Unavailable{Until: hands.Now().Add(30 * time.Minute), Err: errors.New("slow down")}
	}
	var script []func(context.Context, goal.Turn) (goal.Reply, error)
	for range turns {
		script = append(script, parks)
	}
	w := newWorldAt(t, hands, append(script, call(finishAll, pendingClaim))...)
	w.modelWait = 4 * time.Hour
	g := w.create(func(g *goal.Goal) { g.WallClockMS = time.Hour.Milliseconds() })
	w.start(g, &event.Started{})
	w.await("paused")
	return &waiting{w, hands, g}
}

// TestParkedGoal_ClockIsSet_WaitsAsLong: a model that may be asked again in half an hour is not asked before, nor much
// later, and two days on the clock are not two days without a model.
func TestParkedGoal_ClockIsSet_WaitsAsLong(t *testing.T) {
	for name, by := range map[string]time.Duration{"ahead": twoDays, "back": -twoDays} {
		t.Run(name, func(t *testing.T) {
			w := newModelAway(t, 2)
			w.hands.setAhead(by)
			w.pass(29 * time.Minute)
			expect(t, w.row(), goal.Paused, goal.WaitingForProvider)
			if n := len(w.model.seen); n != 1 {
				t.Fatalf("the model was asked %d times within 29 minutes", n)
			}
			w.pass(2 * time.Minute)
			w.awaitN("paused", 2)
			w.hands.setAhead(by)
			w.hands.passUntil(t, "the model answers", func() bool { return w.row().Status != goal.Paused })
			expect(t, w.end(w.goal), goal.Completed, goal.Done)
		})
	}
}

// TestParkedGoal_ClockIsCorrectedAfterARestart_Continues: the computer started with a wrong clock, which shows that a
// wait of an earlier process is far from its end.
func TestParkedGoal_ClockIsCorrectedAfterARestart_Continues(t *testing.T) {
	w := newModelAway(t, 1)
	w.restart(func() { w.hands.setAhead(-1000 * twoDays) })
	w.pass(time.Minute)
	w.hands.setAhead(1000*twoDays + time.Hour)
	w.hands.passUntil(t, "the model is asked", func() bool { return w.row().Status != goal.Paused })
	expect(t, w.end(w.goal), goal.Completed, goal.Done)
}

// TestParkedGoal_ModelStaysAway_AsksUserAfterTheSetting counts the time without a model, not that of the clock.
func TestParkedGoal_ModelStaysAway_AsksUserAfterTheSetting(t *testing.T) {
	w := newModelAway(t, 20)
	began := w.hands.Up()
	w.hands.setAhead(twoDays)
	w.hands.passUntil(t, "the goal gives up", func() bool { return w.row().Exit == goal.NeedsUser })
	row := w.end(w.goal)
	if took := w.hands.Up() - began; took < 4*time.Hour || took > 5*time.Hour ||
		!strings.Contains(strings.Join(row.Report, "\n"), "it was away for 4 h") {
		t.Errorf("after %s: %q", took, row.Report)
	}
}
