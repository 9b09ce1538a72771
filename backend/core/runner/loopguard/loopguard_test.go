package loopguard

import (
	"fmt"
	"strings"
	"testing"

	"goalpost/backend/core/runner/digest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

var (
	reads  = policy.Effect{Risk: policy.ReadOnly}
	writes = policy.Effect{Risk: policy.WriteLocal}
)

// tool returns a call of a tool.
func tool(name, args string) Call {
	return NewCall(name, digest.CallKey(goal.Call{Tool: name, Arguments: args}))
}

func TestSameCall_IsWarnedThenRefusedThenStuck(t *testing.T) {
	g := New()
	for n := 1; n <= 4; n++ {
		c := tool("run_command", `{"command":"make", "dir":"a"}`)
		if n == 2 {
			c = tool("run_command", `{"dir":"a","command":"make"}`) // the same arguments in another order
		}
		if g.Check(c, writes) != "" {
			t.Fatalf("call %d was refused", n)
		}
		if note := g.Record(c, writes, event.OK, goal.Result{Text: "nothing to do"}); (note != "") != (n == warnAfter) {
			t.Errorf("call %d: told %q", n, note)
		}
	}
	for n := 1; n <= stuckAfterRefusals; n++ {
		if g.StuckReason() != "" {
			t.Fatalf("stuck after %d refusals", n-1)
		}
		refusal := g.Check(tool("run_command", `{"command":"make","dir":"a"}`), writes)
		if !strings.HasPrefix(refusal, "refused: ") || !strings.Contains(refusal, "abort_with_report") {
			t.Fatalf("refusal %d: %q", n, refusal)
		}
	}
	if g.StuckReason() == "" {
		t.Error("not stuck")
	}
}

func TestSameCall_OtherResults_IsNotRefused(t *testing.T) {
	g := New()
	for n := range 10 {
		c := tool("terminal_read", `{"pane":"t1"}`)
		if g.Check(c, reads) != "" {
			t.Fatalf("call %d was refused although the pane changes", n)
		}
		if note := g.Record(c, reads, event.OK, goal.Result{Text: fmt.Sprint("line ", n)}); note != "" {
			t.Errorf("told %q", note)
		}
	}
}

func TestCycle_IsReportedOnce(t *testing.T) {
	for _, period := range []int{2, 3} {
		g := New()
		notes := 0
		for n := range 24 {
			c := tool("edit_file", fmt.Sprintf(`{"n":%d}`, n%period))
			if strings.Contains(g.Record(c, writes, event.OK, goal.Result{Text: "changed"}), "circle") {
				notes++
			}
		}
		if notes != 1 {
			t.Errorf("period %d: told %d times", period, notes)
		}
	}
	g := New()
	for range 9 {
		if note := g.Record(tool("list_files", "{}"), reads, event.OK, goal.Result{Text: "x"}); strings.Contains(note,
			"circle") {
			t.Error("one repeated call was taken for a cycle")
		}
	}
}

func TestFailuresInARow_AreReported(t *testing.T) {
	g := New()
	for n := range 3 {
		note := g.Record(tool("browser_click", fmt.Sprintf(`{"n":%d}`, n)), writes, event.Failed,
			goal.Result{Text: fmt.Sprint("no ", n)})
		if reported := strings.Contains(note, "failed 3 times"); reported != (n == 2) {
			t.Errorf("failure %d: %q", n+1, note)
		}
	}
}

func TestReadingWithoutActing_IsReported(t *testing.T) {
	g := New()
	reported := 0
	for n := range 50 {
		if strings.Contains(g.Record(tool("read_file", fmt.Sprintf(`{"n":%d}`, n)), reads, event.OK,
			goal.Result{Text: fmt.Sprint(n)}), "only read") {
			reported++
		}
	}
	if reported != 1 {
		t.Errorf("told %d times", reported)
	}
}

func TestControlTools_Repeated_AreNotRefused(t *testing.T) {
	g := New()
	control := policy.Effect{Control: true}
	for range 20 {
		c := tool("claim_complete", "{}")
		if g.Check(c, control) != "" {
			t.Fatal("refused")
		}
		if note := g.Record(c, control, event.OK, goal.Result{Text: "x"}); note != "" {
			t.Fatal(note)
		}
	}
}

func TestPolling_OngoingProgram_IsNotRefused(t *testing.T) {
	g := New()
	for n := range 20 {
		c := tool("terminal_read", `{"pane":"t1"}`)
		if g.Check(c, reads) != "" {
			t.Fatalf("look %d was refused", n+1)
		}
		g.Record(c, reads, event.OK, goal.Result{Text: "compiling", IsOngoing: true})
	}
	dead := tool("terminal_read", `{"pane":"t2"}`)
	for range refuseAfter - 1 {
		g.Record(dead, reads, event.OK, goal.Result{Text: "the shell has ended"})
	}
	if g.Check(dead, reads) == "" {
		t.Error("nothing continues in it, and it may still be looked at")
	}
}

// TestSameCall_AfterAChange_IsAllowed: tests that failed four times in the same way may run a fifth time after an edit.
// A call that changes nothing, that fails, or that is the same call does not allow this.
func TestSameCall_AfterAChange_IsAllowed(t *testing.T) {
	check := tool("run_command", `{"command":"go test"}`)
	control := policy.Effect{Control: true}
	for name, c := range map[string]struct {
		between Call
		effect  policy.Effect
		outcome event.Outcome
		refused bool
	}{
		"an edit":           {tool("edit_file", `{"path":"a.go"}`), writes, event.OK, false},
		"a failed edit":     {tool("edit_file", `{"path":"a.go"}`), writes, event.Failed, true},
		"a look":            {tool("read_file", `{"path":"a.go"}`), reads, event.OK, true},
		"the same again":    {check, writes, event.OK, true},
		"a plan":            {tool("write_todos", `{}`), control, event.OK, true},
		"a step opened":     {tool("declare_step", `{}`), control, event.OK, false},
		"a step not opened": {tool("declare_step", `{}`), control, event.Failed, true},
	} {
		g := New()
		for range refuseAfter - 1 {
			g.Record(check, writes, event.OK, goal.Result{Text: "FAIL"})
		}
		g.Record(c.between, c.effect, c.outcome, goal.Result{Text: "done"})
		if name == "the same again" { // with another result it would count as another call
			for range refuseAfter - 1 {
				g.Record(check, writes, event.OK, goal.Result{Text: "FAIL"})
			}
		}
		if no := g.Check(check, writes) != ""; no != c.refused {
			t.Errorf("%s between: refused %v", name, no)
		}
	}
}

// TestSaveState_ManyRepeats_IsBounded: after thousands of calls, the stored state is small and has the calls that were
// repeated most often.
func TestSaveState_ManyRepeats_IsBounded(t *testing.T) {
	g := New()
	for n := range 2000 {
		c := tool("read_file", fmt.Sprintf(`{"path":"%d"}`, n))
		for range 2 + n%2 {
			g.Record(c, reads, event.OK, goal.Result{Text: "same"})
		}
	}
	var m goal.LoopState
	g.SaveState(&m)
	if len(m.Calls) != maxCalls {
		t.Errorf("%d calls", len(m.Calls))
	}
	for key, c := range m.Calls {
		if c.Times != 3 {
			t.Fatalf("%s was made %d times, and others more often", key, c.Times)
		}
	}
}
