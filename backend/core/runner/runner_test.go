package runner_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner"
	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/store"
)

// late is far above what a busy machine needs: a test that waits so long hangs.
var late = waittest.Scale(2 * time.Minute)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type clock struct{}

func (clock) Now() time.Time                         { return time.Now() }
func (clock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// script is a model that plays the given turns and repeats the last one.
type script struct {
	mu    sync.Mutex
	turns []func(context.Context, goal.Turn) (goal.Reply, error)
	n     int
	seen  []goal.Turn
}

func (s *script) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	s.mu.Lock()
	i := min(s.n, len(s.turns)-1)
	s.n++
	t.Messages = append([]goal.Message{}, t.Messages...)
	s.seen = append(s.seen, t)
	s.mu.Unlock()
	delta("thinking")
	reply, err := s.turns[i](ctx, t)
	for c := range reply.Calls {
		reply.Calls[c].ID = fmt.Sprintf("call_%d", c) // the same in every turn, as some servers do
	}
	return reply, err
}

// call is one turn that calls tools, each given as "name {json}".
func call(calls ...string) func(context.Context, goal.Turn) (goal.Reply, error) {
	return func(context.Context, goal.Turn) (goal.Reply, error) {
		var r goal.Reply
		for _, c := range calls {
			name, args, _ := strings.Cut(c, " ")
			r.Calls = append(r.Calls, goal.Call{Tool: name, Arguments: args})
		}
		r.Usage = goal.Usage{TokensIn: 10, TokensOut: 5}
		return r, nil
	}
}

func says(text string) func(context.Context, goal.Turn) (goal.Reply, error) {
	return func(context.Context, goal.Turn) (goal.Reply, error) { return goal.Reply{Text: text}, nil }
}

const pendingClaim = `claim_complete {"rationale":"I did it"}`

// world is a real store, a real process set and a runner.
type world struct {
	*testing.T
	onEvent func(event.Event) // before an event can be awaited; may be nil
	store   *store.Store
	runner  *runner.Runner
	clock   runner.Clock
	dir     string
	model   *script
	set     *sandbox.Supervisor
	events  []event.Event
	mu      sync.Mutex
	free    atomic.Uint64 // bytes on the disk

	post     post
	patience atomic.Int64       // how long approvals wait, a Duration
	stops    chan policy.Effect // the next blocked host
	granted  [][]policy.Grant   // what ApplyGrants received; guarded by mu
	during   [][]policy.Grant   // … for the calls that were being executed
	look     runner.FolderState
	unclosed error // the error of Close
	slots    int   // of the runner; 0 is 3
	window   int   // of the model, in tokens
	// modelWait is how long goals wait for a model, 0 if without end.
	modelWait time.Duration
}

func newWorld(t *testing.T, turns ...func(context.Context, goal.Turn) (goal.Reply, error)) *world {
	t.Helper()
	return newWorldAt(t, clock{}, turns...)
}

