package app_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
)

// TestAbort_WaitingGoal_EndsItsProgramsAndChildren: after an abort, a goal that waits in the queue or is parked leaves
// no programs and no children.
func TestAbort_WaitingGoal_EndsItsProgramsAndChildren(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("its program is looked for in /proc")
	}
	for n, c := range []struct {
		name  string
		stops modeltest.Answer
		exit  goal.Exit
	}{
		{"queue", call("ask_user", with("question", "continue?")), goal.NeedsUser},
		{"parked", modeltest.Answer{
			Status:     429,
			RetryAfter: "3600",
			Body:       `{"error":{"message":"come back in an hour"}}`,
		}, goal.WaitingForProvider},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, dir, mark := start(t, t.TempDir()), t.TempDir(), fmt.Sprint(300_000_000+10*os.Getpid()+n)
			p.provide(family(
				naming(call("start_goal", fmt.Sprintf(startChild, "")), call("wait_for_goal", with("goal", "CHILD")),
					call("terminal_open", `{}`),
					call("terminal_run", with("pane", "t1", "command", "sleep "+mark, "wait_seconds", 1)), c.stops),
				turns(call("ask_user", with("question", "Which colour?"))),
			))
			out, err := p.goal.Start(goal.Request{
				Objective: "parent",
				Policy:    policy.Policy{Dir: dir},
				Criterion: goal.Criterion{Checks: shell("false")},
				Options:   goal.Options{CriticEvery: goal.NoLimit},
			})
			must(t, err)
			if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != c.exit {
				t.Fatalf("%+v", e)
			}
			begun(t, mark)
			if c.name == "queue" {
				p.provide(turns(call("wait", `{"seconds":600}`)))
				_, err := p.goal.Start(goal.Request{
					Objective: "hold the folder",
					Policy:    policy.Policy{Dir: dir},
					Criterion: goal.Criterion{Checks: shell("false")},
					Options:   goal.Options{CriticEvery: goal.NoLimit},
				})
				must(t, err)
				p.await("the folder is taken", func(e event.Event) bool {
					_, ok := e.Body.(*event.StepStarted)
					return ok && string(e.GoalID) != out.GoalID
				})
				p.do("resume", p.resume, out.GoalID)
				p.await("the queue", func(e event.Event) bool { _, ok := e.Body.(*event.Queued); return ok })
			}
			p.do("abort", p.goal.Abort, out.GoalID)
			if sleeps(t, mark) {
				t.Error("its program continues")
			}
			list, err := p.goal.List(calls.ListInput{Search: "write the part"})
			if err != nil || len(list.Goals) != 1 || list.Goals[0].Status != goal.Aborted {
				t.Errorf("the goal that it started: %+v, %v", list.Goals, err)
			}
		})
	}
}
