package store

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
)

// TestLeases_EveryLeaseIsReleased checks that a pause releases shared panes, and that the end of the process or of the
// goal releases all panes. Each lease is released once, before the event with the reason.
func TestLeases_EveryLeaseIsReleased(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	first := open(t, dir, nil)
	g := create(t, first)
	run := begin(t, first, g.ID)
	appended := func(s *Store, bodies ...event.Body) {
		t.Helper()
		if err := s.Journal.Append(ctx, run, bodies...); err != nil {
			t.Fatal(err)
		}
	}
	own := func(name string, held bool) event.Body {
		return &event.Lease{Pane: name, Kind: pane.Terminal, Held: held}
	}
	sharedLease := &event.Lease{Pane: "b1", Kind: pane.Browser, Held: true, Shared: true}
	appended(first, own("t1", true), own("t2", true), sharedLease, own("t1", true))
	for range 2 {
		if err := first.Journal.ReleaseLease(ctx, g.ID, "t2"); err != nil {
			t.Fatal(err)
		}
	}
	appended(first, own("t2", false), &event.Paused{Exit: goal.WaitingForProvider, Report: []string{"later"}})
	run = begin(t, first, g.ID)
	appended(first, sharedLease, &event.Paused{Exit: goal.PausedByUser, Report: []string{"paused"}})
	if err := first.Journal.ReleaseLease(ctx, g.ID, "b1"); err != nil {
		t.Fatal(err)
	}

	second := open(t, dir, nil) // another process continues
	run = begin(t, second, g.ID)
	appended(second, own("t1", true))
	if err := first.Journal.ReleaseLease(ctx, g.ID, "t1"); err != nil { // the first process has another t1
		t.Fatal(err)
	}
	if n, err := second.Recovery.Interrupt(ctx); err != nil || n != 1 { // nobody holds the lock file
		t.Fatal(n, err)
	}
	run = begin(t, second, g.ID)
	appended(second, own("t3", true), &event.Ended{Status: goal.Failed, Exit: goal.Stuck, Report: []string{"x"}})

	events, err := second.History.Events(ctx, g.ID, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events[1:] {
		line := e.Body.EventType()
		if l, ok := e.Body.(*event.Lease); ok {
			line = fmt.Sprintf("%s %v", l.Pane, l.Held)
		}
		got = append(got, line)
	}
	want := []string{
		"started", "t1 true", "t2 true", "b1 true", "t2 false", "paused",
		"started", "b1 false", "paused",
		"started", "t1 false", "t1 true", "t1 false", "paused",
		"started", "t3 true", "t3 false", "ended",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
