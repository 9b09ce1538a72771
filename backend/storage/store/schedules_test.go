package store

import (
	"errors"
	"testing"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/schedule"
)

// TestSchedules_Refuse_LeavesTheGoalOfAnotherProcess: a process takes back only its own claim. A due time that another
// process has decided stays as it is.
func TestSchedules_Refuse_LeavesTheGoalOfAnotherProcess(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	due := time.Date(2026, 12, 1, 7, 0, 0, 0, time.UTC)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(s.Schedules.Save(t.Context(), schedule.Schedule{ID: "nightly", Mode: schedule.Active}))
	g := &goal.Goal{ID: goal.ID(NewID()), Request: goal.Request{
		Objective: "o",
		Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "true"}}},
		Policy:    policy.Policy{Risk: policy.WriteLocal, Dir: "/w"},
	}}
	g.Origin.Scheduled = &goal.Scheduled{ID: "nightly", Due: due}
	must(s.Goals.Create(t.Context(), g))

	for _, other := range []goal.ID{"", goal.ID(NewID())} {
		err := s.Schedules.Refuse(t.Context(), schedule.Run{Schedule: "nightly", Due: due, Goal: other, Why: "not mine"})
		runs, problem := s.Schedules.Runs(t.Context(), "nightly", 2)
		must(problem)
		if !errors.Is(err, ErrDecided) || len(runs) != 1 || runs[0].State != schedule.Started || runs[0].Goal != g.ID {
			t.Errorf("refused for goal %q: %v, %+v", other, err, runs)
		}
	}
	must(s.Schedules.Refuse(t.Context(), schedule.Run{Schedule: "nightly", Due: due, Goal: g.ID, Why: "no disk"}))
	runs, err := s.Schedules.Runs(t.Context(), "nightly", 2)
	must(err)
	if len(runs) != 1 || runs[0].State != schedule.Refused || runs[0].Goal != "" || runs[0].Why != "no disk" {
		t.Errorf("%+v", runs)
	}
}
