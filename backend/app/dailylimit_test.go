package app_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
)

// zoneClock is the real clock in another time zone, moved by an offset.
type zoneClock struct {
	zone   *time.Location
	offset atomic.Int64
}

func (z *zoneClock) Now() time.Time { return time.Now().Add(time.Duration(z.offset.Load())).In(z.zone) }

func (z *zoneClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// set moves the clock to a time.
func (z *zoneClock) set(to time.Time) { z.offset.Store(int64(time.Until(to))) }

// turnCost is the price of a turn of the scripted provider after usePrice, in USD.
const turnCost = 0.75

// usePrice sets the provider's price so that each turn costs turnCost.
func (p *program) usePrice() {
	p.Helper()
	if _, err := p.cfg.ChangeProvider("test", func(saved *config.Provider) error {
		saved.Price = &config.Price{Input: 50_000, Output: 50_000} // 15 tokens in each turn
		return nil
	}); err != nil {
		p.Fatal(err)
	}
}

func (p *program) limitDay(usd float64) {
	p.Helper()
	s := p.cfg.Settings()
	s.DailyLimitUSD = usd
	if err := p.cfg.SaveSettings(s); err != nil {
		p.Fatal(err)
	}
}

func (p *program) today() calls.SpendToday {
	p.Helper()
	out, err := calls.NewSpendAPI(p.Context(), p.cfg, p.app.Store().Spend, time.Now).Today()
	if err != nil {
		p.Fatal(err)
	}
	return out
}

// workUntil plays turns without an effect until finish is true, and then reaches the goal.
func workUntil(finish *atomic.Bool) modeltest.Script {
	return func(n int, r modeltest.Request) modeltest.Answer {
		switch {
		case !finish.Load():
			return call("run_command", `{"command":"echo `+strings.Repeat("x", n+1)+`"}`)
		case r.Last().Role == goal.ToolRole && strings.Contains(r.Last().Text, "made"):
			return call("claim_complete", `{"rationale":"made"}`)
		}
		return call("run_command", `{"command":"touch done.txt; echo made"}`)
	}
}

// TestDailyLimit_SeveralGoals_PauseAndResumeWhenItIsRaised: the goals share one limit, which pauses all of them.
func TestDailyLimit_SeveralGoals_PauseAndResumeWhenItIsRaised(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	var finish atomic.Bool
	server := p.provide(workUntil(&finish))
	p.usePrice()
	const limit = 20 * turnCost // high enough that one turn cannot skip the warning at 80 %
	p.limitDay(limit)
	ids := map[string]bool{}
	for range 2 {
		in := goal.Request{Objective: "make done.txt"}
		in.Checks, in.CriticEvery = shell("test -f done.txt"), 2 // critics also spend
		id, err := p.goal.Start(in)
		if err != nil {
			t.Fatal(err)
		}
		ids[id.GoalID] = true
	}
	warned := false
	for paused := 0; paused < len(ids); {
		e := p.await("pause", func(e event.Event) bool {
			w, ok := e.Body.(*event.Warning)
			warned = warned || ok && w.What == event.DailyLimitWarning && strings.Contains(w.Text, "of today's limit of $15.00")
			_, ok = e.Body.(*event.Paused)
			return ok
		})
		b := e.Body.(*event.Paused) //nolint:forcetypeassert // await has checked the type
		if b.Exit != goal.DailyLimitReached ||
			!strings.HasPrefix(b.Reason, "Today's limit of $15.00 is reached; resumes tomorrow") {
			t.Fatalf("paused with %s: %s", b.Exit, b.Reason)
		}
		paused++
	}
	if !warned {
		t.Error("no goal was warned at 80 %")
	}
	spent := p.today().USD
	if most := limit + float64(len(ids)*2)*turnCost; spent < limit || spent > most {
		t.Errorf("$%.2f were spent, want $%.2f to $%.2f", spent, limit, most)
	}
	if n := len(server.Requests()); spent != float64(n)*turnCost {
		t.Errorf("$%.2f were counted for %d turns", spent, n)
	}
	for id := range ids {
		_, err := p.goal.Resume(id, api.ResumeInput{})
		if f := fault.Of(err); err == nil || !strings.Contains(f.Message, "today's limit of $15.00 is used up") ||
			!strings.Contains(f.CommandHint, "--daily-limit") {
			t.Errorf("resuming was refused with %v", err)
		}
	}
	finish.Store(true)
	p.limitDay(100)
	for range ids {
		e := p.await("end", func(e event.Event) bool { _, ok := e.Body.(*event.Ended); return ok })
		b := e.Body.(*event.Ended) //nolint:forcetypeassert // await has checked the type
		if b.Exit != goal.Done || !ids[string(e.GoalID)] {
			t.Errorf("ended with %s: %v", b.Exit, b.Report)
		}
	}
	r, err := calls.NewSpendAPI(t.Context(), p.cfg, p.app.Store().Spend, time.Now).Report(calls.SpendInput{By: "goal"})
	if err != nil || len(r.Rows) != len(ids) || r.Total.USD != p.today().USD || r.Rows[0].Label != "make done.txt" {
		t.Errorf("the report is %+v, %v", r, err)
	}
}

// TestDailyLimit_AcrossMidnightAndRestart_ResumesOnTheNextDay: the day is that of the user's time zone, and another
// process may resume the goal.
func TestDailyLimit_AcrossMidnightAndRestart_ResumesOnTheNextDay(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	clock := &zoneClock{zone: time.FixedZone("Kathmandu", (5*60+45)*60)}
	midnight := time.Date(2031, 5, 2, 0, 0, 0, 0, clock.zone)
	clock.set(midnight.Add(-2 * time.Hour))
	var finish atomic.Bool
	server := modeltest.New(t, workUntil(&finish))
	var id string
	t.Run("before", func(t *testing.T) {
		p := startWith(t, home, clock)
		if err := p.cfg.SaveProvider(config.Provider{
			ID:      "test",
			Kind:    config.OpenAI,
			BaseURL: server.URL,
			Model:   "m",
		}); err != nil {
			t.Fatal(err)
		}
		p.usePrice()
		p.limitDay(turnCost)
		in := goal.Request{Objective: "make done.txt"}
		in.Checks = shell("test -f done.txt")
		out, err := p.goal.Start(in)
		if err != nil {
			t.Fatal(err)
		}
		id = out.GoalID
		b, ok := p.ended(id).Body.(*event.Paused)
		if !ok || b.Exit != goal.DailyLimitReached || b.Until != midnight.UTC().Format(event.TimeLayout) {
			t.Fatalf("paused with %+v, want until %v", b, midnight.UTC())
		}
	})
	p := startWith(t, home, clock)
	if err := p.app.Goals.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	row, err := p.goal.Get(id)
	if err != nil || row.Exit != goal.DailyLimitReached {
		t.Fatalf("after the restart the goal is %s, %v", row.Exit, err)
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("the model was asked %d times for a limit of one turn", n)
	}
	finish.Store(true)
	clock.set(midnight.Add(time.Minute))
	e := p.await("resumption", func(e event.Event) bool { _, ok := e.Body.(*event.Resumed); return ok })
	if b := e.Body.(*event.Resumed); !strings.Contains(b.Note, "new day") { //nolint:forcetypeassert // of that type
		t.Errorf("resumed with the note %q", b.Note)
	}
	if b, ok := p.ended(id).Body.(*event.Paused); !ok || b.Exit != goal.DailyLimitReached ||
		b.Until != midnight.AddDate(0, 0, 1).UTC().Format(event.TimeLayout) { // the limit pays for one turn each day
		t.Errorf("on the next day it paused with %+v", b)
	}
	r, err := calls.NewSpendAPI(t.Context(), p.cfg, p.app.Store().Spend, clock.Now).Report(calls.SpendInput{By: "day"})
	if err != nil || len(r.Rows) != 2 || r.Rows[0].Key != "2031-05-02" || r.Rows[1].Key != "2031-05-01" ||
		r.Rows[0].USD != turnCost || r.Today.USD != turnCost {
		t.Errorf("the report is %+v, %v", r, err)
	}
	if _, err := p.goal.Abort(id); err != nil {
		t.Error(err)
	}
}