func newWorldAt(t *testing.T, c runner.Clock, turns ...func(context.Context, goal.Turn) (goal.Reply, error)) *world {
	t.Helper()
	w := &world{T: t, dir: t.TempDir(), model: &script{turns: turns}, stops: make(chan policy.Effect, 8)}
	w.free.Store(10 << 30)
	var err error
	w.store, err = store.Open(t.Context(), store.Options{Dir: t.TempDir(), Publish: w.hear})
	if err != nil {
		t.Fatal(err)
	}
	w.set, err = sandbox.Open(t.Context(), sandbox.Options{Helper: sandboxtest.Helper(t), Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	w.clock = c
	w.runs(storeOf(w.store))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), late)
		defer cancel()
		if err := errors.Join(w.runner.Close(ctx), w.set.Close(ctx), w.store.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// journalOf returns the parts of a store that a runner uses.
func storeOf(s *store.Store) runner.Store {
	return runner.Store{
		Events:    s.Journal,
		Lifecycle: s.Journal,
		Queue:     s.Queue,
		Orders:    s.Orders,
		History:   s.History,
		Evidence:  s.Artifacts,
		Approvals: s.Approvals,
	}
}

// runs makes the runner, with a store.
func (w *world) runs(s runner.Store) {
	w.runner = runner.New(runner.Config{
		Store: s, Open: w.open, Publish: w.hear, Clock: w.clock, Log: slog.New(slog.DiscardHandler),
		Slots:           cmp.Or(w.slots, 3),
		ApprovalTimeout: func(context.Context) time.Duration { return time.Duration(w.patience.Load()) },
		Disk:            func() (uint64, error) { return w.free.Load(), nil },
		ModelWait:       func() time.Duration { return w.modelWait },
	})
}

func (w *world) hear(e event.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.onEvent != nil {
		w.onEvent(e)
	}
	w.events = append(w.events, e)
}

type environment struct {
	model runner.Model
	box   *tools.Set
	host  verify.CheckRunner
	world *world
}

func (w *world) open(_ context.Context, g goal.Goal, _ goal.Run, _ func(string, string)) (runner.Session, error) {
	env := os.Environ()
	box, err := tools.New(tools.Deps{Dir: g.Policy.Dir, Launcher: w.set, Env: env})
	if err != nil {
		return nil, err
	}
	return &environment{w.model, box, verify.CheckRunner{Environment: check.Environment{
		Launcher: process.Launcher(w.set),
		Env:      env,
		Dir:      g.Policy.Dir,
	}}, w}, nil
}

func (en *environment) Models() runner.Models {
	return runner.Models{Agent: en.model, Window: en.world.window}
}

func (en *environment) Judge() runner.Verifier { return en.host }

func (en *environment) Folder() runner.FolderState {
	if en.world.look == nil {
		return nil
	}
	return en.world.look
}

func (en *environment) Tools() []runner.Tool {
	var list []runner.Tool
	for _, t := range en.box.Tools() {
		list = append(list, t)
	}
	return append(list, broken{}, &en.world.post, &probe{world: en.world})
}

func (en *environment) Close(context.Context, goal.Exit) error {
	return errors.Join(en.box.Close(), en.world.unclosed)
}

// broken is a tool that panics.
type broken struct{}

func (broken) Spec() goal.ToolSpec { return goal.ToolSpec{Name: "broken"} }
func (broken) Effect(context.Context, json.RawMessage) (policy.Effect, error) {
	return policy.Effect{Risk: policy.ReadOnly}, nil
}
func (broken) Do(context.Context, json.RawMessage) goal.Result { panic("inside the tool") }

func (w *world) create(change func(*goal.Goal)) *goal.Goal {
	w.Helper()
	g := &goal.Goal{
		ID: goal.ID(store.NewID()),
		Request: goal.Request{
			Objective: "create done.txt",
			Provider:  "script",
			Model:     "script",
			Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "test -f done.txt"}}},
			Policy:    policy.Policy{Risk: policy.WriteLocal, Dir: w.dir},
			Limits:    goal.DefaultLimits(),
		},
	}
	if change != nil {
		change(g)
	}
	if err := w.store.Goals.Create(w.Context(), g); err != nil {
		w.Fatal(err)
	}
	return g
}

func (w *world) start(g *goal.Goal, opening event.Body) {
	w.Helper()
	row, err := w.store.Goals.Get(w.Context(), g.ID)
	if err != nil {
		w.Fatal(err)
	}
	own, err := w.store.Locks.LockGoal(g.ID)
	if err != nil {
		w.Fatal(err)
	}
	release := func() {
		if err := own.Unlock(); err != nil {
			w.Error(err)
		}
	}
	if err := w.runner.Start(w.Context(), row.Goal, release, opening); err != nil {
		w.Fatal(err)
	}
}

func (w *world) end(g *goal.Goal) store.GoalRow {
	w.Helper()
	select {
	case <-w.runner.Done(g.ID):
	case <-time.After(late):
		w.Fatal("the goal did not end")
	}
	row, err := w.store.Goals.Get(w.Context(), g.ID)
	if err != nil {
		w.Fatal(err)
	}
	return row
}

func (w *world) run(change func(*goal.Goal)) (*goal.Goal, store.GoalRow) {
	w.Helper()
	g := w.create(change)
	w.start(g, &event.Started{})
	return g, w.end(g)
}

