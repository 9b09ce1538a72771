package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/store"
)

const (
	waitForFile = `wait_until {"for":"the build","file":"built","every_seconds":60,"limit_seconds":7200}`
	finishAll   = `write_file {"path":"done.txt","content":"x"}`
)

// handClock stands still until a test moves it. Its machine never sleeps.
type handClock struct {
	mu     sync.Mutex
	now    time.Time
	up     time.Duration
	timers []handTimer
	// How many timers were set, and how many when the goal paused.
	set, setBefore int
}

type handTimer struct {
	at    time.Time
	fired chan time.Time
}

func newHandClock() *handClock { return &handClock{now: time.Now()} }

func (h *handClock) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *handClock) Up() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.up
}

func (*handClock) Slept() time.Duration { return 0 }

func (h *handClock) After(d time.Duration) <-chan time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := handTimer{h.now.Add(d), make(chan time.Time, 1)}
	h.timers = append(h.timers, t)
	h.set++
	return t.fired
}

// onPause notes that a goal pauses now; isWatched then reports whether its wait has set a timer since.
func (h *handClock) onPause(e event.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := e.Body.(*event.Paused); ok {
		h.setBefore = h.set
	}
}

func (h *handClock) isWatched() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.set > h.setBefore
}

func (h *handClock) move(by time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(by)
	h.up += by
	var left []handTimer
	for _, t := range h.timers {
		if t.at.After(h.now) {
			left = append(left, t)
		} else {
			t.fired <- h.now
		}
	}
	h.timers = left
}

// passUntil moves the clock until something is so.
func (h *handClock) passUntil(t *testing.T, what string, isSo func() bool) {
	t.Helper()
	for deadline := time.Now().Add(late); !isSo(); {
		if time.Now().After(deadline) {
			t.Fatal("not within the time: " + what)
		}
		h.move(20 * time.Second)
		<-time.After(time.Millisecond)
	}
}

// waiting is a goal that waits for the file "built".
type waiting struct {
	*world
	hands *handClock
	goal  *goal.Goal
}

func newWaiting(t *testing.T, first string) *waiting {
	t.Helper()
	hands := newHandClock()
	w := newWorldAt(t, hands, call(first), call(finishAll, pendingClaim))
	w.onEvent = hands.onPause
	g := w.create(func(g *goal.Goal) { g.WallClockMS = time.Hour.Milliseconds() })
	w.start(g, &event.Started{})
	w.await("paused")
	waittest.Until(t, "timer of the wait", hands.isWatched) // a clock that is set earlier counts as time that passed
	return &waiting{w, hands, g}
}

func (w *waiting) row() store.GoalRow {
	w.Helper()
	row, err := w.store.Goals.Get(w.Context(), w.goal.ID)
	if err != nil {
		w.Fatal(err)
	}
	return row
}

// finish moves the clock until the wait is over, lets the goal end, and returns the result of the call that waited.
// The clock rests while the goal runs: a slow machine would use up the goal's time.
func (w *waiting) finish() string {
	w.Helper()
	ended := w.runner.Done(w.goal.ID)
	w.hands.passUntil(w.T, "the wait is over", func() bool { return w.row().Status != goal.Paused })
	select {
	case <-ended:
	case <-time.After(late):
		w.Fatal("the goal does not end")
	}
	expect(w.T, w.row(), goal.Completed, goal.Done)
	return w.result()
}

// result returns the only result that the model got for the call that waited.
func (w *waiting) result() string {
	w.Helper()
	var results []string
	for _, m := range w.model.seen[len(w.model.seen)-1].Messages {
		if m.Role == goal.ToolRole && m.CallID == "call_0" {
			results = append(results, m.Text)
		}
	}
	if len(results) != 1 {
		w.Fatalf("the call that waited has %d results: %q", len(results), results)
	}
	return results[0]
}

func (w *waiting) order(kind goal.OrderKind) {
	w.Helper()
	if err := w.store.Orders.Add(w.Context(), w.goal.ID, goal.Order{Kind: kind}); err != nil {
		w.Fatal(err)
	}
	w.runner.Wake(w.goal.ID)
}

