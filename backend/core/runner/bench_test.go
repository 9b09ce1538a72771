package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/core/verify"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/storage/store"
)

// BenchmarkStep measures the runner's own cost of a step: the model and the tool answer at once, and every commit is
// durable. The cost must not grow with the goal's earlier steps or with the number of goals.
func BenchmarkStep(b *testing.B) {
	for _, goals := range []int{1, 1000} {
		for _, before := range []int{10, 1_000, 10_000} {
			b.Run(fmt.Sprintf("goals=%d/at=%d", goals, before), func(b *testing.B) { benchmarkStep(b, goals, before) })
		}
	}
}

// BenchmarkStepInFolder measures the same with a real folder: before each turn the host checks whether a file that
// decides has changed.
func BenchmarkStepInFolder(b *testing.B) {
	for _, files := range []int{20_000, 190_000} {
		dir := b.TempDir()
		for i := range files {
			folder := filepath.Join(dir, fmt.Sprintf("p%d/d%d", i/10_000, i/100))
			if err := errors.Join(os.MkdirAll(folder, 0o700),
				os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), nil, 0o600)); err != nil {
				b.Fatal(err)
			}
		}
		w, err := verify.OpenFolderState(b.Context(), verify.Options{
			Dir:       dir,
			Private:   filepath.Join(b.TempDir(), "kept"),
			Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "pytest"}}},
		})
		if err != nil {
			b.Fatal(err)
		}
		time.Sleep(3 * time.Second) // new files are read again, because their times do not prove yet that they are unchanged
		if _, err := w.Tampered(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) { benchmarkStepIn(b, &moving{FolderState: w}, 1, 10) })
	}
}

// moving is a folder state whose fingerprint is always new, so that the goal is never stuck.
type moving struct {
	runner.FolderState
	looks int
}

func (m *moving) Fingerprint(ctx context.Context) (print, unseen string, err error) {
	print, unseen, err = m.FolderState.Fingerprint(ctx)
	m.looks++
	return fmt.Sprint(print, m.looks), unseen, err
}

func benchmarkStep(b *testing.B, goals, before int) { benchmarkStepIn(b, nil, goals, before) }

func benchmarkStepIn(b *testing.B, world runner.FolderState, goals, before int) {
	s, err := store.Open(b.Context(), store.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	for range goals - 1 {
		finished(b, s, 10)
	}
	g := finished(b, s, before)
	m := &instant{b: b}
	r := runner.New(runner.Config{
		Store: storeOf(s),
		Open: func(context.Context, goal.Goal, goal.Run, func(string, string)) (runner.Session, error) {
			return bare{m, world}, nil
		},
		Publish: func(event.Event) {}, Clock: clock{}, Log: slog.New(slog.DiscardHandler), Slots: 1,
		Disk: func() (uint64, error) { return 1 << 40, nil },
	})
	if err := r.Start(b.Context(), g, func() {}, &event.Resumed{}); err != nil {
		b.Fatal(err)
	}
	<-r.Done(g.ID)
	row, err := s.Goals.Get(b.Context(), g.ID)
	if err != nil || row.Exit != goal.GaveUp || row.Spent.Steps != before+b.N+2 {
		b.Fatalf("%s/%s after %d steps, %v: %q", row.Status, row.Exit, row.Spent.Steps, err, row.Report)
	}
	b.ReportMetric(float64(m.used.Microseconds())/1000/float64(b.N), "cpu-ms/op")
	if err := errors.Join(r.Close(context.Background()), s.Close()); err != nil {
		b.Fatal(err)
	}
}

// finished returns a paused goal with the given number of steps, one in each turn.
func finished(b *testing.B, s *store.Store, steps int) goal.Goal {
	b.Helper()
	g := &goal.Goal{
		ID: goal.ID(store.NewID()),
		Request: goal.Request{
			Objective: "continue",
			Provider:  "script",
			Model:     "script",
			Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "false"}}},
			Policy:    policy.Policy{Risk: policy.WriteLocal, Dir: b.TempDir()},
		},
	}
	if err := s.Goals.Create(b.Context(), g); err != nil {
		b.Fatal(err)
	}
	run, err := s.Journal.Begin(b.Context(), g.ID, 1, &event.Started{})
	if err != nil {
		b.Fatal(err)
	}
	bodies := []event.Body{&event.Message{Message: goal.Message{Role: goal.User, Text: "Goal: continue"}}}
	for n := 1; n <= steps; n++ {
		bodies = append(bodies, step(n)...)
	}
	bodies = append(bodies, &event.Paused{Exit: goal.Interrupted, Reason: "seeded", Report: []string{"seeded"}})
	if err := s.Journal.Append(b.Context(), run, bodies...); err != nil {
		b.Fatal(err)
	}
	row, err := s.Goals.Get(b.Context(), g.ID)
	if err != nil {
		b.Fatal(err)
	}
	return row.Goal
}

