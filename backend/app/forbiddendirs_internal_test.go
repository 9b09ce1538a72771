package app

import (
	"slices"
	"testing"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/store"
)

// TestNoGoalWorksInAHome: not in anybody's, whoever starts the program.
func TestNoGoalWorksInAHome(t *testing.T) {
	homes := homesIn("root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/usr/sbin:/x\nanna:x:1000:1000::/home/anna:/bin/sh\nbad\nslash:x:1001:1::/:/x\nben:x:1002:1::/data/ben/:/x\n")
	if want := []string{"/root", "/home/anna", "/data/ben"}; !slices.Equal(homes, want) {
		t.Errorf("%q", homes)
	}
	for dir, refused := range map[string]bool{
		"/": true, "/home": true, "/home/anna": true, "/home/anna/.ssh": true, "/home/anna/a/.b/c": true, "/root": true, "/data": true, "/data/ben": true,
		"/etc": true, "/etc/nginx": true, "/usr/lib": true, "/var": true, "/var/lib": true, "/boot": true, "/opt": true, "/srv": true, "/proc/self": true, "/run/x": true,
		"/home/anna/work": false, "/root/work": false, "/data/ben/x": false, "/data/else": false, "/var/www/site": false, "/srv/site": false, "/opt/mine": false, "/tmp/x": false, "/dev/shm/x": false,
	} {
		if reason, _ := forbiddenGoalDir(dir, homes); (reason != "") != refused {
			t.Errorf("%s: %q", dir, reason)
		}
	}
}

// TestAGoalThatHasMoreIsNotRead by another agent: panes or an approval of its user.
func TestAGoalThatHasMoreIsNotRead(t *testing.T) {
	if err := outOfBoundsError(goal.CareOptions{}, nil); err != nil {
		t.Error(err)
	}
	if outOfBoundsError(goal.CareOptions{Panes: []string{"t1"}}, nil) == nil || outOfBoundsError(goal.CareOptions{}, []policy.Grant{{ID: "a1"}}) == nil {
		t.Error("it is read")
	}
}

// TestAnotherAgentResumesWhatIsItsOwn, and nothing that the user stopped.
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