func (w *waiting) write(name string) {
	w.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), nil, 0o600); err != nil {
		w.Fatal(err)
	}
}

// restart ends the process and adopts the goal in another one.
func (w *waiting) restart(between func()) {
	w.Helper()
	if err := w.runner.Close(w.Context()); err != nil {
		w.Fatal(err)
	}
	if between != nil {
		between()
	}
	w.runs(storeOf(w.store))
	own, err := w.store.Locks.LockGoal(w.goal.ID)
	if err != nil {
		w.Fatal(err)
	}
	release := func() {
		if err := own.Unlock(); err != nil {
			w.Error(err)
		}
	}
	if err := w.runner.ResumeParked(w.Context(), w.row().Goal, release); err != nil {
		w.Fatal(err)
	}
}

func TestWaitUntil_FileAppears_WakesOnceWithoutCountingTime(t *testing.T) {
	w := newWaiting(t, waitForFile)
	row := w.row()
	expect(t, row, goal.Paused, goal.WaitingForCondition)
	if row.Report[0] != "Waiting: the build · looks every 1 m" {
		t.Errorf("the user reads %q", row.Report[0])
	}
	began := w.hands.Now()
	w.hands.passUntil(t, "two looks", func() bool { return w.hands.Now().Sub(began) > 90*time.Minute })
	w.write("built")
	if got := w.finish(); !strings.Contains(got, "the condition is met. Waited 1 h 3") ||
		!strings.Contains(got, "built has 0 bytes") {
		t.Errorf("the agent reads %q", got)
	}
	if row = w.row(); row.Spent.WallClock > time.Hour/2 || len(w.model.seen) != 2 {
		t.Errorf("it took %s of its time and %d requests", row.Spent.WallClock, len(w.model.seen))
	}
	if said := w.model.lastUser(1); strings.Contains(said, "may be gone") {
		t.Errorf("the agent is told of a pause: %q", said)
	}
}

// setAhead sets the clock ahead, or back. Timers are of the monotonic clock, which is not set.
func (h *handClock) setAhead(by time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(by)
	for i := range h.timers {
		h.timers[i].at = h.timers[i].at.Add(by)
	}
}

// pass lets time pass while a goal waits, in steps in which the goal can do something.
func (w *waiting) pass(d time.Duration) {
	w.Helper()
	began := w.hands.Up()
	w.hands.passUntil(w.T, d.String(), func() bool { return w.hands.Up()-began >= d })
}

const twoDays = 48 * time.Hour

// TestWaitUntil_ClockIsSet_LooksAsBefore: the wait is as long as before, with a look each minute.
func TestWaitUntil_ClockIsSet_LooksAsBefore(t *testing.T) {
	for name, by := range map[string]time.Duration{"ahead": twoDays, "back": -twoDays} {
		t.Run(name, func(t *testing.T) {
			w := newWaiting(t, waitForFile)
			w.hands.setAhead(by)
			w.pass(time.Hour)
			expect(t, w.row(), goal.Paused, goal.WaitingForCondition)
			w.write("built")
			began := w.hands.Up()
			if got := w.finish(); !strings.Contains(got, "the condition is met. Waited 1 h") {
				t.Errorf("the agent reads %q", got)
			}
			if took := w.hands.Up() - began; took > 30*time.Minute {
				t.Errorf("the look came after %s", took)
			}
		})
	}
}

// TestWaitUntil_TimeIsUpAfterTheRestart_LooksOnceMore: while the program did not run, the condition was met.
func TestWaitUntil_TimeIsUpAfterTheRestart_LooksOnceMore(t *testing.T) {
	w := newWaiting(t, waitForFile)
	w.restart(func() {
		w.hands.move(12 * time.Hour)
		w.write("built")
	})
	if got := w.finish(); !strings.Contains(got, "the condition is met. Waited 12 h") {
		t.Errorf("the agent reads %q", got)
	}
}

