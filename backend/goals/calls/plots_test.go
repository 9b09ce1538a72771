package calls_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

// plotted is a goal with three checks in a real store, whose clock the test sets.
type plotted struct {
	*testing.T
	api   *calls.GoalAPI
	store *store.Store
	goal  goal.ID
	run   goal.Run
	now   time.Time
}

func newPlotted(t *testing.T) *plotted {
	t.Helper()
	p := &plotted{T: t, now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC), goal: goal.ID(store.NewID())}
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir(), Now: func() time.Time { return p.now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	checks := []goal.Check{
		{Type: goal.Shell, Command: "make a"}, {Type: goal.Shell, Command: "make b"}, {Type: goal.Shell, Command: "make c"},
	}
	g := &goal.Goal{ID: p.goal, Request: goal.Request{
		Objective: "repair the shop",
		Criterion: goal.Criterion{Checks: checks},
		Policy:    policy.Policy{Risk: policy.WriteLocal, Dir: "/home/person/shop"},
		Limits:    goal.DefaultLimits(),
	}}
	if err := s.Goals.Create(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	p.store, p.api = s, calls.NewGoalAPI(context.Background(), nil, s)
	return p
}

func (p *plotted) begin(opening event.Body) {
	p.Helper()
	run, err := p.store.Journal.Begin(p.Context(), p.goal, 1, opening)
	if err != nil {
		p.Fatal(err)
	}
	p.run = run
}

// after journals events when some time has passed.
func (p *plotted) after(d time.Duration, bodies ...event.Body) {
	p.Helper()
	p.now = p.now.Add(d)
	if err := p.store.Journal.Append(p.Context(), p.run, bodies...); err != nil {
		p.Fatal(err)
	}
}

func (p *plotted) plots() calls.GoalPlots {
	p.Helper()
	out, err := p.api.Plots(string(p.goal))
	if err != nil {
		p.Fatal(err)
	}
	return out
}

func used(in, out int64, usd float64) *event.Usage {
	return &event.Usage{Usage: goal.Usage{TokensIn: in, TokensOut: out, USD: usd}}
}

func verdict(claim, check int, o goal.Outcome) *event.Verdict {
	return &event.Verdict{Claim: claim, Verdict: goal.Verdict{Check: check, Name: "a check", Outcome: o}}
}

func TestPlots_GoalThatUsedNothing_HasEmptySeries(t *testing.T) {
	t.Parallel()
	p := newPlotted(t)
	for _, state := range []string{"not begun", "begun"} {
		out := p.plots()
		if out.Passing == nil || out.Spend == nil || out.Rate == nil || out.Context == nil || out.Times == nil ||
			len(out.Passing)+len(out.Spend)+len(out.Rate)+len(out.Context)+len(out.Times) > 0 || out.Checks != 3 {
			t.Errorf("%s: %+v", state, out)
		}
		if state == "not begun" {
			p.begin(&event.Started{})
		}
	}
}

// TestPlots_ChecksThatFlip counts down again, leaves a check as it was if a claim did not run it, and leaves out a
// claim whose checks did not run, and verdicts of checks that the criterion does not have.
func TestPlots_ChecksThatFlip(t *testing.T) {
	t.Parallel()
	p := newPlotted(t)
	p.begin(&event.Started{})
	p.after(time.Minute, &event.Claim{N: 1}, verdict(1, 0, goal.Pass), verdict(1, 1, goal.Pass), verdict(1, 2, goal.Fail))
	p.after(time.Minute, &event.Claim{N: 2}, verdict(2, 0, goal.Tampered), verdict(2, 1, goal.CheckErr))
	p.after(time.Minute, &event.Claim{N: 3}, verdict(3, 0, goal.Pass), verdict(3, 7, goal.Pass), verdict(3, -1, goal.Pass))
	p.after(time.Minute, &event.Claim{N: 4})
	p.after(time.Minute, &event.Claim{N: 5}, verdict(5, 1, goal.Pass), verdict(5, 2, goal.Pass))
	want := []calls.PassingPoint{
		{AtMS: 60_000, Claim: 1, Passing: 2},
		{AtMS: 120_000, Claim: 2, Passing: 0},
		{AtMS: 180_000, Claim: 3, Passing: 1},
		{AtMS: 300_000, Claim: 5, Passing: 3},
	}
	if got := p.plots().Passing; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestPlots_ResumedAfterADay: the day is not in the series, whether a user paused the goal or its process was killed.
func TestPlots_ResumedAfterADay(t *testing.T) {
	t.Parallel()
	for _, exit := range []goal.Exit{goal.PausedByUser, goal.Interrupted} {
		p := newPlotted(t)
		p.begin(&event.Started{})
		p.after(30*time.Second, used(1000, 50, 0.25))
		p.after(30*time.Second, used(900, 50, 0.25))
		wait := time.Duration(0)
		if exit == goal.Interrupted {
			wait = 24 * time.Hour // the next process writes the event when it finds the goal
		}
		p.after(wait, &event.Paused{Exit: exit, Reason: "for a day"})
		p.now = p.now.Add(24 * time.Hour)
		p.begin(&event.Resumed{})
		p.after(90*time.Second, used(4000, 0, 0.5))
		out := p.plots()
		wantSpend := []calls.SpendPoint{
			{AtMS: 30_000, USD: 0.25, Tokens: 1050},
			{AtMS: 60_000, USD: 0.5, Tokens: 2000},
			{AtMS: 150_000, USD: 1, Tokens: 6000},
		}
		wantRate := []calls.RatePoint{
			{AtMS: 0, PerMinute: 1050},
			{AtMS: 60_000, PerMinute: 950},
			{AtMS: 120_000, PerMinute: 4000},
		}
		if !reflect.DeepEqual(out.Spend, wantSpend) || !reflect.DeepEqual(out.Rate, wantRate) || out.RateMS != 60_000 {
			t.Errorf("%s: %+v", exit, out)
		}
	}
}

// TestPlots_OddUsage: a clock that is set back and negative numbers never turn a series back.
func TestPlots_OddUsage(t *testing.T) {
	t.Parallel()
	p := newPlotted(t)
	p.begin(&event.Started{})
	p.after(2*time.Minute, used(100, 10, 0.5))
	p.after(-time.Hour, used(-5000, 20, -3))
	guess := used(70, 0, 0)
	guess.Guessed = true
	p.after(time.Hour, guess)
	out := p.plots()
	want := []calls.SpendPoint{
		{AtMS: 120_000, USD: 0.5, Tokens: 110},
		{AtMS: 120_000, USD: 0.5, Tokens: 130},
		{AtMS: 120_000, USD: 0.5, Tokens: 200},
	}
	if !reflect.DeepEqual(out.Spend, want) || !out.Guessed {
		t.Errorf("%+v", out)
	}
}

// TestPlots_Context: a compaction is a drop. What others than the agent read is not its context, and the turns of
// earlier versions have no window.
func TestPlots_Context(t *testing.T) {
	t.Parallel()
	p := newPlotted(t)
	p.begin(&event.Started{})
	turn := func(in int64, window int, by string) *event.Usage {
		u := used(in, 10, 0)
		u.Window, u.By = window, by
		return u
	}
	p.after(time.Minute, turn(20_000, 0, ""))
	p.after(time.Minute, turn(90_000, 100_000, ""))
	p.after(time.Minute, turn(90_100, 0, event.BySummary), turn(5_000, 0, "critic"))
	p.after(time.Minute, turn(30_000, 100_000, ""), turn(0, 100_000, ""))
	want := []calls.ContextPoint{
		{AtMS: 60_000, Tokens: 20_000},
		{AtMS: 120_000, Tokens: 90_000, Window: 100_000},
		{AtMS: 240_000, Tokens: 30_000, Window: 100_000},
	}
	if got := p.plots().Context; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestPlots_ContextOfAnEngine is empty: the tokens of a turn are those of many requests.
func TestPlots_ContextOfAnEngine(t *testing.T) {
	t.Parallel()
	p := newPlotted(t)
	p.goal = goal.ID(store.NewID())
	g := &goal.Goal{ID: p.goal, Request: goal.Request{Objective: "repair the shop", Limits: goal.DefaultLimits()}}
	g.Options.Engine = "codex"
	if err := p.store.Goals.Create(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	p.begin(&event.Started{})
	p.after(time.Minute, used(800_000, 10, 0))
	if out := p.plots(); len(out.Context) > 0 || len(out.Spend) != 1 {
		t.Errorf("%+v", out)
	}
}

// TestPlots_Times counts every moment of the running time once: a command within a recipe as the command, an approval
// until its answer or the end of its run, and nothing of a night between two runs.
func TestPlots_Times(t *testing.T) {
	t.Parallel()
	p := newPlotted(t)
	step := 0
	begins := func(tool string) { step++; p.after(0, &event.StepStarted{StepID: step, Tool: tool, Arguments: "{}"}) }
	ends := func(after time.Duration, id int, tool string) {
		p.after(after, &event.Step{StepID: id, Tool: tool, Outcome: event.OK})
	}
	turn := func(d time.Duration) {
		p.after(0, &event.Iteration{N: 1})
		p.after(d, used(100, 10, 0), &event.Usage{By: "critic"})
	}
	ask := func(id string) { p.after(0, &event.ApprovalRequested{Approval: goal.Approval{ID: id}}) }
	p.begin(&event.Started{})
	p.after(2*time.Second, &event.Warning{What: "sandbox"}) // the host
	turn(10 * time.Second)
	begins("run_recipe")
	p.now = p.now.Add(time.Second)
	begins("browser_open")
	ends(7*time.Second, 2, "browser_open")
	ends(time.Second, 1, "run_recipe")
	turn(5 * time.Second)
	ask("a1")
	p.after(time.Minute, &event.ApprovalResolved{Request: "a1", Answer: goal.Answer{Allowed: true}})
	begins("edit_file")
	ends(time.Second, 3, "edit_file")
	ask("a2")
	p.after(time.Minute, &event.Paused{Exit: goal.NeedsUser, Reason: "waits for approval"})
	p.now = p.now.Add(12 * time.Hour)
	p.begin(&event.Resumed{})
	p.after(0, &event.ApprovalResolved{Request: "a2", Answer: goal.Answer{Allowed: true}})
	begins("shop__search") // of an MCP server
	ends(3*time.Second, 4, "shop__search")
	p.after(0, &event.Claim{N: 1})
	p.after(30*time.Second, verdict(1, 0, goal.Pass), verdict(1, 1, goal.Pass))
	begins("terminal_run") // is not over
	want := []calls.KindTime{
		{Kind: calls.TimeUser, MS: 120_000, Times: 2},
		{Kind: calls.TimeChecks, MS: 30_000, Times: 1},
		{Kind: calls.TimeModel, MS: 15_000, Times: 2},
		{Kind: calls.TimePages, MS: 7_000, Times: 1},
		{Kind: calls.TimeTools, MS: 3_000, Times: 1},
		{Kind: calls.TimeCommands, MS: 2_000, Times: 1},
		{Kind: calls.TimeHost, MS: 2_000},
		{Kind: calls.TimeFiles, MS: 1_000, Times: 1},
	}
	if got := p.plots().Times; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// TestPlots_LongGoal: the answer stays small, and its sums stay right.
func TestPlots_LongGoal(t *testing.T) {
	t.Parallel()
	p := newPlotted(t)
	p.begin(&event.Started{})
	const turns = 2_000
	for range turns { // 40 hours
		p.after(72*time.Second, used(600, 0, 0.001))
	}
	out := p.plots()
	if n := len(out.Context); n != 600 || out.Context[0].Tokens != 600 {
		t.Errorf("%d points of the context", n)
	}
	last := out.Spend[len(out.Spend)-1]
	if len(out.Spend) != 600 || last.Tokens != turns*600 || last.AtMS != (40*time.Hour).Milliseconds() {
		t.Errorf("%d points, the last one %+v", len(out.Spend), last)
	}
	if len(out.Rate) > 240 || out.RateMS != (11*time.Minute).Milliseconds() {
		t.Errorf("%d slices of %d ms", len(out.Rate), out.RateMS)
	}
	for _, r := range out.Rate[:len(out.Rate)-1] {
		if r.PerMinute < 400 || r.PerMinute > 600 { // about 500
			t.Errorf("%+v", r)
		}
	}
}
