package mcpserve

import (
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/storage/store"
)

// TestFindReadable_GoalWithMoreAccess_IsRefused: another agent may not read a goal with shared panes or grants of the
// user.
func TestFindReadable_GoalWithMoreAccess_IsRefused(t *testing.T) {
	if err := outOfBoundsError(goal.Options{}, nil); err != nil {
		t.Error(err)
	}
	if outOfBoundsError(goal.Options{Panes: []string{"t1"}}, nil) == nil ||
		outOfBoundsError(goal.Options{}, []policy.Grant{{ID: "a1"}}) == nil {
		t.Error("it is read")
	}
}

// TestValidateResume_GoalOfTheUser_IsRefused: another agent may resume its own goals, but not those that the user
// stopped.
func TestValidateResume_GoalOfTheUser_IsRefused(t *testing.T) {
	var own ownedGoals
	own.add("made")
	for _, c := range []struct {
		id     goal.ID
		exit   goal.Exit
		raises bool
		may    bool
	}{
		{"made", goal.LimitReached, true, true},
		{"made", goal.NeedsUser, false, true},
		{"made", goal.PausedByUser, false, false},
		{"held", goal.PausedByUser, false, true},
		{"held", goal.PausedByUser, true, false},
		{"other", goal.PausedByUser, false, false},
		{"other", goal.AbortedByUser, false, false},
		{"held", goal.AbortedByUser, false, true},
		{"other", goal.NeedsUser, false, false},
		{"other", goal.LimitReached, true, false},
		{"other", goal.WaitingForProvider, false, true},
	} {
		row := store.GoalRow{Goal: goal.Goal{ID: c.id, Exit: c.exit}}
		if c.id == "held" {
			row.StoppedBy = goal.ExternalAgent
		}
		if err := own.validateResume(row, c.raises); (err == nil) != c.may {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
