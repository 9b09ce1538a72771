package store

import (
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// TestWaits_OfANight_AreAddedUp: tries of a model without an answer between them are one wait, and a pause of the user
// is none.
func TestWaits_OfANight_AreAddedUp(t *testing.T) {
	now := time.Date(2026, 11, 29, 22, 0, 0, 0, time.UTC)
	s, err := Open(t.Context(), Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	g := create(t, s)
	run := begin(t, s, g.ID)
	pass := func(d time.Duration, bodies ...event.Body) {
		t.Helper()
		if err := s.Journal.Append(t.Context(), run, bodies...); err != nil {
			t.Fatal(err)
		}
		now = now.Add(d)
	}
	resume := func() {
		t.Helper()
		if run, err = s.Journal.Begin(t.Context(), g.ID, 3, &event.Resumed{}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	away := &event.Paused{Exit: goal.WaitingForProvider}
	for range 3 {
		pass(20*time.Minute, away)
		resume()
	}
	pass(time.Minute, &event.Usage{})
	pass(5*time.Minute, away)
	resume()
	pass(time.Second, &event.Usage{})
	pass(2*time.Hour, &event.Paused{Exit: goal.WaitingForCondition, Wait: &goal.Wait{For: "CI"}})
	resume()
	pass(8*time.Hour, &event.Paused{Exit: goal.PausedByUser})
	resume()
	list, err := s.History.Waits(t.Context(), g.ID)
	if err != nil {
		t.Fatal(err)
	}
	const want = "Waited 3 h 05 m, at no cost: 2 times for the model (1 h 05 m), for CI (2 h)."
	if got := goal.DescribeWaits(list); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := goal.DescribeWaits(list[1:1]); got != "" {
		t.Errorf("no wait is described as %q", got)
	}
}
