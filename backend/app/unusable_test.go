package app_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// TestProvider_Gone_AsksTheUser also checks that the goal continues when the provider is back.
func TestProvider_Gone_AsksTheUser(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	hold := make(chan struct{})
	defer close(hold)
	p.provide(turns(call("list_files", "{}"), modeltest.Answer{Text: "thinking", Wait: hold}))
	out, err := p.goal.Start(goal.Request{
		Objective: "o",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.await("the step", func(e event.Event) bool { _, ok := e.Body.(*event.Step); return ok })
	if _, err := p.goal.Pause(out.GoalID); err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	if err := p.cfg.DeleteProvider("test"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.goal.Resume(out.GoalID, api.ResumeInput{}); err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.NeedsUser ||
		!strings.Contains(e.Reason, `no provider "test"`) {
		t.Fatalf("%+v", e)
	}
	p.provide(gaveUp())
	if _, err := p.goal.Resume(out.GoalID, api.ResumeInput{}); err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
}

// TestProvider_DeletedWhileGoalRuns_AsksTheUser: the goal pauses at the next turn.
func TestProvider_DeletedWhileGoalRuns_AsksTheUser(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	hold := make(chan struct{})
	p.provide(turns(modeltest.Answer{Wait: hold, Calls: call("list_files", "{}").Calls}, call("list_files", "{}")))
	out, err := p.goal.Start(goal.Request{
		Objective: "o",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cfg.DeleteProvider("test"); err != nil {
		t.Fatal(err)
	}
	close(hold)
	if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.NeedsUser ||
		!strings.Contains(e.Reason, `no provider "test"`) {
		t.Fatalf("%+v", e)
	}
}

// helperOfGoal returns the pid of the helper of the only goal that this program runs.
func helperOfGoal(t *testing.T) int {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		stat, err1 := os.ReadFile(path)
		line, err2 := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err1 != nil || err2 != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(stat), ") ")
		state := strings.Fields(rest) // state, parent, …
		words := strings.Split(string(line), "\x00")
		if len(state) < 2 || state[1] != strconv.Itoa(os.Getpid()) || len(words) < 2 || words[1] != "sandbox" {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			return pid
		}
	}
	t.Fatal("no helper is to be seen under /proc")
	return 0
}

// TestSandbox_Ends_AsksTheUser also checks that the goal gets a new sandbox when it continues.
func TestSandbox_Ends_AsksTheUser(t *testing.T) {
	p := start(t, t.TempDir())
	hold := make(chan struct{})
	p.provide(turns(
		call("run_command", `{"command":"true"}`),
		modeltest.Answer{Wait: hold, Calls: call("run_command", `{"command":"true"}`).Calls},
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "o",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.await("the step", func(e event.Event) bool { _, ok := e.Body.(*event.Step); return ok })
	if err := syscall.Kill(helperOfGoal(t), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	close(hold)
	if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.NeedsUser ||
		!strings.Contains(e.Reason, "sandbox") {
		t.Fatalf("%+v", e)
	}
	p.provide(func(n int, _ modeltest.Request) modeltest.Answer {
		if n == 0 {
			return call("run_command", `{"command":"echo alive"}`)
		}
		return call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)
	})
	if _, err := p.goal.Resume(out.GoalID, api.ResumeInput{}); err != nil {
		t.Fatal(err)
	}
	if e, ok := p.await("a step that works", func(e event.Event) bool {
		_, ok := e.Body.(*event.Step)
		return ok
	}).Body.(*event.Step); !ok || e.Outcome != event.OK {
		t.Fatalf("%+v", e)
	}
	p.ended(out.GoalID)
}

// died creates a goal whose process was killed during a call.
func (p *program) died() goal.ID {
	p.Helper()
	g := &goal.Goal{
		ID: goal.ID(store.NewID()),
		Request: goal.Request{
			Objective: "wait",
			Provider:  "test",
			Model:     "m",
			Limits:    goal.DefaultLimits(),
		},
	}
	g.Criterion.Checks, g.Policy.Risk, g.Policy.Dir = shell("test -f never"), policy.WriteLocal, p.TempDir()
	s := p.app.Store()
	if err := s.Goals.Create(p.Context(), g); err != nil {
		p.Fatal(err)
	}
	own, err := s.Locks.LockGoal(g.ID) // while the lock is held, the goal is not treated as dead
	must(p.T, err)
	run, err := s.Journal.Begin(p.Context(), g.ID, 10, &event.Started{})
	must(p.T, err)
	must(p.T, s.Journal.Append(p.Context(), run, &event.StepStarted{StepID: 1, Tool: "run_command", Arguments: "{}"}))
	must(p.T, own.Unlock())
	return g.ID
}

// TestRecover_OtherProcessDied_GoalIsInterrupted also checks that the outcome of the open call is unknown, and that
// the goal can be resumed before that.
func TestRecover_OtherProcessDied_GoalIsInterrupted(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(gaveUp())
	id := p.died()
	must(t, p.app.Goals.Recover(t.Context())) // as a process does at its start
	step, ok := p.await("the open call", func(e event.Event) bool {
		_, ok := e.Body.(*event.Step)
		return ok && e.GoalID == id
	}).Body.(*event.Step)
	if !ok || step.Outcome != event.OutcomeUnknown {
		t.Errorf("%+v", step)
	}
	if e, ok := p.ended(string(id)).Body.(*event.Paused); !ok || e.Exit != goal.Interrupted {
		t.Fatalf("%+v", e)
	}
	for _, id := range []goal.ID{id, p.died()} {
		if _, err := p.goal.Resume(string(id), api.ResumeInput{}); err != nil {
			t.Fatal(err)
		}
		p.await("the end", func(e event.Event) bool {
			b, ok := e.Body.(*event.Ended)
			return ok && e.GoalID == id && b.Exit == goal.GaveUp
		})
	}
}

// TestPause_ProcessDied_SaysInterrupted: the goal must not count as paused by the user.
func TestPause_ProcessDied_SaysInterrupted(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	id := p.died()
	// the window may have interrupted the goal first
	if _, err := p.goal.Pause(string(id)); err != nil && api.ToProblem(err).Code != fault.Conflict {
		t.Fatal(err)
	}
	if row, err := p.app.Store().Goals.Get(t.Context(), id); err != nil || row.Status != goal.Paused ||
		row.Exit != goal.Interrupted {
		t.Errorf("%s/%s %v", row.Status, row.Exit, err)
	}
}
