package app_test

import (
	"errors"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

// TestAccept_ProcessDied_NextOneContinues: the next process continues the goal.
func TestAccept_ProcessDied_NextOneContinues(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	waiting := func(p *program) string {
		p.Helper()
		p.provide(turns(call("write_file", `{"path":"colour","content":"red"}`),
			call("claim_complete", `{"rationale":"red"}`)))
		out, err := p.goal.Start(goal.Request{
			Objective: "paint it",
			Options:   goal.Options{CriticEvery: goal.NoLimit, Review: goal.ReviewNever},
			Criterion: goal.Criterion{
				Checks: append(shell("test -f colour"), goal.Check{Type: goal.Manual, Note: "the colour", Wait: true}),
			},
		})
		if err != nil {
			p.Fatal(err)
		}
		if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.NeedsUser {
			p.Fatalf("%+v", e)
		}
		return out.GoalID
	}
	// accepted leaves the state of a process that died between the user's answer and the run.
	accepted := func(id string) {
		t.Helper()
		s, err := store.Open(t.Context(), store.Options{Dir: home + "/state"})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Orders.Add(t.Context(), goal.ID(id), goal.Order{Kind: goal.OrderAccept}); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	done := func(p *program, id string) {
		p.Helper()
		if e, ok := p.ended(id).Body.(*event.Ended); !ok || e.Exit != goal.Done {
			p.Errorf("%+v", e)
		}
	}
	var later string
	t.Run("asks", func(t *testing.T) { later = waiting(start(t, home)) })
	accepted(later)
	t.Run("opened again", func(t *testing.T) {
		p := start(t, home)
		if err := p.app.Goals.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		done(p, later)
	})
}

// TestAccept_AfterAPause_SettlesTheOlderOrder: a goal that continues with the user's answer ignores a pause from before
// the answer, but not a later one.
func TestAccept_AfterAPause_SettlesTheOlderOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		orders []goal.OrderKind
		exit   goal.Exit
	}{
		{"before", []goal.OrderKind{goal.OrderPause, goal.OrderReject}, goal.GaveUp},
		{"after", []goal.OrderKind{goal.OrderReject, goal.OrderPause}, goal.PausedByUser},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			p := start(t, home)
			p.provide(turns(call("claim_complete", `{"rationale":"red"}`), giveUp()))
			out, err := p.goal.Start(goal.Request{
				Objective: "paint it",
				Options:   goal.Options{CriticEvery: goal.NoLimit, Review: goal.ReviewNever},
				Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Manual, Note: "the colour", Wait: true}}},
			})
			must(t, err)
			if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.NeedsUser {
				t.Fatalf("%+v", e)
			}
			<-p.app.Done(goal.ID(out.GoalID))
			// As if a process had died between the answer and the run.
			own, err := p.app.Store().Locks.LockGoal(goal.ID(out.GoalID))
			must(t, err)
			for _, kind := range c.orders {
				must(t, p.app.Store().Orders.Add(t.Context(), goal.ID(out.GoalID), goal.Order{Kind: kind, Text: "blue"}))
			}
			must(t, own.Unlock())
			must(t, p.app.Goals.Recover(t.Context()))
			p.ended(out.GoalID)
			if v, err := p.goal.Get(out.GoalID); err != nil || v.Exit != c.exit {
				t.Errorf("%s, want %s, %v", v.Exit, c.exit, err)
			}
		})
	}
}

// TestAccept_UnreviewedClaim_IsReviewed: accepting a claim does not skip a review that is missing in the journal.
func TestAccept_UnreviewedClaim_IsReviewed(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := start(t, home)
	agent := turns(call("write_file", `{"path":"colour","content":"red"}`), call("claim_complete", `{"rationale":"red"}`))
	p.provide(func(n int, r modeltest.Request) modeltest.Answer {
		if len(r.Tools) == 0 {
			return modeltest.Answer{Text: "CONFIRM\nit is red"}
		}
		return agent(n, r)
	})
	out, err := p.goal.Start(goal.Request{
		Objective: "paint it",
		Options:   goal.Options{CriticEvery: goal.NoLimit, Review: goal.ReviewAlways},
		Criterion: goal.Criterion{
			Checks: append(shell("test -f colour"), goal.Check{Type: goal.Manual, Note: "the colour", Wait: true}),
		},
	})
	must(t, err)
	p.ended(out.GoalID)
	<-p.app.Done(goal.ID(out.GoalID))
	// a waiting claim without a review
	s, err := store.Open(t.Context(), store.Options{Dir: home + "/state"})
	must(t, err)
	own, err := s.Locks.LockGoal(goal.ID(out.GoalID))
	must(t, err)
	run, err := s.Journal.Begin(t.Context(), goal.ID(out.GoalID), 1, &event.Resumed{})
	must(t, err)
	must(t, errors.Join(s.Journal.Append(t.Context(), run, &event.Claim{N: 2, Rationale: "red again"}, &event.Paused{
		Exit:   goal.NeedsUser,
		Reason: "it waits",
		Report: []string{"-"},
	}), own.Unlock(), s.Close()))
	_, err = p.goal.Accept(out.GoalID)
	must(t, err)
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.Done ||
		!strings.Contains(e.Report[0], "Reviewed: it is red") {
		t.Errorf("%+v", e)
	}
	if r, err := p.goal.Receipt(out.GoalID); err != nil || !r.Reviewed {
		t.Errorf("reviewed %t, %v", r.Reviewed, err)
	}
}
