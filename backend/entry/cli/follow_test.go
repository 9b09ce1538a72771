package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/store"
)

// TestFollow_GoalStops_Ends checks that events --follow ends for a stopped goal, even if a lease ended after the pause,
// but not for a goal that waits to continue.
func TestFollow_GoalStops_Ends(t *testing.T) {
	var broker event.Broker
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir(), Publish: broker.Publish})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	g := &goal.Goal{
		ID: goal.ID(store.NewID()),
		Request: goal.Request{
			Objective: "rest",
			Provider:  "script",
			Model:     "script",
			Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "false"}}},
			Policy:    policy.Policy{Risk: policy.WriteLocal, Dir: t.TempDir()},
		},
	}
	if err := s.Goals.Create(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	run, err := s.Journal.Begin(t.Context(), g.ID, 1, &event.Started{})
	if err != nil {
		t.Fatal(err)
	}
	add := func(bodies ...event.Body) {
		t.Helper()
		if err := s.Journal.Append(t.Context(), run, bodies...); err != nil {
			t.Fatal(err)
		}
	}
	ends := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), waittest.Scale(time.Minute))
		defer cancel()
		r := readCommands{Program{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}}
		if err := r.follow(ctx, s, broker.SubscribeReliable, string(g.ID)); err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		return ctx.Err() == nil
	}
	add(&event.Lease{Pane: "t1", Kind: pane.Terminal, Held: true},
		&event.Paused{Exit: goal.PausedByUser, Reason: "the user paused the goal", Report: []string{"-"}})
	if err := s.Journal.ReleaseLease(t.Context(), g.ID, "t1"); err != nil {
		t.Fatal(err)
	}
	if !ends() {
		t.Error("it continues after a lease was given back in the pause")
	}
	add(&event.Queued{Reason: "3 goals are already running"})
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	go func() {
		r := readCommands{Program{Stdout: in, Stderr: &bytes.Buffer{}}}
		_ = in.CloseWithError(r.follow(ctx, s, broker.SubscribeReliable, string(g.ID)))
	}()
	lines := bufio.NewScanner(out)
	printed := func(text string) bool {
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return true
			}
		}
		return false
	}
	if !printed("3 goals are already running") {
		t.Error("it does not print why the goal waits")
	}
	add(&event.Queued{Reason: "2 goals are already running"})
	if !printed("2 goals are already running") {
		t.Error("it ends although the goal waits in the queue")
	}
	cancel()
	if _, err := io.Copy(io.Discard, out); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	add(&event.Queued{Reason: "the user paused the goal", Left: goal.PausedByUser})
	if !ends() {
		t.Error("it continues although the goal has left the queue")
	}
}
