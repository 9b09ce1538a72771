package stall

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// TestSaveState_ManyResults_IsBounded: a goal of thousands of calls leaves the next run
// little to read, and the newest of it.
func TestSaveState_ManyResults_IsBounded(t *testing.T) {
	d := New(0, false)
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
	before := New(5, false)
	before.AddFingerprint("a workspace", "", false)
	before.NoteOutput("a page")
	before.EndIteration(5, 10)
	for range maxIdleIterations - 1 {
		if before.EndIteration(5, 10) == Stalled {
			t.Fatal("it stalled too early")
		}
	}
	var m goal.LoopState
	before.SaveState(&m)
	next := New(5.5, false)
	next.RestoreState(m)
	if next.isNew("a page") || next.AddFingerprint("a workspace", "", false) || next.usd != 5 {
		t.Error("it began again")
	}
	if next.EndIteration(5.5, 10) != Stalled || next.StopReason(5.5, 10) == "" {
		t.Error("it did not stall")
	}
	next.Reset(5.5)
	if next.EndIteration(5.5, 10) != Moving || !next.isNew("a page") {
		t.Error("it was not reset")
	}
}

// TestAddFingerprint_Partial_CountsActions: what was done where the fingerprint cannot see
// counts as a change, once.
func TestAddFingerprint_Partial_CountsActions(t *testing.T) {
	d := New(0, false)
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
	d := New(5, false)
	if d.EndIteration(5.7, 10) != Moving || d.EndIteration(5.9, 10) != NearStop || d.EndIteration(6, 10) != Stalled ||
		d.EndIteration(100, 0) != Moving {
		t.Error("the bound is not a tenth of the limit")
	}
	if got := d.StopReason(6, 10); got != "$1.00 were spent without progress" {
		t.Errorf("%q", got)
	}
	d.NoteChange(6)
	if d.EndIteration(6.7, 10) != Moving {
		t.Error("a change does not begin the count again")
	}
}

// TestNoteResult_Write_NeedsARead: a written file waits to be read.
func TestNoteResult_Write_NeedsARead(t *testing.T) {
	d := New(0, false)
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

// TestEndIteration_OnlyReading_WarnsOnceBeforeItStalls: where the answer is what was read, reading has no such limit.
func TestEndIteration_OnlyReading_WarnsOnceBeforeItStalls(t *testing.T) {
	for _, readingCounts := range []bool{false, true} {
		d := New(0, readingCounts)
		var warned, stalled []int
		for turn := 1; turn <= maxIdleWithoutChange; turn++ {
			d.NoteOutput(fmt.Sprint(turn))
			switch d.EndIteration(0, 0) {
			case NearStop:
				warned = append(warned, turn)
				if got := d.Warning(0, 0); !strings.Contains(got, "nothing was changed for 45 turns. The host stops this goal as "+
					"stuck after 60 such turns. Progress is a change of a file in your folder, or another result of a check.") {
					t.Error(got)
				}
			case Stalled:
				stalled = append(stalled, turn)
			case Moving:
			}
		}
		want := map[bool]string{false: "[45] [60]", true: "[] []"}[readingCounts]
		if got := fmt.Sprint(warned, stalled); got != want {
			t.Errorf("reading counts: %v: %s, want %s", readingCounts, got, want)
		}
	}
}

// TestEndIteration_SecondStandstill_WarnsAgain: a warning is about one standstill.
func TestEndIteration_SecondStandstill_WarnsAgain(t *testing.T) {
	d, warnings := New(0, false), 0
	for turn := range 3 * maxIdleIterations {
		if turn%(maxIdleIterations-1) == 0 {
			d.NoteOutput(fmt.Sprint(turn))
		}
		if d.EndIteration(0, 0) == NearStop {
			warnings++
			d.Warning(0, 0)
		}
	}
	if warnings != 3 {
		t.Errorf("%d warnings", warnings)
	}
}
