package runner

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// reads is the effect of a call that only reads.
var reads = policy.Effect{Risk: policy.ReadOnly}

// tool returns a call of a tool.
func tool(name, args string) goal.Call { return goal.Call{Tool: name, Arguments: args} }

// The bounds of the detector, in iterations.
const (
	maxIdleIterations    = 12
	maxIdleWithoutChange = 60
)

// still is a folder in which nothing ever changes.
type still struct{ FolderState }

func (still) Fingerprint(context.Context) (string, string, error) { return "the same", "", nil }

// watchClock is a clock that the test sets.
type watchClock struct{ at time.Time }

func (w *watchClock) Now() time.Time                     { return w.at }
func (*watchClock) After(time.Duration) <-chan time.Time { return nil }
func (w *watchClock) on(d time.Duration)                 { w.at = w.at.Add(d) }
func poll(tool, pane string) goal.Call {
	return goal.Call{Tool: tool, Arguments: `{"pane":"` + pane + `"}`}
}

// newTestRun returns a run without a session.
func newTestRun(g goal.Goal, c Clock) *Run {
	return newRun(Config{Clock: c, Store: Store{Events: discardLog{}}}, g, goal.Run{}, &active{pauser: newPauser()})
}

// recordStep records a call that was executed.
func (r *Run) recordStep(c goal.Call, n int, e policy.Effect, o event.Outcome, result string, goesOn bool) {
	r.dispatcher.steps.recordStep(&resolvedCall{Call: c, step: n, effect: e}, o, result, goesOn)
}

func (r *Run) iteration(t *testing.T) *Stop { t.Helper(); return r.progress.checkProgress(t.Context()) }

func (r *Run) looked(c goal.Call, text string, goesOn bool) {
	r.recordStep(c, 1, reads, event.OK, text, goesOn)
}

// watching returns a run in a folder whose first fingerprint is taken and that never changes.
func watching(t *testing.T, usd float64) (*Run, *watchClock) {
	t.Helper()
	c := &watchClock{at: time.Unix(1_000_000, 0)}
	r := newTestRun(goal.Goal{Request: goal.Request{Limits: goal.Limits{USD: usd}}}, c)
	r.progress.folder = still{}
	if _, err := r.progress.hasFolderChanged(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r, c
}

// TestStall_LongPolling_IsNotStuck covers 15 minutes of a build that prints now and then, of one that prints nothing,
// and of the tool that only waits.
func TestStall_LongPolling_IsNotStuck(t *testing.T) {
	for name, look := range map[string]func(r *Run, n int){
		"it prints": func(r *Run, n int) {
			r.looked(poll("terminal_read", "t1"), fmt.Sprint("compiling file ", n/7), true)
		},
		"it is silent":   func(r *Run, _ int) { r.looked(poll("terminal_wait", "t1"), "not within 9 s; it continues", true) },
		"time must pass": func(r *Run, _ int) { r.looked(goal.Call{Tool: "wait"}, "waited 9 s", true) },
		"a page loads":   func(r *Run, _ int) { r.looked(poll("browser_wait", "b1"), "not within 9 s", true) },
	} {
		t.Run(name, func(t *testing.T) {
			r, c := watching(t, 0)
			for n := range 100 { // every 9 seconds
				look(r, n)
				if stop := r.iteration(t); stop != nil {
					t.Fatalf("stopped at poll %d after %s: %s", n+1, time.Duration(n)*9*time.Second, stop.Reason)
				}
				c.on(9 * time.Second)
			}
		})
	}
}

// TestStall_PollingEndedProgram_IsStuck also covers a running program that prints nothing for more than twenty minutes.
func TestStall_PollingEndedProgram_IsStuck(t *testing.T) {
	r, c := watching(t, 0)
	for n := 1; ; n++ {
		r.looked(poll("terminal_read", "t1"), "the shell has ended", false)
		if stop := r.iteration(t); stop != nil {
			if n != maxIdleIterations+1 || stop.Exit != goal.Stuck {
				t.Errorf("poll %d: %v", n, stop)
			}
			break
		}
		if c.on(time.Second); n > maxIdleWithoutChange {
			t.Fatal("it continues for ever")
		}
	}
	r, c = watching(t, 0)
	for n := 1; ; n++ {
		r.looked(goal.Call{
			Tool:      "terminal_wait",
			Arguments: fmt.Sprintf(`{"pane":"t1","timeout_seconds":%d}`, n),
		}, "it continues", true)
		if stop := r.iteration(t); stop != nil {
			if n != 20+maxIdleIterations || stop.Exit != goal.Stuck {
				t.Errorf("poll %d: %v", n, stop)
			}
			return
		}
		if c.on(time.Minute); n > maxIdleWithoutChange {
			t.Fatal("it continues for ever")
		}
	}
}

// TestStall_OnlyReading_DependsOnWhatDecides: an audit whose answer is judged may read for as long as it likes. A goal
// that must make something is warned once, in time.
func TestStall_OnlyReading_DependsOnWhatDecides(t *testing.T) {
	for _, c := range []struct {
		check goal.Check
		want  int // the turn at which it stops, 0 for never
	}{
		{goal.Check{Type: goal.Shell, Command: "test -f report.md"}, maxIdleWithoutChange},
		{goal.Check{Type: goal.JSONPredicate, From: goal.FromFile, Path: "a.json", Expr: "true"}, maxIdleWithoutChange},
		{goal.Check{Type: goal.JSONPredicate, Expr: "response.bugs.length > 0"}, 0},
		{goal.Check{Type: goal.ModelQuestion, Question: "Are all bugs named?"}, 0},
		{goal.Check{Type: goal.Manual}, 0},
	} {
		r := newTestRun(goal.Goal{Request: goal.Request{
			Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.File, Path: "report.md"}, c.check}},
		}}, &watchClock{})
		r.progress.folder = still{}
		if _, err := r.progress.hasFolderChanged(t.Context()); err != nil {
			t.Fatal(err)
		}
		stopped := 0
		for turn := 1; turn <= 2*maxIdleWithoutChange && stopped == 0; turn++ {
			r.looked(tool("read_file", "{}"), fmt.Sprint("page ", turn), false)
			if r.iteration(t) != nil {
				stopped = turn
			}
		}
		warnings := len(r.messages.Messages())
		if stopped != c.want || warnings != min(1, c.want) {
			t.Errorf("%s: stopped at turn %d after %d warnings, want %d", c.check.Describe(), stopped, warnings, c.want)
		}
	}
}

// TestStall_TenthOfTheMoneySpent_IsStuck also covers polling. New output counts as progress.
func TestStall_TenthOfTheMoneySpent_IsStuck(t *testing.T) {
	for name, c := range map[string]struct {
		text func(n int) string
		want int // the iteration in which the run stops, 0 for none
	}{
		"the same again": {func(int) string { return "it continues" }, 4},
		"something new":  {func(n int) string { return fmt.Sprint("line ", n) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r, clock := watching(t, 10)
			for n := 1; n <= 40; n++ {
				r.goal.Spent.USD += 0.25
				r.looked(poll("terminal_read", "t1"), c.text(n), true)
				clock.on(time.Second)
				if stop := r.iteration(t); stop != nil {
					if n != c.want || !strings.Contains(stop.Reason, "were spent without progress") {
						t.Errorf("iteration %d: %v", n, stop)
					}
					return
				}
			}
			if c.want != 0 {
				t.Error("it was never stopped")
			}
		})
	}
}
