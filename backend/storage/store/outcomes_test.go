package store

import (
	"reflect"
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// TestOutcomes_OfOlderDatabases_AreThoseOfTheJournal: the migration finds the same ends that are noted from then on.
func TestOutcomes_OfOlderDatabases_AreThoseOfTheJournal(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	run := begin(t, s, g.ID)
	journal := func(bodies ...event.Body) {
		t.Helper()
		if err := s.Journal.Append(t.Context(), run, bodies...); err != nil {
			t.Fatal(err)
		}
	}
	journal(&event.ApprovalRequested{Approval: goal.Approval{ID: "a1"}},
		&event.Critic{Verdict: event.CriticOffTrack}, &event.Ended{Status: goal.Completed, Exit: goal.Done})
	var err error
	if run, err = s.Journal.Begin(t.Context(), g.ID, 3, &event.Reopened{Note: "more"}); err != nil {
		t.Fatal(err)
	}
	journal(&event.Critic{Verdict: event.Achieved}, &event.Ended{Status: goal.Completed, Exit: goal.Done})
	want, err := s.Outcomes.All(t.Context())
	if err != nil || len(want) != 2 || !want[0].Warned || want[1].Warned || want[0].Asks != 1 {
		t.Fatalf("outcomes %+v, %v", want, err)
	}
	file, err := embedded.ReadFile("migration/0012_outcomes.sql")
	if err != nil {
		t.Fatal(err)
	}
	_, fill, _ := strings.Cut(string(file), "STRICT;")
	for _, q := range []string{"DELETE FROM outcomes", fill} {
		if _, err := s.write.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Outcomes.All(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}