// step returns the events of one turn with one call.
func step(n int) []event.Body {
	c := goal.Call{ID: fmt.Sprintf("call_%d", n), Tool: "nod", Arguments: fmt.Sprintf(`{"n":%d}`, n)}
	text := fmt.Sprintf("nodded %d", n)
	return []event.Body{
		&event.Iteration{N: n},
		&event.Message{Message: goal.Message{Role: goal.Assistant, Calls: []goal.Call{c}}},
		&event.Usage{Usage: goal.Usage{TokensIn: 1000, TokensOut: 10}},
		&event.StepStarted{StepID: n, Tool: c.Tool, Arguments: c.Arguments, Effect: policy.Effect{Risk: policy.WriteLocal}},
		&event.Step{StepID: n, Tool: c.Tool, Outcome: event.OK, MS: 1, Preview: text, Result: text},
		&event.Message{Message: goal.Message{Role: goal.ToolRole, CallID: c.ID, Step: n, Text: text}},
	}
}

// instant is a model that calls the tool b.N+1 times and then gives up.
type instant struct {
	b    *testing.B
	n    int
	used time.Duration // processor time, which is more exact than wall-clock time on a busy machine
}

// processors returns the processor time that this process has used so far.
func processors(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func (i *instant) Turn(_ context.Context, t goal.Turn, _ func(string)) (goal.Reply, error) {
	if i.n == 1 { // the first turn is over, so the run has restored the earlier steps
		i.used = -processors(i.b)
		i.b.ResetTimer()
	}
	i.n++
	c := goal.Call{ID: "c", Tool: "nod", Arguments: fmt.Sprintf(`{"n":%d}`, len(t.Messages))}
	if i.n == i.b.N+2 {
		i.b.StopTimer()
		i.used += processors(i.b)
		c = goal.Call{ID: "c", Tool: "leave", Arguments: "{}"}
	}
	return goal.Reply{Calls: []goal.Call{c}, Usage: goal.Usage{TokensIn: 1000, TokensOut: 10}}, nil
}

// bare is a session with two tools and no judge.
type bare struct {
	model *instant
	world runner.FolderState
}

func (b bare) Models() runner.Models {
	return runner.Models{Agent: b.model, Window: 128_000}
}

func (bare) Tools() []runner.Tool                   { return []runner.Tool{nod{"nod"}, nod{"leave"}} }
func (bare) Judge() runner.Verifier                 { return nil }
func (b bare) Folder() runner.FolderState           { return b.world }
func (bare) Close(context.Context, goal.Exit) error { return nil }

// nod is a tool that answers at once. Under the name leave, it gives up.
type nod struct{ name string }

func (n nod) Spec() goal.ToolSpec {
	return goal.ToolSpec{Name: n.name, Schema: json.RawMessage(`{"type":"object"}`)}
}

func (n nod) Effect(context.Context, json.RawMessage) (policy.Effect, error) {
	return policy.Effect{Risk: policy.WriteLocal, Control: n.name == "leave"}, nil
}

func (n nod) Do(ctx context.Context, args json.RawMessage) goal.Result {
	if run, ok := goal.RunOf(ctx); ok && n.name == "leave" {
		run.Control.GiveUp("enough", "-")
	}
	return goal.Result{OK: true, Text: "nodded " + string(args)}
}