// await returns once an event of the type was received.
func (w *world) await(kind string) {
	w.Helper()
	w.awaitN(kind, 1)
}

// awaitN returns once that many events of the type were received.
func (w *world) awaitN(kind string, want int) {
	w.Helper()
	for deadline := time.Now().Add(late); time.Now().Before(deadline); {
		w.mu.Lock()
		n := 0
		for _, e := range w.events {
			if e.Body.EventType() == kind {
				n++
			}
		}
		w.mu.Unlock()
		if n >= want {
			return
		}
		<-time.After(5 * time.Millisecond)
	}
	w.Fatalf("no event %s", kind)
}

func expect(t *testing.T, row store.GoalRow, status goal.Status, exit goal.Exit) {
	t.Helper()
	if row.Status != status || row.Exit != exit {
		t.Fatalf("ended %s/%s, want %s/%s; report: %q", row.Status, row.Exit, status, exit, row.Report)
	}
}

// lastUser is the text of the newest user message that the model saw in turn n.
func (s *script) lastUser(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.seen[n].Messages) - 1; i >= 0; i-- {
		if m := s.seen[n].Messages[i]; m.Role == goal.User {
			return m.Text
		}
	}
	return ""
}

func TestClaim_AfterAFailedOne_IsVerified(t *testing.T) {
	w := newWorld(t, call(pendingClaim), call(`write_file {"path":"done.txt","content":"x"}`), call(pendingClaim))
	g, row := w.run(nil)
	expect(t, row, goal.Completed, goal.Done)
	if !row.Verified || row.ChecksPassed != 1 || row.Spent.Claims != 2 || row.Spent.TokensIn != 30 {
		t.Errorf("%+v", row)
	}
	claims, err := w.store.History.Claims(t.Context(), g.ID)
	if err != nil || len(claims) != 2 || claims[0].Verdicts[0].Outcome != goal.Fail ||
		claims[1].Verdicts[0].Outcome != goal.Pass {
		t.Fatalf("receipt: %+v %v", claims, err)
	}
	if reported := w.model.lastUser(1); !strings.Contains(reported, "Verification failed:") ||
		!strings.Contains(reported, "exited with 1, expected 0") {
		t.Errorf("the model received %q", reported)
	}
	if !strings.HasPrefix(row.Report[0], "Done. All checks passed.") || len(row.Report) > 5 {
		t.Errorf("report %q", row.Report)
	}
}

func TestFailedCheck_Reason_ReachesTheModel(t *testing.T) {
	w := newWorld(t, call(pendingClaim),
		call(`abort_with_report {"reason":"cannot","what_was_learned":"port 80 is closed"}`))
	_, row := w.run(func(g *goal.Goal) {
		g.Criterion.Checks[0].Command = "echo 'connection refused' >&2; exit 7"
	})
	expect(t, row, goal.Aborted, goal.GaveUp)
	if reported := w.model.lastUser(1); !strings.Contains(reported, "exited with 7, expected 0") ||
		!strings.Contains(reported, "connection refused") {
		t.Errorf("told %q", reported)
	}
	if !strings.Contains(strings.Join(row.Report, "\n"), "port 80 is closed") {
		t.Errorf("report %q", row.Report)
	}
}

func TestLimit_ModelNeverClaims_IsReached(t *testing.T) {
	w := newWorld(t, call(`list_files {}`))
	_, row := w.run(func(g *goal.Goal) { g.Limits.Iterations = 2 })
	expect(t, row, goal.Failed, goal.LimitReached)
	if row.Spent.Iterations != 2 {
		t.Errorf("%d iterations", row.Spent.Iterations)
	}
}