func TestWaitUntil_ConditionNeverMet_WakesAtItsLimit(t *testing.T) {
	w := newWaiting(t, waitForFile)
	if got := w.finish(); !strings.Contains(got, `{"ok":false}`) ||
		!strings.Contains(got, "the condition was not met within 2 h.") || !strings.Contains(got, "built does not exist") {
		t.Errorf("the agent reads %q", got)
	}
	steps, err := w.store.History.Steps(t.Context(), w.goal.ID, 0, 10)
	if err != nil || steps[0].Outcome != event.Failed || steps[0].MS < (2*time.Hour).Milliseconds() {
		t.Errorf("%+v, %v", steps, err)
	}
}

// TestWaitUntil_Time_NeedsNoLook: a duration is as long as it says if the clock is set. A time of day comes when the
// clock shows it.
func TestWaitUntil_Time_NeedsNoLook(t *testing.T) {
	w := newWaiting(t, `wait_until {"for":"the night","time":"in 2 h"}`)
	w.hands.setAhead(twoDays)
	if got := w.finish(); !strings.Contains(got, "the time has come. Waited 2 h.") {
		t.Errorf("the agent reads %q", got)
	}
	day := time.Now().Add(5 * time.Hour).Format(time.RFC3339)
	w = newWaiting(t, `wait_until {"for":"the day","time":"`+day+`"}`)
	w.hands.setAhead(4 * time.Hour)
	if got := w.finish(); !strings.Contains(got, "the time has come. Waited 59 m") &&
		!strings.Contains(got, "the time has come. Waited 1 h") {
		t.Errorf("the agent reads %q", got)
	}
}

func TestWaitUntil_LookCannotBeMade_IsReportedOnce(t *testing.T) {
	w := newWaiting(t, `wait_until {"for":"the probe","command":"test -f gone && no-such-program"}`)
	w.write("gone")
	if got := w.finish(); !strings.Contains(got, "cannot be looked at: the command cannot be run (exit 127)") {
		t.Errorf("the agent reads %q", got)
	}
}

func TestWaitUntil_UserEndsIt_ContinuesAtOnce(t *testing.T) {
	w := newWaiting(t, waitForFile)
	w.order(goal.OrderResume)
	w.awaitN("resumed", 1)
	if got := w.finish(); !strings.Contains(got, "the user ended the wait. Waited") {
		t.Errorf("the agent reads %q", got)
	}
}

func TestWaitUntil_Aborted_Ends(t *testing.T) {
	w := newWaiting(t, waitForFile)
	w.order(goal.OrderAbort)
	expect(t, w.end(w.goal), goal.Aborted, goal.AbortedByUser)
}

func TestWaitUntil_Paused_EndsTheWait(t *testing.T) {
	w := newWaiting(t, waitForFile)
	w.order(goal.OrderPause)
	expect(t, w.end(w.goal), goal.Paused, goal.PausedByUser)
	w.write("built")
	w.start(w.goal, &event.Resumed{})
	if got := w.finish(); !strings.Contains(got, "the wait ended before its condition was met") {
		t.Errorf("the agent reads %q", got)
	}
}

func TestWaitUntil_Restarted_ContinuesTheWait(t *testing.T) {
	w := newWaiting(t, waitForFile)
	began := w.hands.Now()
	w.hands.passUntil(t, "an hour", func() bool { return w.hands.Now().Sub(began) > time.Hour })
	w.restart(nil)
	expect(t, w.row(), goal.Paused, goal.WaitingForCondition)
	w.hands.passUntil(t, "half an hour", func() bool { return w.hands.Now().Sub(began) > 90*time.Minute })
	w.write("built")
	if got := w.finish(); !strings.Contains(got, "the condition is met. Waited 1 h") ||
		!strings.Contains(got, "The program was restarted in between") {
		t.Errorf("the agent reads %q", got)
	}
}

