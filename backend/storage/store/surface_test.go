package store

import (
	"slices"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

func end(t *testing.T, s *Store, run goal.Run, status goal.Status, exit goal.Exit) {
	t.Helper()
	if err := s.Journal.Append(t.Context(), run, &event.Ended{Status: status, Exit: exit}); err != nil {
		t.Fatal(err)
	}
}

// TestPrunable_ListsMatchingEndedGoals also checks that no active goal is listed.
func TestPrunable_ListsMatchingEndedGoals(t *testing.T) {
	now := time.Now()
	s, err := Open(t.Context(), Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	done, failed, pending, running := create(t, s), create(t, s), create(t, s), create(t, s)
	end(t, s, begin(t, s, done.ID), goal.Completed, goal.Done)
	begin(t, s, running.ID)
	now = now.Add(48 * time.Hour)
	end(t, s, begin(t, s, failed.ID), goal.Failed, goal.LimitReached)
	for _, c := range []struct {
		p    Predicate
		want []goal.ID
	}{
		{Predicate{}, []goal.ID{done.ID, failed.ID}},
		{Predicate{Status: goal.Failed}, []goal.ID{failed.ID}},
		{Predicate{OlderThanMS: (24 * time.Hour).Milliseconds()}, []goal.ID{done.ID}},
		{Predicate{Status: goal.Running}, nil},
		{Predicate{Status: goal.Pending}, nil},
	} {
		got, err := s.Goals.Prunable(t.Context(), c.p)
		slices.Sort(got)
		slices.Sort(c.want)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v, %v", c.p, got, c.want, err)
		}
	}
	_ = pending
}

// TestList_Resumable includes goals whose owner died.
func TestList_Resumable(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	done, failed, dead, owned := create(t, s), create(t, s), create(t, s), create(t, s)
	end(t, s, begin(t, s, done.ID), goal.Completed, goal.Done)
	end(t, s, begin(t, s, failed.ID), goal.Failed, goal.ExitError)
	own, err := s.Locks.LockGoal(owned.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Unlock() })
	for _, id := range []goal.ID{dead.ID, owned.ID} {
		begin(t, s, id)
	}
	for _, id := range []goal.ID{done.ID, failed.ID} { // their process died in the queue
		row, err := s.Goals.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Journal.Append(t.Context(), goal.Run{Goal: id, ID: row.RunID},
			&event.Queued{Reason: "3 goals are already running"}); err != nil {
			t.Fatal(err)
		}
	}
	rows, total, err := s.Goals.List(t.Context(), Filter{Resumable: true})
	var got []goal.ID
	for _, r := range rows {
		got = append(got, r.ID)
	}
	want := []goal.ID{failed.ID, dead.ID}
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || total != 2 || !slices.Equal(got, want) {
		t.Errorf("%v, want %v, %v", got, want, err)
	}
}

func TestList_WithSearch_FindsObjectiveResultAndFolder(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	_, done := create(t, s), create(t, s)
	if err := s.Journal.Append(t.Context(), begin(t, s, done.ID), &event.Ended{
		Status: goal.Completed, Exit: goal.Done, Account: "The **coupon** works.",
	}); err != nil {
		t.Fatal(err)
	}
	for search, want := range map[string]int{"DONE.txt": 2, "coupon": 1, "/tmp/X": 2, "write_local": 0, "txt\nThe": 0} {
		if rows, total, err := s.Goals.List(t.Context(), Filter{Search: search}); err != nil || total != want ||
			len(rows) != want || want == 1 && rows[0].ID != done.ID {
			t.Errorf("%q: %d goals, want %d, %v", search, total, want, err)
		}
	}
}

func TestReviewsAndRuns_AreReadBack(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	run := begin(t, s, g.ID)
	err := s.Journal.Append(t.Context(), run,
		&event.Critic{Verdict: event.CriticStuck, Reason: "in a circle", Step: 5},
		&event.Claim{N: 1, Rationale: "x"},
		&event.Review{Claim: 1, Review: goal.Review{Reason: "no proof"}},
		&event.Paused{Exit: goal.Stuck})
	if err != nil {
		t.Fatal(err)
	}
	begin(t, s, g.ID)
	list, err := s.History.Reviews(t.Context(), g.ID)
	if err != nil || len(list) != 2 || list[0].Critic == nil || list[0].Critic.Step != 5 || list[1].Review == nil ||
		list[1].Review.Confirmed {
		t.Errorf("%+v %v", list, err)
	}
}

