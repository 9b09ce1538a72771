package app_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// TestUserSettings_ApplyToGoals covers how many goals run at once, where they work, and how long they are kept.
func TestUserSettings_ApplyToGoals(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	first := start(t, home)
	first.provide(gaveUp())
	s := first.cfg.Settings()
	s.GoalsAtOnce, s.KeepDays, s.WorkDir = 1, 30, filepath.Join(home, "elsewhere")
	if err := first.cfg.SaveSettings(s); err != nil {
		t.Fatal(err)
	}
	out, err := first.goal.Start(goal.Request{
		Objective: "the new one",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	first.ended(out.GoalID)
	if v, err := first.goal.Get(out.GoalID); err != nil || filepath.Dir(v.Policy.Dir) != s.WorkDir {
		t.Errorf("it works in %s, %v", v.Policy.Dir, err)
	}
	old := first.endedLongAgo()

	p := start(t, home) // the settings take effect at the next start
	if err := p.app.Goals.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.goal.Get(string(old)); api.ToProblem(err).Code != fault.NotFound {
		t.Errorf("the old goal is still there: %v", err)
	}
	if _, err := p.goal.Get(out.GoalID); err != nil {
		t.Errorf("the new goal is gone: %v", err)
	}
	p.provide(turns(call("run_command", `{"command":"sleep 60"}`)))
	for range 2 {
		if out, err = p.goal.Start(goal.Request{
			Objective: "one of two",
			Criterion: goal.Criterion{Checks: shell("test -f never")},
		}); err != nil {
			t.Fatal(err)
		}
	}
	queued, ok := p.await("the second one waits", func(e event.Event) bool {
		_, ok := e.Body.(*event.Queued)
		return ok
	}).Body.(*event.Queued)
	if !ok || !strings.Contains(queued.Reason, "1 goal is already running") {
		t.Errorf("%+v", queued)
	}
}

// endedLongAgo creates a goal that ended years ago.
func (p *program) endedLongAgo() goal.ID {
	p.Helper()
	past, err := store.Open(p.Context(), store.Options{
		Dir: p.cfg.State(), Publish: func(event.Event) {}, Now: func() time.Time { return time.Now().AddDate(-1, 0, 0) },
	})
	if err != nil {
		p.Fatal(err)
	}
	g := &goal.Goal{
		ID: goal.ID(store.NewID()),
		Request: goal.Request{
			Objective: "the old one",
			Provider:  "test",
			Model:     "m",
			Limits:    goal.DefaultLimits(),
		},
	}
	g.Criterion.Checks, g.Policy.Risk, g.Policy.Dir = shell("test -f never"), policy.WriteLocal, p.TempDir()
	if err := past.Goals.Create(p.Context(), g); err != nil {
		p.Fatal(err)
	}
	own, err := past.Locks.LockGoal(g.ID) // otherwise the window would treat the goal as dead
	must(p.T, err)
	run, err := past.Journal.Begin(p.Context(), g.ID, 10, &event.Started{})
	must(p.T, err)
	must(p.T, past.Journal.Append(p.Context(), run, &event.Ended{
		Status: goal.Aborted,
		Exit:   goal.GaveUp,
		Report: []string{"It gave up."},
	}))
	must(p.T, own.Unlock())
	must(p.T, past.Close())
	return g.ID
}

// TestGoalDefaults_UserSetsNothing: an objective and a check are enough.
func TestGoalDefaults_UserSetsNothing(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := start(t, home)
	p.provide(gaveUp())
	begun := time.Now()
	out, err := p.goal.Start(goal.Request{
		Objective: "Make a Page, please!",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	g, err := p.app.Store().Goals.Get(t.Context(), goal.ID(out.GoalID))
	if err != nil {
		t.Fatal(err)
	}
	if want := (goal.Limits{WallClockMS: time.Hour.Milliseconds(), Iterations: 300, ClaimsPerCheck: 5}); g.Limits != want {
		t.Errorf("limits %+v", g.Limits)
	}
	dir := ""
	for _, at := range []time.Time{begun, g.CreatedAt} { // midnight may be in between
		if found, err := filepath.EvalSymlinks(
			filepath.Join(home, "work", at.Local().Format("2006-01-02")+"-make-a-page-please")); err == nil {
			dir = found
		}
	}
	if dir == "" || g.Policy.Dir != dir || g.Policy.Risk != policy.WriteLocal || g.Policy.Unconfined ||
		g.Policy.RequireSteps {
		t.Errorf("policy %+v, want %s", g.Policy, dir)
	}
	o := g.Options
	if o.CriticEvery != 5 || o.Critic+o.Judge != "" || o.Review != goal.ReviewAuto || g.NeedsReview() ||
		o.OnAsk != "" || len(o.After)+len(o.Panes) > 0 {
		t.Errorf("options %+v", o)
	}
	active := p.cfg.Providers()[0]
	if g.Provider != active.ID || g.Model != active.Model || o.Persona != "" && o.Persona != "engineer" {
		t.Errorf("provider %s, model %s, persona %q", g.Provider, g.Model, o.Persona)
	}
}
