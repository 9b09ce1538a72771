package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
)

// TestApprovals_OfTwoGoals_AreAnsweredAndRevoked: the requests of two goals are answered in one call. A grant is
// listed, revoked and requested again, and ends with its goal.
func TestApprovals_OfTwoGoals_AreAnsweredAndRevoked(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	fetch := args("run_command", map[string]any{"command": "curl -s -m 20 http://given.invalid/"})
	p.provide(turns(fetch, awaitAnswer(), args("run_command", map[string]any{
		"command": "while ! test -f go; do sleep 0.05; done",
	}), fetch, awaitAnswer(),
		args("abort_with_report", map[string]any{"reason": "enough", "what_was_learned": "-"})))
	approvals := area[*calls.ApprovalAPI](t, p.app)
	var ids, requests [2]string
	dirs := [2]string{t.TempDir(), t.TempDir()}
	asked := func(id string) string {
		return p.await("a question of "+id, func(e event.Event) bool {
			_, ok := e.Body.(*event.ApprovalRequested)
			return ok && string(e.GoalID) == id
		}).Body.(*event.ApprovalRequested).ID
	}
	for i := range ids {
		out, err := p.goal.Start(goal.Request{
			Objective: "fetch",
			Policy:    policy.Policy{Dir: dirs[i]},
			Criterion: goal.Criterion{Checks: shell("false")},
		})
		must(t, err)
		ids[i] = out.GoalID
		requests[i] = asked(ids[i])
	}
	waiting, err := approvals.List("")
	must(t, err)
	if len(waiting) != 2 {
		t.Fatalf("%d wait: %+v", len(waiting), waiting)
	}
	ok, err := approvals.Answer([]calls.AnswerInput{
		{
			GoalID:  ids[0],
			Request: requests[0],
			Allow:   true,
			Scope:   policy.ScopeHost,
		}, {GoalID: ids[1], Request: requests[1], Why: "not this one"},
	})
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	given := map[string]bool{}
	for len(given) < 2 {
		e := p.await("both answers", func(e event.Event) bool { _, ok := e.Body.(*event.ApprovalResolved); return ok })
		given[string(e.GoalID)] = e.Body.(*event.ApprovalResolved).Allowed
	}
	if !given[ids[0]] || given[ids[1]] {
		t.Errorf("the answers arrived as %v", given)
	}
	grants := func(id string) int {
		list, err := approvals.Grants(id)
		must(t, err)
		return len(list)
	}
	if grants(ids[0]) != 1 || grants(ids[1]) != 0 {
		t.Errorf("%d and %d grants", grants(ids[0]), grants(ids[1]))
	}
	if _, err := approvals.Revoke(ids[0], requests[0]); err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		must(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o644))
	}
	again := asked(ids[0])
	if grants(ids[0]) != 0 {
		t.Error("what was taken back is still listed")
	}
	_, err = approvals.Answer([]calls.AnswerInput{{GoalID: ids[0], Request: again, Allow: true, Scope: policy.ScopeHost}})
	must(t, err)
	for _, id := range ids {
		if v := p.done(id); v.Exit != goal.GaveUp || grants(id) != 0 {
			t.Errorf("%s ended as %s with %d grants", id, v.Exit, grants(id))
		}
	}
	if _, err := approvals.Answer([]calls.AnswerInput{{GoalID: ids[0], Request: requests[0], Allow: true}}); err == nil {
		t.Error("an answered request of a goal that is over is answered again")
	}
}
