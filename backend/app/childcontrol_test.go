package app_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

func rest() modeltest.Answer { return call("wait", `{"seconds":600}`) }

// family starts a parent goal. Its agent starts a child, waits for it, rests, makes the calls in between, and waits for
// the child again. family returns both ids when the parent rests.
func (p *program) family(child modeltest.Script, between ...modeltest.Answer) (parent, its string) {
	p.Helper()
	again := call("wait_for_goal", with("goal", "CHILD"))
	script := append([]modeltest.Answer{call("start_goal", fmt.Sprintf(startChild, "")), again, rest()},
		append(between, again)...)
	p.provide(family(naming(script...), func(n int, r modeltest.Request) modeltest.Answer {
		if holds(r) {
			return rest()
		}
		return child(n, r)
	}))
	out, err := p.goal.Start(goal.Request{
		Objective: "parent",
		Criterion: goal.Criterion{Checks: shell("false")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	must(p.T, err)
	p.rests(out.GoalID)
	return out.GoalID, p.child()
}

func (p *program) child() string {
	p.Helper()
	list, err := p.goal.List(calls.ListInput{Search: "write the part"})
	if err != nil || len(list.Goals) != 1 {
		p.Fatalf("%+v, %v", list.Goals, err)
	}
	return list.Goals[0].ID
}

// holds reports whether the request belongs to the goal that occupies a folder.
func holds(r modeltest.Request) bool {
	return slices.ContainsFunc(r.Messages, func(m goal.Message) bool { return strings.HasPrefix(m.Text, "Goal: hold") })
}

// rests waits until a goal calls the tool wait.
func (p *program) rests(id string) {
	p.Helper()
	p.await("the rest", func(e event.Event) bool {
		s, ok := e.Body.(*event.StepStarted)
		return ok && s.Tool == "wait" && string(e.GoalID) == id
	})
}

// queued waits until a goal waits in the queue or, if left is not "", until it has left the queue with that exit.
func (p *program) queued(id string, left goal.Exit) {
	p.Helper()
	p.await("the queue, left "+string(left), func(e event.Event) bool {
		b, ok := e.Body.(*event.Queued)
		return ok && string(e.GoalID) == id && b.Left == left
	})
}

// taken starts a goal that occupies the folder of another one, whose next run then waits in the queue.
func (p *program) taken(id string) (holder string) {
	p.Helper()
	v, err := p.goal.Get(id)
	must(p.T, err)
	out, err := p.goal.Start(goal.Request{
		Objective: "hold its folder",
		Policy:    policy.Policy{Dir: v.Policy.Dir},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	must(p.T, err)
	p.rests(out.GoalID)
	return out.GoalID
}

func (p *program) goesOn(id string) {
	p.Helper()
	p.await("it continues", func(e event.Event) bool {
		_, ok := e.Body.(*event.Resumed)
		return ok && string(e.GoalID) == id
	})
}

func (p *program) reopen(id string) (bool, error) {
	return p.goal.Reopen(id, api.ResumeInput{Note: "one line more"})
}

// TestPause_Parent_ChildFollows: the child pauses with its parent and continues with it, even from the queue.
func TestPause_Parent_ChildFollows(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	parent, child := p.family(turns(giveUp(), rest()))
	p.do("resume the child", p.resume, child)
	p.rests(child)
	p.do("pause", p.goal.Pause, parent)
	stands := func() {
		t.Helper()
		if e, ok := p.ended(child).Body.(*event.Paused); !ok || e.Exit != goal.PausedByUser || string(e.By) != parent ||
			!strings.Contains(e.Reason, "started this one") {
			t.Errorf("the child %+v", e)
		}
	}
	stands()

	p.do("resume", p.resume, parent)
	p.goesOn(child)
	p.do("pause", p.goal.Pause, parent)
	stands()
	<-p.app.Done(goal.ID(parent))

	holder := p.taken(child)
	p.do("resume the child", p.resume, child)
	p.queued(child, "")
	p.do("resume", p.resume, parent)
	p.await("the parent's wait", func(e event.Event) bool {
		s, ok := e.Body.(*event.StepStarted)
		return ok && s.Tool == "wait_for_goal" && string(e.GoalID) == parent
	})
	p.do("pause", p.goal.Pause, parent)
	p.queued(child, goal.PausedByUser)
	p.do("abort the holder", p.goal.Abort, holder)
	p.do("resume", p.resume, parent)
	p.goesOn(child)
	p.do("abort", p.goal.Abort, parent)
}

// TestPause_ParentAndChild_ChildStaysPaused: a child that the user paused does not continue with its parent.
func TestPause_ParentAndChild_ChildStaysPaused(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	parent, child := p.family(turns(giveUp(), rest()), call("read_file", with("path", "none")))
	resumed := func() {
		t.Helper()
		p.do("resume the child", p.resume, child)
		p.rests(child)
	}
	resumed()
	p.do("pause", p.goal.Pause, parent)
	p.ended(child)
	<-p.app.Done(goal.ID(child))
	resumed()
	p.paused(child) // now the user pauses the child, which its parent had paused before
	p.do("resume", p.resume, parent)
	p.step("wait_for_goal")
	v, err := p.goal.Get(child)
	if err != nil || v.Status != goal.Paused || v.Exit != goal.PausedByUser {
		t.Errorf("the child is %s/%s, %v", v.Status, v.Exit, err)
	}
}

// TestReopen_ChildLeftTheQueue_IsReopenedWithItsNotes: the parent's pause takes the child out of the queue. When the
// parent continues, the child is reopened with the user's note.
func TestReopen_ChildLeftTheQueue_IsReopenedWithItsNotes(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	parent, child := p.family(turns(call("write_file", with("path", "part.txt", "content", "done")),
		call("claim_complete", with("rationale", "x")), giveUp()),
		call("share_note", with("to", "CHILD", "text", "in capitals")))
	holder := p.taken(child)
	p.do("reopen", p.reopen, child)
	p.queued(child, "")
	p.do("pause", p.goal.Pause, parent)
	p.queued(child, goal.PausedByUser)
	p.do("resume", p.resume, parent)
	p.queued(child, "")
	p.do("abort the holder", p.goal.Abort, holder)
	e := p.await("the child is reopened", func(e event.Event) bool {
		_, ok := e.Body.(*event.Reopened)
		return ok && string(e.GoalID) == child
	})
	if b, ok := e.Body.(*event.Reopened); !ok || !strings.Contains(b.Note, "one line more") {
		t.Errorf("%+v", e.Body)
	}
	p.ended(child)
}

// TestNote_ToAQueuedChild_Arrives: a parent can send a note to a child that has ended and waits in the queue to
// continue.
func TestNote_ToAQueuedChild_Arrives(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(family(naming(
		call("start_goal", fmt.Sprintf(startChild, "")), call("wait_for_goal", with("goal", "CHILD")),
		call("run_command", with("command", "until test -e go; do sleep 0.02; done")),
		call("share_note", with("to", "CHILD", "text", "in capitals")), rest(),
	), func(n int, r modeltest.Request) modeltest.Answer {
		if holds(r) {
			return rest()
		}
		return giveUp()
	}))
	dir := t.TempDir()
	_, err := p.goal.Start(goal.Request{
		Objective: "parent",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	must(t, err)
	p.step("wait_for_goal")
	child := p.child()
	p.taken(child)
	p.do("resume the child", p.resume, child)
	p.queued(child, "")
	must(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
	if s := p.step("share_note"); s.Outcome != event.OK {
		t.Errorf("%+v", s)
	}
}

// TestAccept_ChildLeftTheQueue_KeepsTheAnswer: the parent's pause takes an accepted child out of the queue. It
// continues with its parent, and not before.
func TestAccept_ChildLeftTheQueue_KeepsTheAnswer(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := start(t, home)
	p.provide(turns(rest()))
	dirs := []string{t.TempDir(), t.TempDir()}
	var owns []*store.GoalLock // without a lock, a running goal would be treated as dead
	made := func(n int, checks []goal.Check, parent goal.ID) goal.Run {
		t.Helper()
		g := &goal.Goal{
			ID: goal.ID(store.NewID()),
			Request: goal.Request{
				Objective: "by hand",
				Provider:  "test",
				Model:     "m",
				Limits:    goal.DefaultLimits(),
			},
		}
		g.Criterion.Checks, g.Policy.Risk, g.Policy.Dir, g.Origin.Parent, g.Options.Review = checks, policy.WriteLocal,
			dirs[n], parent, goal.ReviewNever
		must(t, p.app.Store().Goals.Create(t.Context(), g))
		own, err := p.app.Store().Locks.LockGoal(g.ID)
		must(t, err)
		owns = append(owns, own)
		run, err := p.app.Store().Journal.Begin(t.Context(), g.ID, 3, &event.Started{})
		must(t, err)
		return run
	}
	s := p.app.Store()
	parent := made(0, shell("test -f never"), "")
	child := made(1, []goal.Check{{Type: goal.Manual, Wait: true}}, parent.Goal)
	must(t,
		s.Journal.Append(t.Context(), parent, &event.Paused{Exit: goal.PausedByUser, Reason: "x", Report: []string{"x"}}))
	must(t, s.Journal.Append(t.Context(), child, &event.Message{
		Message: goal.Message{Role: goal.User, Text: "Goal: by hand"},
	}, &event.Claim{N: 1, Rationale: "x"},
		&event.Paused{Exit: goal.NeedsUser, Reason: "x", Report: []string{"x"}}))
	must(t, s.Orders.Add(t.Context(), child.Goal, goal.Order{Kind: goal.OrderAccept}))
	must(t, s.Journal.Append(t.Context(), child, &event.Queued{Reason: "x"}, &event.Queued{
		Reason: "x",
		Left:   goal.PausedByUser,
		By:     parent.Goal,
	}))
	for _, own := range owns {
		must(t, own.Unlock())
	}
	must(t, p.app.Goals.Recover(t.Context())) // as a process does at its start
	if row, err := s.Goals.Get(t.Context(), child.Goal); err != nil || row.Status != goal.Paused ||
		row.StoppedBy != parent.Goal {
		t.Errorf("%s, stopped by %q, %v", row.Status, row.StoppedBy, err)
	}
	p.do("resume", p.resume, string(parent.Goal))
	p.await("the child is done", func(e event.Event) bool {
		b, ok := e.Body.(*event.Ended)
		return ok && e.GoalID == child.Goal && b.Exit == goal.Done
	})
}
