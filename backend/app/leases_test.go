package app_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
)

// TestLeases_PaneOrGoalEnds_AreJournaled: the lease of a closed pane ends at once, and the others end with the goal. A
// reopened goal gets its remaining panes again.
func TestLeases_PaneOrGoalEnds_AreJournaled(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(turns(
		call("terminal_open", `{}`), call("terminal_open", `{}`), call("close_pane", `{"pane":"t1"}`),
		call("claim_complete", `{"rationale":"two panes"}`), call("claim_complete", `{"rationale":"one pane"}`),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "open panes",
		Criterion: goal.Criterion{Checks: shell("true")},
		Options:   goal.Options{AllowPassing: true, CriticEvery: goal.NoLimit, Review: goal.ReviewNever},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	if _, err := p.goal.Reopen(out.GoalID, api.ResumeInput{Note: "again"}); err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	events, err := p.app.Store().History.Events(context.Background(), goal.ID(out.GoalID), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range events {
		switch b := e.Body.(type) {
		case *event.Lease:
			got = append(got, fmt.Sprint(b.Pane, " ", b.Held))
		case *event.Ended:
			got = append(got, string(b.Exit))
		}
	}
	want := []string{"t1 true", "t2 true", "t1 false", "t2 false", "done", "t2 true", "t2 false", "done"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