func TestWaitsForManual_LaterEvent_IsFalse(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	plain := create(t, s)
	g := &goal.Goal{
		ID:      goal.ID(NewID()),
		Request: goal.Request{Objective: "x", Limits: goal.DefaultLimits()},
	}
	g.Criterion.Checks = []goal.Check{{Type: goal.Manual, Wait: true}}
	if err := s.Goals.Create(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what   string
		bodies []event.Body
		want   bool
	}{
		{"no judge decided", []event.Body{
			&event.Claim{N: 1}, &event.Verdict{Claim: 1, Verdict: goal.Verdict{Outcome: goal.CheckErr, JudgeFailed: true}},
			&event.Paused{Exit: goal.NeedsUser},
		}, true},
		{"no reviewer decided", []event.Body{
			&event.Claim{N: 2}, &event.Review{Claim: 2, Review: goal.Review{Error: true}},
			&event.Paused{Exit: goal.NeedsUser},
		}, true},
		{"a model decided", []event.Body{
			&event.Claim{N: 3}, &event.Review{Claim: 3}, &event.Paused{Exit: goal.NeedsUser},
		}, false},
	} {
		expectWaits(t, s, plain.ID, c.what, c.want, c.bodies...)
	}
	for _, c := range []struct {
		what   string
		bodies []event.Body
		want   bool
	}{
		{"nothing was claimed", []event.Body{&event.Paused{Exit: goal.NeedsUser}}, false},
		{
			"a claim waits",
			[]event.Body{&event.Iteration{N: 1}, &event.Claim{N: 1}, &event.Paused{Exit: goal.NeedsUser}},
			true,
		},
		{
			"it continued without an answer, and asked",
			[]event.Body{&event.Iteration{N: 2}, &event.Paused{Exit: goal.NeedsUser}},
			false,
		},
		{
			"the claim failed",
			[]event.Body{&event.Claim{N: 2}, &event.VerificationFailed{Claim: 2}, &event.Paused{Exit: goal.NeedsUser}},
			false,
		},
		{"a file was tampered with", []event.Body{
			&event.Claim{N: 3}, &event.Verdict{
				Claim:   3,
				Verdict: goal.Verdict{Outcome: goal.Tampered},
			}, &event.Paused{Exit: goal.NeedsUser},
		}, false},
		{"the user paused it", []event.Body{&event.Claim{N: 4}, &event.Paused{Exit: goal.PausedByUser}}, false},
	} {
		expectWaits(t, s, g.ID, c.what, c.want, c.bodies...)
	}
}

func expectWaits(t *testing.T, s *Store, id goal.ID, what string, want bool, bodies ...event.Body) {
	t.Helper()
	run := begin(t, s, id)
	if err := s.Journal.Append(t.Context(), run, bodies...); err != nil {
		t.Fatal(err)
	}
	row, err := s.Goals.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if waits, err := s.Questions.WaitsForManual(t.Context(), row); err != nil || waits != want {
		t.Errorf("%s: %v, %v", what, waits, err)
	}
}

// TestPendingQuestions_GoalContinued_IsLeftOut also covers a deleted goal. The other goals are still listed.
func TestPendingQuestions_GoalContinued_IsLeftOut(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	asks, goesOn, gone := create(t, s), create(t, s), goal.ID(NewID())
	for _, g := range []*goal.Goal{asks, goesOn} {
		if err := s.Journal.Append(t.Context(), begin(t, s, g.ID), &event.Paused{Exit: goal.NeedsUser}); err != nil {
			t.Fatal(err)
		}
	}
	asked, err := s.Questions.PendingQuestions(t.Context(), "")
	if err != nil || len(asked) != 2 {
		t.Fatalf("%d ask, %v", len(asked), err)
	}
	begin(t, s, goesOn.ID)
	still, err := s.Questions.confirmPending(t.Context(),
		append(asked, PendingQuestion{GoalRow: GoalRow{Goal: goal.Goal{ID: gone}}}))
	if err != nil || len(still) != 1 || still[0].ID != asks.ID {
		t.Errorf("%+v, %v", still, err)
	}
}
