package runner

import (
	"encoding/json"
	"reflect"
	"testing"

	"goalpost/backend/core/runner/digest"
	"goalpost/backend/core/runner/loopguard"
	"goalpost/backend/core/runner/stall"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// resumed returns the next run of a goal, with the loop state that r stored.
func resumed(t *testing.T, r *Run) *Run {
	t.Helper()
	b, err := json.Marshal(r.loopState())
	if err != nil {
		t.Fatal(err)
	}
	var m goal.LoopState
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	next := newRun(Config{Clock: &watchClock{}}, r.endState(&Stop{Exit: goal.WaitingForProvider}), goal.Run{ID: "next"},
		&active{pauser: newPauser()})
	next.restoreLoopState(m)
	return next
}

// TestLoopState_AfterAPause_IsRestored checks that the counts of the loop guard and of the progress detector stay with
// the goal, and that a note of the user resets them.
func TestLoopState_AfterAPause_IsRestored(t *testing.T) {
	r := newRun(Config{Clock: &watchClock{}}, goal.Goal{
		Request: goal.Request{Limits: goal.Limits{USD: 10}},
		Spent:   goal.Spend{USD: 5},
	}, goal.Run{}, &active{pauser: newPauser()})
	if r.progress.detector.EndIteration(5, 10) != stall.Moving {
		t.Error("what earlier runs spent counts as a standstill of this one")
	}
	same, other, poll := tool("run_command", `{"command":"make"}`), tool("run_command", `{"command":"ls"}`),
		tool("terminal_wait", `{"pane":"t1"}`)
	made := func(r *Run, c goal.Call, result goal.Result) bool {
		guarded := loopguard.NewCall(c.Tool, digest.CallKey(c))
		if r.dispatcher.guard.Check(guarded, reads) != "" {
			return false
		}
		r.dispatcher.guard.Record(guarded, reads, event.OK, result)
		return true
	}
	for range 4 {
		made(r, same, goal.Result{Text: "nothing to do"})
		made(r, poll, goal.Result{Text: "building", IsOngoing: true})
	}
	made(r, other, goal.Result{Text: "a"})
	r.progress.detector.AddFingerprint("a workspace", "", false)
	r.progress.detector.NoteOutput("a page")
	r.progress.detector.EndIteration(5, 10)
	for range 7 {
		r.progress.detector.EndIteration(5, 10)
	}
	for range 3 {
		made(r, same, goal.Result{})
	}
	if r.loopState().Refusals != 3 {
		t.Fatalf("%d refusals", r.loopState().Refusals)
	}

	next := resumed(t, r)
	if m := next.loopState(); m.Quiet != 7 || m.Unmade != 9 || m.USD != 5 || len(m.Results) != 1 ||
		next.progress.detector.AddFingerprint("a workspace", "", false) {
		t.Errorf("the breaker began again: %+v", m)
	}
	if !made(next, same, goal.Result{Text: "nothing to do"}) {
		t.Error("what the user may have put right cannot be tried")
	}
	for n := range 2 {
		if made(next, same, goal.Result{Text: "nothing to do"}) {
			t.Errorf("repeat %d was allowed", n+2)
		}
	}
	if next.dispatcher.guard.StuckReason() == "" {
		t.Errorf("five refusals over two runs are not stuck: %d", next.loopState().Refusals)
	}
	if last := resumed(t, r); !made(last, poll, goal.Result{Text: "building", IsOngoing: true}) ||
		!made(last, other, goal.Result{Text: "a"}) {
		t.Error("a poll, or what was done once, was refused")
	}

	next.resetLoopState()
	if m := next.loopState(); !made(next, same, goal.Result{Text: "nothing to do"}) ||
		next.dispatcher.guard.StuckReason() != "" || m.Quiet != 0 || m.Unmade != 0 || len(m.Results) != 0 {
		t.Error("a note of the user does not begin it again")
	}
	again := resumed(t, resumed(t, r))
	if !reflect.DeepEqual(again.loopState().Fingerprints, r.loopState().Fingerprints) ||
		again.loopState().Refusals != 3 {
		t.Error("two pauses forget what one does not")
	}
}
