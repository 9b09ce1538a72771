package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
)

// waiting starts a goal that opens a terminal and then waits for the reply of its model.
func (p *program) waiting() string {
	p.Helper()
	hold := make(chan struct{})
	p.Cleanup(func() { close(hold) })
	p.provide(func(n int, _ modeltest.Request) modeltest.Answer {
		switch n {
		case 0:
			return call("terminal_open", `{"title":"work"}`)
		case 1:
			return call("terminal_run", `{"pane":"t1","command":"true"}`) // when it returns, the user's shell has read its files
		}
		return modeltest.Answer{Text: "thinking", Wait: hold}
	})
	out, err := p.goal.Start(goal.Request{
		Objective: "wait",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		p.Fatal(err)
	}
	p.await("the terminal", func(e event.Event) bool {
		s, ok := e.Body.(*event.Step)
		return ok && s.Tool == "terminal_run"
	})
	return out.GoalID
}

func (p *program) do(what string, order func(string) (bool, error), id string) {
	p.Helper()
	if ok, err := order(id); !ok || err != nil {
		p.Fatalf("%s: %v", what, err)
	}
}

func (p *program) resume(id string) (bool, error) { return p.goal.Resume(id, api.ResumeInput{}) }

func (p *program) paused(id string) {
	p.Helper()
	p.do("pause", p.goal.Pause, id)
	if e, ok := p.ended(id).Body.(*event.Paused); !ok || e.Exit != goal.PausedByUser {
		p.Fatalf("%+v", e)
	}
}

// TestOrders_RunStillClosing_AreFollowed gives orders as soon as the end of a run is reported, while the run still
// closes.
func TestOrders_RunStillClosing_AreFollowed(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	id := p.waiting()
	for range 4 {
		p.paused(id)
		p.do("resume", p.resume, id)
		p.await("the run", func(e event.Event) bool {
			_, ok := e.Body.(*event.Iteration)
			return ok
		})
	}
	p.paused(id)
	p.do("abort", p.goal.Abort, id)
	if v, err := p.goal.Get(id); err != nil || v.Status != goal.Aborted || v.Exit != goal.AbortedByUser {
		t.Errorf("%s/%s %v", v.Status, v.Exit, err)
	}
	p.do("delete", p.goal.Delete, id)
}

// TestDelete_RunStillClosing_Waits deletes a goal as soon as its end is reported, while its run still closes.
func TestDelete_RunStillClosing_Waits(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(turns(call("write_file", `{"path":"done.txt","content":"x"}`),
		call("claim_complete", `{"rationale":"done"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "create done.txt",
		Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.Done {
		t.Fatalf("%+v", e)
	}
	p.do("delete", p.goal.Delete, out.GoalID)
}

// TestOrders_OfTheLastRun_DoNotReachTheNext: a pause and an abort that arrive after the end of a run do not apply to
// the next run.
func TestOrders_OfTheLastRun_DoNotReachTheNext(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	id := p.waiting()
	p.paused(id)
	for _, kind := range []goal.OrderKind{goal.OrderPause, goal.OrderAbort} {
		if err := p.app.Store().Orders.Add(t.Context(), goal.ID(id), goal.Order{Kind: kind}); err != nil {
			t.Fatal(err)
		}
	}
	p.provide(turns(call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)))
	p.do("resume", p.resume, id)
	if e, ok := p.ended(id).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
}

// TestSession_CannotBeEquipped_IsClosed: the provider was deleted before the goal is resumed, which the user can fix.
func TestSession_CannotBeEquipped_IsClosed(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	id := p.waiting()
	p.paused(id)
	if err := p.cfg.DeleteProvider("test"); err != nil {
		t.Fatal(err)
	}
	p.do("resume", p.resume, id)
	p.await("the end of the terminal", func(e event.Event) bool {
		b, ok := e.Body.(*event.Pane)
		return ok && b.Pane.Kind == pane.Terminal && !b.Pane.Running
	})
	<-p.app.Done(goal.ID(id))
	if v, err := p.goal.Get(id); err != nil || v.Status != goal.Paused || v.Exit != goal.NeedsUser {
		t.Errorf("%s/%s %v", v.Status, v.Exit, err)
	}
}

// TestStart_LinkToAHome_IsRefused covers each path that leads to the home folder.
func TestStart_LinkToAHome_IsRefused(t *testing.T) {
	p := start(t, t.TempDir())
	p.provide(turns(call("list_files", "{}")))
	real, link := t.TempDir(), filepath.Join(t.TempDir(), "home")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", link)
	for _, dir := range []string{real, link, "~"} {
		_, err := p.goal.Start(goal.Request{
			Objective: "x",
			Criterion: goal.Criterion{Checks: shell("test -f a")},
			Policy:    policy.Policy{Dir: dir},
		})
		if problem := api.ToProblem(err); err == nil || problem.Code != fault.Refused || problem.Field != "dir" {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// TestStart_NewFolder_HasAPathWithoutLinks: the path must be the one that pwd prints, because file tools use such
// paths.
func TestStart_NewFolder_HasAPathWithoutLinks(t *testing.T) {
	t.Parallel()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	p := start(t, link)
	p.provide(turns(call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "x",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	v, err := p.goal.Get(out.GoalID)
	if err != nil {
		t.Fatal(err)
	}
	if real, err := filepath.EvalSymlinks(v.Policy.Dir); err != nil || real != v.Policy.Dir {
		t.Errorf("%s is %s, %v", v.Policy.Dir, real, err)
	}
}
