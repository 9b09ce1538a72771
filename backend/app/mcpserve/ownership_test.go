package mcpserve

import (
	"testing"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/store"
)

// TestAGoalThatHasMoreIsNotRead by another agent: one with panes or an approval of its user.
func TestAGoalThatHasMoreIsNotRead(t *testing.T) {
	if err := outOfBoundsError(goal.CareOptions{}, nil); err != nil {
		t.Error(err)
	}
	if outOfBoundsError(goal.CareOptions{Panes: []string{"t1"}}, nil) == nil ||
		outOfBoundsError(goal.CareOptions{}, []policy.Grant{{ID: "a1"}}) == nil {
		t.Error("it is read")
	}
}

// TestAnotherAgentResumesWhatIsItsOwn, but not what the user stopped.
func TestAnotherAgentResumesWhatIsItsOwn(t *testing.T) {
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
		if err := own.mayResume(row, c.raises); (err == nil) != c.may {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