// TestLimit_MoneyUsedUp_EndsTheGoal: it ends before the next turn, after warnings at half of the money and at 80 %.
func TestLimit_MoneyUsedUp_EndsTheGoal(t *testing.T) {
	n := 0
	w := newWorld(t, func(context.Context, goal.Turn) (goal.Reply, error) {
		n++
		return goal.Reply{
			Calls: []goal.Call{{Tool: "write_file", Arguments: fmt.Sprintf(`{"path":"f%d","content":"x"}`, n)}},
			Usage: goal.Usage{USD: 0.30},
		}, nil
	})
	_, row := w.run(func(g *goal.Goal) { g.Limits.USD = 1 })
	expect(t, row, goal.Failed, goal.LimitReached)
	if row.Spent.USD < 1 || row.Spent.Iterations != 4 || !strings.Contains(row.Report[0], "$1.00") {
		t.Errorf("$%.2f in %d iterations: %q", row.Spent.USD, row.Spent.Iterations, row.Report)
	}
	var percents []int
	for _, e := range w.events {
		if b, ok := e.Body.(*event.Warning); ok && b.What == "usd" {
			percents = append(percents, b.Percent)
		}
	}
	if fmt.Sprint(percents) != "[50 80 100]" {
		t.Errorf("warned at %v per cent", percents)
	}
}

func TestClaim_InTheLastTurn_IsVerified(t *testing.T) {
	w := newWorld(t, call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim))
	_, row := w.run(func(g *goal.Goal) { g.Limits.Iterations = 1 })
	expect(t, row, goal.Completed, goal.Done)
}

func TestTimeLimit_EndsALongToolCall(t *testing.T) {
	w := newWorld(t, call(`run_command {"command":"sleep 1000"}`))
	_, row := w.run(func(g *goal.Goal) { g.WallClockMS = 400 })
	expect(t, row, goal.Failed, goal.LimitReached)
}

func TestTurns_ThreeWithoutACall_AreStuck(t *testing.T) {
	w := newWorld(t, says("I am done."))
	_, row := w.run(nil)
	expect(t, row, goal.Paused, goal.Stuck)
	if row.Spent.Iterations != 3 {
		t.Errorf("%d iterations", row.Spent.Iterations)
	}
}

func TestClaims_FiveFailuresOfACheck_AreStuck(t *testing.T) {
	w := newWorld(t, call(pendingClaim))
	_, row := w.run(nil)
	expect(t, row, goal.Paused, goal.Stuck)
	if row.Spent.Claims != 5 {
		t.Errorf("%d claims", row.Spent.Claims)
	}
	if reported := w.model.lastUser(2); !strings.Contains(reported, "nothing was done since") {
		t.Errorf("a claim without work was run again: %q", reported)
	}
}

func TestCalls_OfEveryOutcome_GetOneResult(t *testing.T) {
	w := newWorld(t, call(`no_such_tool {}`, `write_file {broken`, `write_file {"path":"../out.txt","content":""}`,
		`run_command {"command":""}`,
		`write_file {"path":"a","content":{"x":1}}`, `broken {}`, `read_file {"path":"missing"}`,
		`write_file {"path":"ok.txt","content":"x"}`,
		`browser_open {"url":"https://shop.example/"}`), call(`browser_open {"url":"https://shop.example/"}`),
		call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim))
	g, row := w.run(func(g *goal.Goal) { g.Options.OnAsk = goal.OnAskDeny })
	expect(t, row, goal.Completed, goal.Done)
	steps, err := w.store.History.Steps(t.Context(), g.ID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []string
	for _, s := range steps {
		outcomes = append(outcomes, string(s.Outcome))
	}
	want := "failed failed failed failed failed failed failed denied ok ok"
	if got := strings.Join(outcomes, " "); got != want {
		t.Errorf("outcomes %s\n    want %s", got, want)
	}
	answers := 0
	for _, m := range w.model.seen[1].Messages {
		if m.Role == goal.ToolRole {
			answers++
		}
	}
	if answers != 9 {
		t.Errorf("%d results for 9 calls", answers)
	}
	for _, name := range []string{filepath.Join("..", "out.txt"), "ok.txt"} {
		if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
			t.Errorf("%s was written: outside the folder, or after a call that failed", name)
		}
	}
}

