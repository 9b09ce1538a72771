package calls_test

import (
	"context"
	"fmt"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

// listPage is how many goals the page requests at once, see frontend/src/store/sync.ts.
const listPage = 500

// BenchmarkDashboard measures what the page reads when it opens: all goals in pages, and the first one with all its
// details.
func BenchmarkDashboard(b *testing.B) {
	const goals = 1000
	a, s := openAPI(b)
	for range goals {
		seeded(b, s, 20)
	}
	b.ResetTimer()
	for range b.N {
		got := 0
		first := ""
		for got < goals {
			page, err := a.List(calls.ListInput{Limit: listPage, Offset: got})
			if err != nil || len(page.Goals) == 0 {
				b.Fatalf("%d goals, %v", got, err)
			}
			got, first = got+len(page.Goals), page.Goals[0].ID
		}
		if _, err := a.Get(first); err != nil {
			b.Fatal(err)
		}
		if _, err := a.Steps(first, 0, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLongGoal reads the summary of a goal with 10,000 steps, and a page of its steps and of its journal.
func BenchmarkLongGoal(b *testing.B) {
	const steps = 10_000
	a, s := openAPI(b)
	id := string(seeded(b, s, steps))
	for _, read := range []struct {
		name string
		do   func() (int, error)
	}{
		{"steps", func() (int, error) { p, err := a.Steps(id, steps-500, 500); return len(p.Steps), err }},
		{"events", func() (int, error) { p, err := a.Events(id, 5*steps, 500); return len(p.Events), err }},
		{"head", func() (int, error) { v, err := a.Get(id); return v.Steps, err }},
		{"transcript", func() (int, error) {
			p, err := a.Transcript(id, calls.TranscriptInput{Offset: 2*steps - 100, Limit: 100})
			return len(p.Entries), err
		}},
		{"transcript search", func() (int, error) {
			p, err := a.Transcript(id, calls.TranscriptInput{Search: "FAIL: Test9999 "})
			return p.Total, err
		}},
		{"plots", func() (int, error) { p, err := a.Plots(id); return len(p.Times), err }},
		{"receipt", func() (int, error) { r, err := a.Receipt(id); return len(r.Claims), err }},
	} {
		b.Run(read.name, func(b *testing.B) {
			for range b.N {
				if n, err := read.do(); err != nil || n == 0 {
					b.Fatal(n, err)
				}
			}
		})
	}
}

func openAPI(b testing.TB) (*calls.GoalAPI, *store.Store) {
	s, err := store.Open(b.Context(), store.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
	})
	return calls.NewGoalAPI(context.Background(), nil, s), s
}

// seeded creates a goal with the given number of steps, and a claim after every hundred of them.
func seeded(b testing.TB, s *store.Store, steps int) goal.ID {
	b.Helper()
	g := &goal.Goal{
		ID: goal.ID(store.NewID()),
		Request: goal.Request{
			Objective: "repair the tests of the shop",
			Provider:  "script",
			Model:     "script",
			Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "make test"}}},
			Policy:    policy.Policy{Risk: policy.WriteLocal, Dir: "/home/person/shop"},
			Limits:    goal.DefaultLimits(),
		},
	}
	if err := s.Goals.Create(b.Context(), g); err != nil {
		b.Fatal(err)
	}
	run, err := s.Journal.Begin(b.Context(), g.ID, 1, &event.Started{})
	if err != nil {
		b.Fatal(err)
	}
	bodies := []event.Body{&event.Message{
		Message: goal.Message{Role: goal.User, Text: "Goal: repair the tests of the shop"},
	}}
	for n := 1; n <= steps; n++ {
		bodies = append(bodies, stepOf(n)...)
		if n%100 == 0 || n == steps {
			claim := (n + 99) / 100
			bodies = append(bodies, &event.Claim{N: claim, Rationale: "the tests pass"},
				&event.Verdict{
					Claim:   claim,
					Verdict: goal.Verdict{Outcome: goal.Fail, Detail: "exited with 2, expected 0", Tail: "FAIL shop/cart"},
				})
		}
	}
	bodies = append(bodies, &event.Paused{
		Exit:   goal.PausedByUser,
		Reason: "seeded",
		Report: []string{"You paused this goal."},
	})
	if err := s.Journal.Append(b.Context(), run, bodies...); err != nil {
		b.Fatal(err)
	}
	return g.ID
}

// stepOf returns the events of one turn with one call.
func stepOf(n int) []event.Body {
	c := goal.Call{
		ID:        fmt.Sprintf("call_%d", n),
		Tool:      "run_command",
		Arguments: fmt.Sprintf(`{"command":"go test ./cart -run Test%d"}`, n),
	}
	result := fmt.Sprintf("exit 1\n<output from=\"the command\">\n--- FAIL: Test%d (0.00s)\n    cart_test.go:%d: got "+
		"3 items, want 2\nFAIL\n</output>", n, n)
	return []event.Body{
		&event.Iteration{N: n},
		&event.Message{
			Message: goal.Message{Role: goal.Assistant, Text: "Let me look at the next one.", Calls: []goal.Call{c}},
		},
		&event.Usage{Usage: goal.Usage{TokensIn: 1000, TokensOut: 40}},
		&event.StepStarted{StepID: n, Tool: c.Tool, Arguments: c.Arguments, Effect: policy.Effect{Risk: policy.WriteLocal}},
		&event.Step{StepID: n, Tool: c.Tool, Outcome: event.Failed, MS: 300, Preview: "exit 1", Result: result},
		&event.Message{Message: goal.Message{Role: goal.ToolRole, CallID: c.ID, Step: n, Text: result}},
	}
}
