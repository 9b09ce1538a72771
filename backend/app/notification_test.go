package app_test

import (
	"slices"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
	"goalpost/backend/host/notify/notifytest"
)

// resolved waits for the answer to an approval.
func (p *program) resolved(request string) *event.ApprovalResolved {
	p.Helper()
	e := p.await("the answer to "+request, func(e event.Event) bool {
		b, ok := e.Body.(*event.ApprovalResolved)
		return ok && b.Request == request
	})
	b, _ := e.Body.(*event.ApprovalResolved)
	return b
}

// TestNotification_ButtonPressed_AnswersThatApproval uses a real session bus. A button answers the approval that its
// notification shows, and never the next one. A notification is removed when its approval is answered elsewhere.
func TestNotification_ButtonPressed_AnswersThatApproval(t *testing.T) {
	screen := notifytest.Open(t, startBus(t, t.TempDir()), "actions")
	p := start(t, t.TempDir())
	open := func(name string) modeltest.Answer { return call("browser_open", `{"url":"http://`+name+`.invalid/"}`) }
	p.provide(turns(
		open("first"), open("second"), open("third"),
		call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`),
	))
	in := goal.Request{Objective: "open three pages"}
	in.Checks, in.Policy.Dir = shell("test -f never"), t.TempDir()
	out, err := p.goal.Start(in)
	must(t, err)

	first := screen.Next()
	if first.Title != "A goal needs you" || !strings.Contains(first.Text, "open three pages") ||
		!strings.Contains(first.Text, "url: http://first.invalid/") ||
		!slices.Equal(first.Labels(), []string{"Allow once", "Deny"}) {
		t.Errorf("%+v", first)
	}
	screen.Press(first, "Allow once")
	if b := p.resolved("a1"); !b.Allowed || b.Grant.Scope != policy.ScopeOnce {
		t.Errorf("Allow once was pressed, but the answer is %+v", b.Answer)
	}
	if screen.Withdrawn() != first.ID {
		t.Error("another notification than the answered one was removed")
	}

	second := screen.Next()
	answer := calls.AnswerInput{GoalID: out.GoalID, Request: "a2"}
	_, err = area[*calls.ApprovalAPI](t, p.app).Answer([]calls.AnswerInput{answer})
	must(t, err)
	if screen.Withdrawn() != second.ID {
		t.Error("another notification than the answered one was removed")
	}

	third := screen.Next()
	screen.Press(second, "Allow once") // the user was a moment late
	screen.Press(third, "Deny")
	if b := p.resolved("a3"); b.Allowed {
		t.Error("an older notification's button allowed the next call")
	}
	p.done(out.GoalID)
	if end := screen.Next(); !strings.HasPrefix(end.Title, "A goal ended") {
		t.Errorf("%+v", end)
	}
}

// TestNotification_GoalOnTheScreen_IsNotShown: a page that shows a goal and has the focus needs no notification of it.
func TestNotification_GoalOnTheScreen_IsNotShown(t *testing.T) {
	screen := notifytest.Open(t, startBus(t, t.TempDir()), "actions")
	p := start(t, t.TempDir())
	open := call("browser_open", `{"url":"http://first.invalid/"}`)
	end := call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)
	p.provide(turns(open, end))
	begin := func(objective string) string {
		in := goal.Request{Objective: objective}
		in.Checks, in.Policy.Dir = shell("test -f never"), t.TempDir()
		out, err := p.goal.Start(in)
		must(t, err)
		return out.GoalID
	}
	seen := begin("watched")
	asked := screen.Next()
	page := p.app.Looks().Open()
	page.LooksAt(goal.ID(seen))
	screen.Press(asked, "Deny")
	p.done(seen)
	page.Close()
	alone := begin("alone")
	got := screen.Next()
	if !strings.Contains(got.Text, "alone") {
		t.Errorf("shown although the user saw it: %+v", got)
	}
	window := make(testWindow, 1)
	p.app.ShowGoalsIn(window)
	screen.Press(got, "Deny")
	got = screen.Next()
	if !strings.Contains(got.Text, "alone") || !strings.HasPrefix(got.Title, "A goal ended") {
		t.Errorf("%+v", got)
	}
	screen.Press(got, "Open")
	if id := <-window; string(id) != alone {
		t.Errorf("%s was opened", id)
	}
}

// testWindow receives the goals that it is to show.
type testWindow chan goal.ID

func (testWindow) IsThere() bool { return true }

func (w testWindow) ShowGoal(id goal.ID) error {
	w <- id
	return nil
}
