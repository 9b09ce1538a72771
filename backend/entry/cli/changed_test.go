package cli

import (
	"bytes"
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

// TestDoneGoal_FilesChangedSince_SaysSo: the list, the goal and its receipt agree.
func TestDoneGoal_FilesChangedSince_SaysSo(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	g := &goal.Goal{ID: goal.ID(store.NewID()), Request: goal.Request{
		Objective: "serve",
		Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "true"}}},
		Policy:    policy.Policy{Risk: policy.WriteLocal, Dir: t.TempDir()},
	}}
	if err := s.Goals.Create(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	run, err := s.Journal.Begin(t.Context(), g.ID, 1, &event.Started{})
	if err != nil {
		t.Fatal(err)
	}
	show := func(bodies ...event.Body) string {
		t.Helper()
		if err := s.Journal.Append(t.Context(), run, bodies...); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		r, api := readCommands{Program{Stdout: &out, Stderr: &out}}, calls.NewGoalAPI(t.Context(), nil, s)
		list, err := api.List(calls.ListInput{})
		if err == nil {
			err = r.table(list.Goals)
		}
		if err != nil {
			t.Fatal(err)
		}
		v, err := api.Get(string(g.ID))
		if err == nil {
			err = r.showGoal(api, v)
		}
		if err != nil {
			t.Fatal(err)
		}
		receipt, err := api.Receipt(string(g.ID))
		if err != nil {
			t.Fatal(err)
		}
		return out.String() + "receipt: " + receipt.AssuranceWords
	}
	before := show(&event.Ended{Status: goal.Completed, Exit: goal.Done, Proof: goal.Proof{Assurance: goal.Strong}})
	if strings.Contains(before, "changed since") || !strings.Contains(before, "receipt: Verified") {
		t.Error(before)
	}
	after := show(&event.Warning{What: event.ChangedWarning, Text: "out.txt: changed"})
	for _, want := range []string{
		"completed/done, changed since", "\nDone, changed since: out.txt: changed\n", "receipt: Done, changed since",
	} {
		if !strings.Contains(after, want) {
			t.Errorf("no %q in %s", want, after)
		}
	}
}
