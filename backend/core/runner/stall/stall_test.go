package stall

import (
	"fmt"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// TestSaveState_ManyResults_IsBounded: a goal of thousands of calls leaves the next run
// little to read, and the newest of it.
func TestSaveState_ManyResults_IsBounded(t *testing.T) {
	d := New(0)
	for n := range 2000 {
		d.NoteOutput(fmt.Sprint(n))
		d.AddFingerprint(fmt.Sprint(n), "", false)
	}
	var m goal.LoopState
	d.SaveState(&m)
	if len(m.Results) != maxSeen || len(m.Fingerprints) != maxSeen || m.Fingerprints[maxSeen-1] != "1999|" {
		t.Errorf("%d results, %d workspaces", len(m.Results), len(m.Fingerprints))
	}
}

// TestRestoreState_ContinuesTheCount: what was read and seen before is not new for the next
// run, until the detector is reset.
func TestRestoreState_ContinuesTheCount(t *testing.T) {
	before := New(5)
	before.AddFingerprint("a workspace", "", false)
	before.NoteOutput("a page")
	before.EndIteration(5, 10)
	for range maxIdleIterations - 1 {
		if before.EndIteration(5, 10) {
			t.Fatal("it stalled too early")
		}
	}
	var m goal.LoopState
	before.SaveState(&m)
	next := New(5.5)
	next.RestoreState(m)
	if next.isNew("a page") || next.AddFingerprint("a workspace", "", false) || next.usd != 5 {
		t.Error("it began again")
	}
	if !next.EndIteration(5.5, 10) || next.StopReason(5.5) == "" {
		t.Error("it did not stall")
	}
	next.Reset(5.5)
	if next.EndIteration(5.5, 10) || !next.isNew("a page") {
		t.Error("it was not reset")
	}
}

// TestAddFingerprint_Partial_CountsActions: what was done where the fingerprint cannot see
// counts as a change, once.
func TestAddFingerprint_Partial_CountsActions(t *testing.T) {
	d := New(0)
	d.AddFingerprint("the same", "", true)
	if d.AddFingerprint("the same", "", true) {
		t.Error("nothing was done, and it changed")
	}
	d.NoteAction()
	if !d.AddFingerprint("the same", "", true) || d.AddFingerprint("the same", "", true) {
		t.Error("an action does not count once")
	}
	if !d.AddFingerprint("the same", "0:fail;", false) {
		t.Error("another failing check is no change")
	}
}

// TestEndIteration_IdleSpend_Stalls: a tenth of the money limit without movement.
func TestEndIteration_IdleSpend_Stalls(t *testing.T) {
	d := New(5)
	if d.EndIteration(5.9, 10) || !d.EndIteration(6, 10) || d.EndIteration(100, 0) {
		t.Error("the bound is not a tenth of the limit")
	}
	if got := d.StopReason(6); got != "$1.00 were spent without progress" {
		t.Errorf("%q", got)
	}
	d.NoteChange(6)
	if d.EndIteration(6.9, 10) {
		t.Error("a change does not begin the count again")
	}
}

// TestNoteResult_Write_NeedsARead: a written file waits to be read.
func TestNoteResult_Write_NeedsARead(t *testing.T) {
	d := New(0)
	d.NoteResult(policy.Effect{Risk: policy.WriteLocal, Paths: []string{"/w/a"}}, event.OK, "written")
	if !d.HasUnreadChange() {
		t.Error("the change is not known")
	}
	d.NoteOngoing(goal.Call{Tool: WaitTool}, "waited", time.Unix(0, 0))
	if !d.HasUnreadChange() {
		t.Error("waiting is no reading")
	}
	d.NoteResult(policy.Effect{Risk: policy.ReadOnly}, event.OK, "text")
	if d.HasUnreadChange() {
		t.Error("the read does not count")
	}
}
