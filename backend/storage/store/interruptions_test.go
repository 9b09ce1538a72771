package store

import (
	"slices"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// TestInterruptions_OfANight_AreAddedUp: tries of a model without an answer between them are one wait, looks do not end
// one, and a pause of the user is none.
func TestInterruptions_OfANight_AreAddedUp(t *testing.T) {
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
	quota, away := &goal.Fallback{Model: "b", Why: "a's quota was used up"}, &goal.Fallback{Model: "b", Why: "a was away"}
	isAway := &event.Paused{Exit: goal.WaitingForProvider}
	for range 3 {
		pass(20*time.Minute, isAway)
		resume()
	}
	pass(time.Minute, &event.Usage{})
	pass(5*time.Minute, isAway)
	resume()
	pass(time.Second, &event.Usage{})
	pass(time.Hour, &event.Paused{Exit: goal.WaitingForCondition, Wait: &goal.Wait{For: "CI"}})
	pass(time.Hour, &event.Looked{N: 2}, &event.Warning{What: event.SleptWarning, Text: "the computer slept for 1 h"})
	resume()
	for _, f := range []*goal.Fallback{quota, quota, away, nil, away} {
		pass(time.Second, &event.Usage{Usage: goal.Usage{Fallback: f}})
	}
	retry := &event.Warning{What: event.RetryWarning, Text: "overloaded: HTTP 529: later (wait); trying again in 2 s"}
	ended := &event.Warning{What: event.ServerWarning, Text: "MCP server ci: it ended."}
	pass(time.Second, retry, retry, ended, ended, &event.Warning{What: "network", Text: "something else"})
	pass(8*time.Hour, &event.Paused{Exit: goal.PausedByUser})
	resume()
	list, err := s.History.Interruptions(t.Context(), g.ID)
	if err != nil {
		t.Fatal(err)
	}
	until := list.Fallbacks[1].Until.Local().Format("15:04")
	want := []string{
		"Waited 3 h 05 m, at no cost: 2 times for the model (1 h 05 m), for CI (2 h). The computer slept once.",
		"2 turns by b, because a's quota was used up. 1 turn by b, because a was away until " + until +
			". 1 turn by b, because a was away. 2 requests to a model failed and were repeated (2 overloaded). " +
			"MCP server ci: it ended.",
	}
	if got := list.Describe(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (goal.Interruptions{Waits: list.Waits[1:1]}).Describe(); got != nil {
		t.Errorf("no interruption is described as %q", got)
	}
}
