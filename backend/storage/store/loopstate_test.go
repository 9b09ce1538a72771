package store

import (
	"reflect"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// TestLoopState_UserIntervenes_IsDropped checks that a stop for the user and new limits drop the stored state, while a
// pause, a parked goal and a crash keep it.
func TestLoopState_UserIntervenes_IsDropped(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	want := goal.LoopState{
		Calls:        map[string]goal.RepeatCount{"a": {Result: "b", Times: 3}},
		Warned:       []string{"reading"},
		Fingerprints: []string{"w"},
		Quiet:        4,
		USD:          0.5,
	}
	for _, c := range []struct {
		name string
		then []event.Body
		kept bool
	}{
		{"nothing", nil, true},
		{"user_paused", []event.Body{&event.Paused{Exit: goal.PausedByUser}, &event.Resumed{}}, true},
		{"parked", []event.Body{&event.Paused{Exit: goal.WaitingForProvider}, &event.Resumed{}}, true},
		{"interrupted", []event.Body{&event.Paused{Exit: goal.Interrupted}, &event.Resumed{}}, true},
		{"stuck", []event.Body{&event.Paused{Exit: goal.Stuck}, &event.Resumed{}}, false},
		{"needs_user", []event.Body{&event.Paused{Exit: goal.NeedsUser}, &event.Resumed{}}, false},
		{"new limits", []event.Body{
			&event.Paused{Exit: goal.PausedByUser}, event.NewLimitsChanged(goal.DefaultLimits()),
			&event.Resumed{},
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := in(t, s, "/w/"+c.name, policy.WriteLocal)
			run, err := s.Journal.Begin(t.Context(), g.ID, 99, &event.Started{})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []goal.LoopState{{Quiet: 1}, want} {
				if err := s.History.SaveLoopState(t.Context(), run, m); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.History.SaveLoopState(t.Context(), goal.Run{Goal: g.ID, ID: "an earlier one"},
				goal.LoopState{Quiet: 9}); err != nil {
				t.Fatal(err)
			}
			for _, body := range c.then {
				if body.EventType() == "resumed" {
					if run, err = s.Journal.Begin(t.Context(), g.ID, 99, body); err != nil {
						t.Fatal(err)
					}
				} else if err := s.Journal.Append(t.Context(), run, body); err != nil {
					t.Fatal(err)
				}
			}
			p, err := s.History.RunHistory(t.Context(), g.ID, 1)
			if err != nil || reflect.DeepEqual(p.Memory, want) != c.kept || !c.kept &&
				!reflect.DeepEqual(p.Memory, goal.LoopState{}) {
				t.Errorf("%+v, %v", p.Memory, err)
			}
		})
	}
}