// TestDispatchTurn_AfterAFailedCall_OnlyReads: a command that fails ends the changes of its reply, and the claim in
// it; what only reads is executed.
func TestDispatchTurn_AfterAFailedCall_OnlyReads(t *testing.T) {
	w := newWorld(t,
		call(`run_command {"command":"false"}`, `list_files {}`, `write_file {"path":"done.txt","content":"x"}`,
			pendingClaim),
		call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim))
	_, row := w.run(nil)
	expect(t, row, goal.Completed, goal.Done)
	if row.Spent.Claims != 1 {
		t.Errorf("%d claims", row.Spent.Claims)
	}
	var results []string
	for _, m := range w.model.seen[1].Messages {
		if m.Role == goal.ToolRole {
			results = append(results, m.Text)
		}
	}
	const skipped = "not executed: call 1 of this reply (run_command) failed"
	for i, want := range []string{"exit 1", `{"ok":true`, skipped, skipped} {
		if i >= len(results) || !strings.Contains(results[i], want) {
			t.Errorf("result %d of %q does not say %q", i, results, want)
		}
	}
}

func TestJournal_BeforeACall_HasItsIntent(t *testing.T) {
	w := newWorld(t, call(`run_command {"command":"sleep 1000"}`))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("step_started")
	if open, err := w.store.History.IntentsWithoutResult(t.Context(), g.ID); err != nil || len(open) != 1 {
		t.Errorf("unfinished %v %v", open, err)
	}
	w.order(g, goal.Order{Kind: goal.OrderAbort})
	expect(t, w.end(g), goal.Aborted, goal.AbortedByUser)
}

func (w *world) order(g *goal.Goal, o goal.Order) {
	w.Helper()
	if err := w.store.Orders.Add(w.Context(), g.ID, o); err != nil {
		w.Fatal(err)
	}
	w.runner.Wake(g.ID)
}

func TestAbort_DuringACall_AnswersEveryCall(t *testing.T) {
	w := newWorld(t, call(`run_command {"command":"sleep 1000"}`, `list_files {}`))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("step_started")
	w.order(g, goal.Order{Kind: goal.OrderAbort})
	expect(t, w.end(g), goal.Aborted, goal.AbortedByUser)
	messages, err := w.store.History.Conversation(t.Context(), g.ID)
	if err != nil {
		t.Fatal(err)
	}
	if last := messages[len(messages)-1]; last.Role != goal.ToolRole || !strings.Contains(last.Text, "not executed") {
		t.Errorf("last message %+v", last)
	}
}

// TestPause_DuringATurn_ResumeRepeatsIt: the user adds a note between the two runs.
func TestPause_DuringATurn_ResumeRepeatsIt(t *testing.T) {
	entered := make(chan struct{}, 1)
	w := newWorld(t, func(ctx context.Context, _ goal.Turn) (goal.Reply, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return goal.Reply{}, ctx.Err()
	}, call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim))
	g := w.create(nil)
	w.start(g, &event.Started{})
	<-entered
	w.order(g, goal.Order{Kind: goal.OrderPause})
	expect(t, w.end(g), goal.Paused, goal.PausedByUser)
	w.order(g, goal.Order{Kind: goal.OrderSteer, Text: "use the left door"})
	w.start(g, &event.Resumed{})
	row := w.end(g)
	expect(t, row, goal.Completed, goal.Done)
	events, err := w.store.History.Events(t.Context(), g.ID, 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range events {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has seq %d", i, e.Seq)
		}
	}
}

func TestClose_RunningGoal_IsInterrupted(t *testing.T) {
	w := newWorld(t, call(`run_command {"command":"sleep 1000"}`),
		call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim))
	g := w.create(nil)
	w.start(g, &event.Started{})
	w.await("step_started")
	if err := w.runner.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	row := w.end(g)
	expect(t, row, goal.Paused, goal.Interrupted)
	if err := w.runner.Start(t.Context(), row.Goal, func() {}, &event.Resumed{}); err == nil {
		t.Error("a closed runner took a goal")
	}
}

func TestNote_DuringATurn_IsInTheNextOne(t *testing.T) {
	entered, leave := make(chan struct{}, 1), make(chan struct{})
	w := newWorld(t, func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
		entered <- struct{}{}
		<-leave
		return call(`list_files {}`)(ctx, turn)
	}, call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim))
	g := w.create(nil)
	w.start(g, &event.Started{})
	<-entered
	w.order(g, goal.Order{Kind: goal.OrderSteer, Text: "prefer tabs"})
	close(leave)
	expect(t, w.end(g), goal.Completed, goal.Done)
	if reported := w.model.lastUser(1); !strings.Contains(reported, "prefer tabs") {
		t.Errorf("told %q", reported)
	}
}

