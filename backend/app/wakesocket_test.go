package app_test

import (
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
)

// deaf is a clock with which a run never polls for orders, so it notices them only through the socket.
type deaf struct{}

func (deaf) Now() time.Time { return time.Now() }

func (deaf) After(d time.Duration) <-chan time.Time {
	if d == 250*time.Millisecond { // between two polls
		return nil
	}
	return time.After(d)
}

// TestWakeSocket_OrderOfAnotherProcess_Arrives: another process sends approvals, a denial and a revocation over the
// socket of the process that runs the goal.
func TestWakeSocket_OrderOfAnotherProcess_Arrives(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	here, there := startWith(t, home, deaf{}), start(t, home)
	write := func(path string) string { return `{"path":"` + path + `","content":"x"}` }
	here.provide(turns(call("write_file", write("a")), call("write_file", write("b")), call("write_file", write("a")),
		call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)))
	out, err := here.goal.Start(goal.Request{
		Objective: "wait",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Policy:    policy.Policy{Risk: policy.ReadOnly},
	})
	if err != nil {
		t.Fatal(err)
	}
	answers := there.app.ApprovalAPI(t.Context())
	say := func(in calls.AnswerInput) {
		t.Helper()
		in.GoalID = out.GoalID
		here.await("the question "+in.Request, func(e event.Event) bool {
			b, ok := e.Body.(*event.ApprovalRequested)
			return ok && b.ID == in.Request
		})
		if in.Request == "a2" { // revoke the first grant, which would otherwise cover a3
			if _, err := answers.Revoke(out.GoalID, "a1"); err != nil {
				t.Fatal(err)
			}
			here.await("the end of the grant", func(e event.Event) bool {
				b, ok := e.Body.(*event.GrantEnded)
				return ok && b.Request == "a1"
			})
		}
		if _, err := answers.Answer([]calls.AnswerInput{in}); err != nil {
			t.Fatal(err)
		}
		here.await("the answer to "+in.Request, func(e event.Event) bool {
			b, ok := e.Body.(*event.ApprovalResolved)
			return ok && b.Request == in.Request && b.Allowed == in.Allow
		})
	}
	say(calls.AnswerInput{Request: "a1", Allow: true, Scope: "goal"})
	say(calls.AnswerInput{Request: "a2", Why: "not that"})
	// the revoked grant would have covered this
	say(calls.AnswerInput{Request: "a3", Allow: true, Scope: policy.ScopeOnce})
	if e, ok := here.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
}