// TestWaitUntil_RestartedAfterItsEnd_WakesOnce: the process ends between the end of the wait and the next run.
func TestWaitUntil_RestartedAfterItsEnd_WakesOnce(t *testing.T) {
	w := newWaiting(t, waitForFile)
	w.restart(func() {
		row := w.row()
		wait, err := w.store.History.OpenWait(t.Context(), w.goal.ID)
		if err != nil || wait == nil {
			t.Fatal(wait, err)
		}
		m := goal.Message{Role: goal.ToolRole, CallID: wait.Call.ID, Step: wait.Step, Text: "{\"ok\":true}\nit was met"}
		if err := w.store.Journal.Append(t.Context(), goal.Run{Goal: w.goal.ID, ID: row.RunID},
			&event.Step{StepID: wait.Step, Tool: wait.Call.Tool, Outcome: event.OK, Result: "it was met"},
			&event.Message{Message: m}); err != nil {
			t.Fatal(err)
		}
	})
	if got := w.finish(); !strings.Contains(got, "it was met") {
		t.Errorf("the agent reads %q", got)
	}
}

// TestWaitUntil_OtherGoals_GetTheSlot also checks what becomes of the other calls of the turn.
func TestWaitUntil_OtherGoals_GetTheSlot(t *testing.T) {
	hands := newHandClock()
	w := newWorldAt(t, hands, call(waitForFile, finishAll), call(finishAll, pendingClaim))
	w.slots = 1
	w.runs(storeOf(w.store))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("paused")
	other := w.create(func(g *goal.Goal) { g.Policy.Dir = t.TempDir() })
	w.start(other, &event.Started{})
	expect(t, w.end(other), goal.Completed, goal.Done)
	if _, err := os.Stat(filepath.Join(w.dir, "done.txt")); err == nil {
		t.Error("a call after the one that waits was executed")
	}
	waits := &waiting{w, hands, g}
	waits.write("built")
	waits.finish()
}

// jumpClock lets time pass at once while a goal is paused, and counts how often it is waited for.
type jumpClock struct {
	*handClock
	world *world
	waits int
}

// isPaused reports whether the newest start or pause of a goal is a pause.
func (w *world) isPaused() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range slices.Backward(w.events) {
		switch e.Body.(type) {
		case *event.Paused:
			return true
		case *event.Started, *event.Resumed:
			return false
		}
	}
	return false
}

func (j *jumpClock) After(d time.Duration) <-chan time.Time {
	if d < time.Second || d > 5*time.Second || !j.world.isPaused() {
		return j.handClock.After(d)
	}
	j.waits++
	j.move(d)
	done := make(chan time.Time, 1)
	done <- j.Now()
	return done
}

// TestWaitUntil_TwoHours_CostNothing: no request to a model, a look each minute, and no busy polling.
func TestWaitUntil_TwoHours_CostNothing(t *testing.T) {
	c := &jumpClock{handClock: newHandClock()}
	began := c.Now()
	w := newWorldAt(t, c, call(waitForFile), call(finishAll, pendingClaim))
	c.world = w
	_, row := w.run(func(g *goal.Goal) { g.WallClockMS = 0 })
	expect(t, row, goal.Completed, goal.Done)
	if len(w.model.seen) != 2 || row.Spent.TokensIn != 20 {
		t.Errorf("%d requests, %d tokens", len(w.model.seen), row.Spent.TokensIn)
	}
	// The clock also jumps while a slow machine looks for the last time.
	if most := int(c.Now().Sub(began)/(5*time.Second)) + 200; c.waits > most {
		t.Errorf("it woke up %d times, want at most %d", c.waits, most)
	}
	looked := []int{}
	for _, e := range w.events {
		if l, ok := e.Body.(*event.Looked); ok {
			looked = append(looked, l.N)
		}
	}
	if len(looked) < 2 || len(looked) > 6 { // the clock jumps while a slow machine looks, so there are fewer
		t.Errorf("it journaled the looks %d", looked)
	}
	for i, n := range looked {
		if n != 2<<i {
			t.Errorf("it journaled the looks %d, want each twice the one before", looked)
		}
	}
}

// probe is a tool that waits for a host to answer. The host has answered when the test creates the file "answered".
type probe struct{ world *world }