func TestGoal_ModelFails_AsksUserAndResumes(t *testing.T) {
	w := newWorld(t, func(context.Context, goal.Turn) (goal.Reply, error) {
		return goal.Reply{}, errors.New("wrong key")
	},
		call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim))
	g, row := w.run(nil)
	expect(t, row, goal.Paused, goal.NeedsUser)
	if !strings.Contains(row.Report[0], "wrong key") {
		t.Errorf("report %q", row.Report)
	}
	w.start(g, &event.Resumed{})
	expect(t, w.end(g), goal.Completed, goal.Done)
}

func TestGoals_AtTheSameTime_DoNotMix(t *testing.T) {
	w := newWorld(t, func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
		name := strings.TrimPrefix(turn.Messages[0].Text, "Goal: ")
		if len(turn.Messages) == 1 {
			return call(fmt.Sprintf(`write_file {"path":"%s.txt","content":"x"}`, name))(ctx, turn)
		}
		return call(fmt.Sprintf(`claim_complete {"rationale":"%s"}`, name))(ctx, turn)
	})
	var goals []*goal.Goal
	for i := range 6 {
		name := fmt.Sprintf("goal%d", i)
		g := w.create(func(g *goal.Goal) {
			g.Objective = name
			g.Criterion.Checks[0].Command = "test -f " + name + ".txt"
		})
		goals = append(goals, g)
		w.start(g, &event.Started{})
	}
	for _, g := range goals {
		expect(t, w.end(g), goal.Completed, goal.Done)
		claims, err := w.store.History.Claims(t.Context(), g.ID)
		if err != nil || len(claims) != 1 || claims[0].Rationale != g.Objective {
			t.Errorf("%s: claims %+v %v", g.Objective, claims, err)
		}
	}
}

func TestStep_HostCrashed_IsUnknownAndNotRepeated(t *testing.T) {
	w := newWorld(t, call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim))
	g := w.create(nil)
	run, err := w.store.Journal.Begin(t.Context(), g.ID, 3, &event.Started{})
	if err != nil {
		t.Fatal(err)
	}
	c := goal.Call{ID: "c1", Tool: "run_command", Arguments: `{"command":"touch repeated.txt"}`}
	err = w.store.Journal.Append(t.Context(), run, &event.Message{Message: goal.Message{Role: goal.User, Text: "Goal: x"}},
		&event.Message{
			Message: goal.Message{Role: goal.Assistant, Calls: []goal.Call{c}},
		}, &event.StepStarted{StepID: 1, Tool: c.Tool, Arguments: c.Arguments})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.store.Recovery.Interrupt(t.Context()); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	w.start(g, &event.Resumed{})
	expect(t, w.end(g), goal.Completed, goal.Done)
	step, err := w.store.History.Step(t.Context(), g.ID, 1)
	if err != nil || step.Outcome != event.OutcomeUnknown {
		t.Errorf("step %+v %v", step, err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, "repeated.txt")); err == nil {
		t.Error("the host repeated a step in doubt")
	}
	reported := w.model.seen[0].Messages[2]
	if reported.CallID != "c1" || !strings.Contains(reported.Text, "unknown") {
		t.Errorf("told %+v", reported)
	}
}

