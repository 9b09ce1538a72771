package app_test

import (
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// TestQueue_GoalOfAnotherDataFolder_IsWaitedFor: two Goalposts that share nothing but the goal's folder.
func TestQueue_GoalOfAnotherDataFolder_IsWaitedFor(t *testing.T) {
	t.Parallel()
	first, second, dir := start(t, t.TempDir()), start(t, t.TempDir()), t.TempDir()
	hold, isAsked := make(chan struct{}), make(chan struct{}, 1)
	first.provide(func(int, modeltest.Request) modeltest.Answer {
		select {
		case isAsked <- struct{}{}:
		default:
		}
		return modeltest.Answer{Wait: hold, Calls: givesUp.Calls}
	})
	second.provide(turns(givesUp))
	request := goal.Request{
		Objective: "write",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	}
	one, err := first.goal.Start(request)
	must(t, err)
	<-isAsked
	two, err := second.goal.Start(request)
	must(t, err)
	second.await("the wait", func(e event.Event) bool {
		b, ok := e.Body.(*event.Queued)
		return ok && strings.Contains(b.Reason, "another Goalpost (data folder ") &&
			strings.Contains(b.Reason, "writes in the same folder")
	})
	close(hold)
	first.ended(one.GoalID)
	if e, ok := second.ended(two.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Errorf("the second goal ended with %+v", e)
	}
}
