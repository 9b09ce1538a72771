package calls_test

import (
	"context"
	"reflect"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

// TestFigures_EndsOfGoals_AreCounted: each end counts, a goal once, with its last model; a done goal that is reopened
// counts as not done only if the user says so; and a goal that is deleted stays.
func TestFigures_EndsOfGoals_AreCounted(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	start := func(model string) goal.ID {
		g := &goal.Goal{ID: goal.ID(store.NewID()), Request: goal.Request{
			Objective: "repair the shop",
			Model:     model,
			Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "make test"}}},
			Policy:    policy.Policy{Risk: policy.WriteLocal, Dir: "/home/person/shop"},
			Limits:    goal.DefaultLimits(),
		}}
		if err := s.Goals.Create(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		return g.ID
	}
	run := func(id goal.ID, opening event.Body, bodies ...event.Body) {
		t.Helper()
		r, err := s.Journal.Begin(t.Context(), id, 1, opening)
		if err == nil {
			err = s.Journal.Append(t.Context(), r, bodies...)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	spend := func(id goal.ID, usd float64) {
		t.Helper()
		err := s.Spend.RecordSpend(t.Context(), store.SpendEntry{Goal: id, Role: "agent", Usage: goal.Usage{USD: usd}})
		if err != nil {
			t.Fatal(err)
		}
	}
	ask := func(id string) event.Body { return &event.ApprovalRequested{Approval: goal.Approval{ID: id}} }
	warn := &event.Critic{Verdict: event.CriticStuck}
	praise := &event.Critic{Verdict: event.Progressing}
	done := &event.Ended{Status: goal.Completed, Exit: goal.Done}
	gaveUp := &event.Ended{Status: goal.Failed, Exit: goal.GaveUp}
	limited := &event.Ended{Status: goal.Failed, Exit: goal.LimitReached}

	// Done after a warning, and it is: the critic was wrong. Something is added, and it is done again.
	first := start("large")
	run(first, &event.Started{}, ask("a1"), warn, done)
	run(first, &event.Reopened{Note: "also in blue"}, praise, done)
	spend(first, 1)
	// Done, but it was not; and the second run ends with a report, about which the critic had warned.
	second := start("large")
	run(second, &event.Started{}, ask("a1"), ask("a2"), praise, done)
	run(second, &event.Reopened{Note: "it is empty", NotDone: true}, warn, gaveUp)
	spend(second, 0.5)
	// A limit, and the goal is deleted.
	third := start("small")
	run(third, &event.Started{}, limited)
	spend(third, 0.25)
	if err := s.Goals.Delete(t.Context(), third); err != nil {
		t.Fatal(err)
	}
	start("small") // has not ended

	got, err := calls.NewFiguresAPI(context.Background(), s.Outcomes).Get()
	large := calls.FigureRow{
		Model: "large", Goals: 2, Ends: 4, Done: 3, NotDone: 1, GaveUp: 1, Asks: 3, Warned: 2, Right: 1, USD: 1.5,
	}
	small := calls.FigureRow{Model: "small", Goals: 1, Ends: 1, Limited: 1, USD: 0.25}
	all := calls.FigureRow{
		Goals: 3, Ends: 5, Done: 3, NotDone: 1, GaveUp: 1, Limited: 1, Asks: 3, Warned: 2, Right: 1, USD: 1.75,
	}
	want := calls.Figures{All: all, Models: []calls.FigureRow{large, small}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}
}