// TestModelInALoop_IsWarnedRefusedAndStuck repeats one command for ever.
func TestModelInALoop_IsWarnedRefusedAndStuck(t *testing.T) {
	w := newWorld(t, call(`run_command {"command":"echo same"}`))
	g, row := w.run(nil)
	expect(t, row, goal.Paused, goal.Stuck)
	steps, err := w.store.History.Steps(t.Context(), g.ID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var outcomes []string
	for _, s := range steps {
		outcomes = append(outcomes, string(s.Outcome))
	}
	if got, want := strings.Join(outcomes, " "), "ok ok ok ok denied denied denied denied denied"; got != want {
		t.Errorf("outcomes %s, want %s", got, want)
	}
	if third, err := w.store.History.Step(t.Context(), g.ID, 3); err != nil ||
		!strings.Contains(third.Result, "A word from the host") {
		t.Errorf("the third call was not told: %q %v", third.Result, err)
	}
}

// TestGoal_DiskFull_IsPaused: it pauses before its journal breaks, and continues with free space.
func TestGoal_DiskFull_IsPaused(t *testing.T) {
	w := newWorld(t, call(`write_file {"path":"done.txt","content":"x"}`), call(pendingClaim))
	w.free.Store(600 << 20)
	g, row := w.run(nil)
	expect(t, row, goal.Paused, goal.NeedsUser)
	if row.Spent.Iterations != 0 || !strings.Contains(row.Report[0], "600 MiB") {
		t.Errorf("%d iterations, %q", row.Spent.Iterations, row.Report)
	}
	w.free.Store(10 << 30)
	w.start(g, &event.Resumed{})
	expect(t, w.end(g), goal.Completed, goal.Done)
}

// TestGoal_LoopPanics_EndsAsError: it can be resumed.
func TestGoal_LoopPanics_EndsAsError(t *testing.T) {
	w := newWorld(t, func(context.Context, goal.Turn) (goal.Reply, error) { panic("inside the model") },
		call(`write_file {"path":"done.txt","content":"x"}`, pendingClaim))
	g, row := w.run(nil)
	expect(t, row, goal.Failed, goal.ExitError)
	if !strings.Contains(row.Report[0], "the loop panicked: inside the model") {
		t.Errorf("report %q", row.Report)
	}
	w.start(g, &event.Resumed{})
	expect(t, w.end(g), goal.Completed, goal.Done)
}

// TestLoopGuard_UnknownToolRepeated_IsRefused: the loop guard also counts calls with invalid arguments and unknown
// tools.
func TestLoopGuard_UnknownToolRepeated_IsRefused(t *testing.T) {
	for _, c := range []string{`no_such_tool {}`, `read_file {"nothing":1}`} {
		w := newWorld(t, call(c))
		_, row := w.run(nil)
		expect(t, row, goal.Paused, goal.Stuck)
		if !strings.Contains(row.Report[0], "5 were refused") || row.Spent.Steps != 9 {
			t.Errorf("%s: %d steps, %q", c, row.Spent.Steps, row.Report)
		}
	}
}

// unchanged is a folder in which nothing ever changes.
type unchanged struct{ large }

func (*unchanged) Fingerprint(context.Context) (string, string, error) { return "the start", "", nil }

// TestStall_TurnWithoutACall_IsNotProgress: a model that talks in every second turn has no more turns than one that
// does not.
func TestStall_TurnWithoutACall_IsNotProgress(t *testing.T) {
	n := 0
	w := newWorld(t, func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
		if n++; n%2 == 0 {
			return says("thinking about it")(ctx, turn)
		}
		return call(fmt.Sprintf(`write_todos {"todos":[{"text":"plan %d"}]}`, n))(ctx, turn)
	})
	w.look = &unchanged{}
	_, row := w.run(nil)
	expect(t, row, goal.Paused, goal.Stuck)
	if row.Spent.Iterations != 12 {
		t.Errorf("%d iterations, %q", row.Spent.Iterations, row.Report)
	}
}

// TestGoal_FewResultsFillTheWindow_Continues: the last steps are shortened, too, where nothing is left to shorten
// before them.
func TestGoal_FewResultsFillTheWindow_Continues(t *testing.T) {
	const window = 40_000
	turns := []func(context.Context, goal.Turn) (goal.Reply, error){
		call(`run_command {"command":"seq 10000 13000"}`), call(`run_command {"command":"seq 20000 23000"}`),
		call(`run_command {"command":"seq 30000 33000"}`), call(`write_file {"path":"done.txt","content":"x"}`),
		call(pendingClaim),
	}
	n := 0
	w := newWorld(t, func(ctx context.Context, turn goal.Turn) (goal.Reply, error) {
		bytes := 0
		for _, m := range turn.Messages {
			bytes += len(m.Text)
		}
		if bytes > window {
			return goal.Reply{}, fmt.Errorf("400: %w", goal.ErrContextTooLong)
		}
		n++
		return turns[n-1](ctx, turn)
	})
	_, row := w.run(nil)
	expect(t, row, goal.Completed, goal.Done)
}