func (*probe) Spec() goal.ToolSpec { return goal.ToolSpec{Name: "probe"} }

func (*probe) Effect(context.Context, json.RawMessage) (policy.Effect, error) {
	return policy.Effect{Risk: policy.NetworkWrite, Hosts: []string{"ci.example"}}, nil
}

func (*probe) Do(ctx context.Context, _ json.RawMessage) goal.Result {
	run, _ := goal.RunOf(ctx)
	return goal.Result{OK: run.Control.WaitUntil(goal.Wait{For: "ci", EveryMS: 60_000}, 2*time.Hour) == nil}
}

// Look finds an answer only if the host is open.
func (p *probe) Look(context.Context, json.RawMessage, string) (goal.Look, error) {
	p.world.mu.Lock()
	defer p.world.mu.Unlock()
	_, err := os.Stat(filepath.Join(p.world.dir, "answered"))
	open := len(p.world.during) > 0 && len(p.world.during[len(p.world.during)-1]) == 1
	return goal.Look{IsMet: err == nil && open, Text: fmt.Sprintf("open: %t", open)}, nil
}

// newApprovedWait is a goal that waits after the user has approved the call with a scope.
func newApprovedWait(t *testing.T, scope policy.Scope) *waiting {
	t.Helper()
	hands := newHandClock()
	w := newWorldAt(t, hands, call(`probe {}`), call(finishAll, pendingClaim))
	w.patience.Store(int64(1000 * time.Hour))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("approval_requested")
	if err := w.store.Orders.Add(t.Context(), g.ID, yes("a1", scope)); err != nil {
		t.Fatal(err)
	}
	w.runner.Wake(g.ID)
	w.await("paused")
	return &waiting{w, hands, g}
}

// TestWaitUntil_ApprovedOnce_LooksWithTheRightsOfTheCall: the approval of the call is for all its looks, also in
// another process, and for nothing else.
func TestWaitUntil_ApprovedOnce_LooksWithTheRightsOfTheCall(t *testing.T) {
	w := newApprovedWait(t, policy.ScopeOnce)
	began := w.hands.Now()
	w.hands.passUntil(t, "a look", func() bool { return w.hands.Now().Sub(began) > 10*time.Minute })
	w.restart(nil)
	w.write("answered")
	if got := w.finish(); !strings.Contains(got, "open: true") {
		t.Errorf("the agent reads %q", got)
	}
	if left := w.grants(w.goal); len(left) > 0 {
		t.Errorf("the grants %+v are left", left)
	}
}

func TestWaitUntil_GrantRevoked_EndsTheWait(t *testing.T) {
	w := newApprovedWait(t, policy.ScopeHost)
	revoke := goal.Order{Kind: goal.OrderRevoke, Request: "a1"}
	if err := w.store.Orders.Add(t.Context(), w.goal.ID, revoke); err != nil {
		t.Fatal(err)
	}
	w.runner.Wake(w.goal.ID)
	if got := w.finish(); !strings.Contains(got, "the user revoked what the wait needs") {
		t.Errorf("the agent reads %q", got)
	}
}

var _ runner.Clock = (*handClock)(nil)

// TestWaitUntil_LaterLookNeedsAHost_AsksTheUser: a later look contacts a host that is not open. The wait is over, the
// agent reads why, and the user is asked as after a call.
func TestWaitUntil_LaterLookNeedsAHost_AsksTheUser(t *testing.T) {
	for name, restarts := range map[string]bool{"same process": false, "after a restart": true} {
		t.Run(name, func(t *testing.T) {
			w := newWaiting(t, waitForFile)
			if restarts {
				w.restart(nil)
			}
			w.stops <- blockedHost("ci.example")
			told := w.finish()
			if !strings.Contains(told, "wait_until was stopped from reaching ci.example") ||
				!strings.Contains(told, "The user is asked") {
				t.Errorf("told %q", told)
			}
			if list := w.approvals(w.goal); len(list) != 1 || list[0].ID != "a1" || list[0].Tool != "wait_until" {
				t.Errorf("asked %+v", list)
			}
		})
	}
}
