package runner_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

var testBegan = time.Now()

// sleepyClock is the real clock of a machine that sleeps when a test says so.
type sleepyClock struct {
	clock

	slept atomic.Int64 // a Duration
	// sleepsIn is how often the clock is read until the machine sleeps for ten minutes.
	sleepsIn atomic.Int64
}

func (s *sleepyClock) Up() time.Duration {
	if s.sleepsIn.Add(-1) == 0 {
		s.slept.Add(int64(10 * time.Minute))
	}
	return s.Slept() + time.Since(testBegan)
}

func (s *sleepyClock) Slept() time.Duration { return time.Duration(s.slept.Load()) }

// After makes the runner look more often than every five seconds whether the machine has slept.
func (s *sleepyClock) After(d time.Duration) <-chan time.Time {
	if d == idle {
		d /= 20
	}
	return s.clock.After(d)
}

// TestSleep_WhileAModelThinks_IsReported: a sleep is noticed while a turn is under way, and only once.
func TestSleep_WhileAModelThinks_IsReported(t *testing.T) {
	hands := &sleepyClock{}
	var w *world
	w = newWorldAt(t, hands, func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
		hands.slept.Add(int64(40 * time.Minute))
		w.await("warning")
		return call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim)(ctx, turn)
	})
	_, row := w.run(nil)
	expect(t, row, goal.Completed, goal.Done)
	var warnings []string
	for _, e := range w.events {
		if b, ok := e.Body.(*event.Warning); ok && b.What == event.SleptWarning {
			warnings = append(warnings, b.Text)
		}
	}
	if report := strings.Join(row.Report, "\n"); !strings.Contains(report, "The computer slept once.") ||
		len(warnings) != 1 || warnings[0] != "the computer slept for 40 m" {
		t.Errorf("%q in the journal, and the report says:\n%s", warnings, report)
	}
}

// TestSleep_AtAnyMomentOfAWait_IsReported: the machine may also sleep while the runner looks around between two waits.
func TestSleep_AtAnyMomentOfAWait_IsReported(t *testing.T) {
	hands := &sleepyClock{}
	w := newWorldAt(t, hands, call(waitForFile))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("paused")
	for n := 1; n <= 6; n++ {
		hands.sleepsIn.Store(int64(n))
		w.awaitN("warning", n)
	}
	w.order(g, goal.Order{Kind: goal.OrderAbort})
	expect(t, w.end(g), goal.Aborted, goal.AbortedByUser)
}
