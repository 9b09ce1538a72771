package app_test

import (
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
)

// driven waits until an event reports the driver of a browser pane.
func (p *program) driven(id string, by pane.Driver) {
	p.Helper()
	p.await("pane "+id+" driven by "+string(by), func(e event.Event) bool {
		b, ok := e.Body.(*event.Pane)
		return ok && b.Pane.ID == id && b.Pane.Driver == by
	})
}

// TestPage_GoalDoesNotRun_TakesTheUsersInput: the user can act on a goal's page while the goal is paused and after it
// is completed, without taking over the page. During a run only the agent can.
func TestPage_GoalDoesNotRun_TakesTheUsersInput(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	browsers := area[*calls.BrowserAPI](t, p.app)
	waits := args("wait", map[string]any{"seconds": 110})
	p.provide(turns(call("browser_open", `{"url":"about:blank"}`), waits, waits))
	out, err := p.goal.Start(goal.Request{
		Objective: "look",
		Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	must(t, err)
	waiting := func() {
		t.Helper()
		p.await("the wait", func(e event.Event) bool { s, ok := e.Body.(*event.StepStarted); return ok && s.Tool == "wait" })
	}
	navigates := func(when string) {
		t.Helper()
		if done, err := browsers.Navigate("b1", "about:blank"); !done || err != nil {
			t.Errorf("%s the user cannot act on the page: %v", when, err)
		}
	}
	waiting()
	if _, err := browsers.Navigate("b1", "about:blank"); api.ToProblem(err).Code != fault.Conflict {
		t.Errorf("the user acts while the agent drives: %v", err)
	}
	p.paused(out.GoalID)
	p.driven("b1", pane.Nobody)
	navigates("while the goal is paused")

	<-p.app.Done(goal.ID(out.GoalID))
	p.do("resume", p.resume, out.GoalID)
	p.driven("b1", pane.DriverAgent)
	waiting()
	if _, err := browsers.Navigate("b1", "about:blank"); api.ToProblem(err).Code != fault.Conflict {
		t.Errorf("the user acts while the agent drives again: %v", err)
	}

	driving := make(chan struct{}) // otherwise the goal could be done before the new driver is reported
	p.provide(func(n int, _ modeltest.Request) modeltest.Answer {
		if n == 0 {
			select {
			case <-driving:
			case <-t.Context().Done():
			}
			return call("run_command", `{"command":"touch done.txt"}`)
		}
		return call("claim_complete", `{"rationale":"it is there"}`)
	})
	p.paused(out.GoalID)
	p.driven("b1", pane.Nobody) // if the goal were resumed at once, the next event would skip this driver
	<-p.app.Done(goal.ID(out.GoalID))
	p.do("resume", p.resume, out.GoalID)
	p.driven("b1", pane.DriverAgent)
	close(driving)
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.Done {
		t.Fatalf("%+v", e)
	}
	p.driven("b1", pane.Nobody)
	navigates("after the goal is done")
}
