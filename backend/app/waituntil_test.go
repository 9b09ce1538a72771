package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/config"
)

// awaitWhileJumping awaits an event while the time of waiting goals passes quickly. That of goals that work does not:
// on a busy machine their work would take hours.
func (p *program) awaitWhileJumping(c *jumpClock, what string, fits func(event.Event) bool) event.Event {
	p.Helper()
	const tick = 5 * time.Second // of a goal that waits for a condition
	stop, jumps := make(chan struct{}), sync.WaitGroup{}
	jumps.Go(func() {
		for {
			<-time.After(time.Millisecond) // a look takes real time, and must end long before the limit
			counts, err := p.app.Store().Goals.Counts(p.Context())
			if err == nil && counts[goal.Running] > 0 {
				continue
			}
			if c.jumpUnless(stop, tick) == 0 {
				return
			}
		}
	})
	defer jumps.Wait()
	defer close(stop)
	return p.await(what, fits)
}

// waitsFor waits until a goal waits for a condition.
func (p *program) waitsFor(id, words string) {
	p.Helper()
	b, ok := p.ended(id).Body.(*event.Paused)
	if !ok || b.Exit != goal.WaitingForCondition || !strings.Contains(b.Reason, words) {
		p.Fatalf("it does not wait: %+v", b)
	}
	row, err := p.goal.Get(id)
	if err != nil || row.Status != goal.Paused || row.ParkedUntil == "" {
		p.Fatalf("%+v, %v", row, err)
	}
}

func isEnd(e event.Event) bool {
	_, isPaused := e.Body.(*event.Paused)
	_, isEnded := e.Body.(*event.Ended)
	return isPaused || isEnded
}

// TestWaitUntil_ServerAndRestart_WakesWithWhatHappened: a program that the goal started lives on while it waits, and
// ends with the process. The wait itself survives that.
func TestWaitUntil_ServerAndRestart_WakesWithWhatHappened(t *testing.T) {
	t.Parallel()
	home, dir, clock := t.TempDir(), t.TempDir(), newJumpClock(t)
	server := modeltest.New(t, turns(
		call("terminal_open", `{}`),
		call("terminal_run", `{"pane":"t1","command":"sh -c 'echo $$ > pid; exec sleep 1000'","wait_seconds":1}`),
		call("wait_until", `{"for":"CI of pull request 12","command":"cat log; test -f green","limit_seconds":604800}`),
		call("run_command", `{"command":"kill -0 $(cat pid) && touch alive"}`),
		call("wait_until", `{"for":"the second build","file":"built","limit_seconds":604800}`),
		call("run_command", `{"command":"kill -0 $(cat pid) || touch done.txt"}`),
		call("claim_complete", `{"rationale":"it was built"}`),
	))
	var id string
	t.Run("before", func(t *testing.T) {
		p := startWith(t, home, clock)
		must(t, p.cfg.SaveProvider(config.Provider{ID: "test", Kind: config.OpenAI, BaseURL: server.URL, Model: "m"}))
		in := goal.Request{Objective: "make done.txt"}
		in.Checks, in.Policy.Dir = shell("test -f done.txt"), dir
		out, err := p.goal.Start(in)
		must(t, err)
		id = out.GoalID
		p.waitsFor(id, "Waiting: CI of pull request 12 · looks every 1 m")
		must(t, os.WriteFile(filepath.Join(dir, "log"), []byte("all green"), 0o600))
		must(t, os.WriteFile(filepath.Join(dir, "green"), nil, 0o600))
		e := p.awaitWhileJumping(clock, "second wait", isEnd)
		if b, ok := e.Body.(*event.Paused); !ok || !strings.Contains(b.Reason, "the second build") {
			t.Fatalf("it ended with %+v", e.Body)
		}
		if _, err := os.Stat(filepath.Join(dir, "alive")); err != nil {
			t.Error("the program that the goal had started was gone after the first wait")
		}
	})
	p := startWith(t, home, clock)
	must(t, p.app.Goals.Recover(t.Context()))
	must(t, os.WriteFile(filepath.Join(dir, "built"), nil, 0o600))
	e := p.awaitWhileJumping(clock, "end", isEnd)
	if b, ok := e.Body.(*event.Ended); !ok || b.Exit != goal.Done {
		t.Fatalf("it ended with %+v", e.Body)
	}
	var results []string
	requests := server.Requests()
	for _, m := range requests[len(requests)-1].Messages {
		if m.Role == goal.ToolRole && strings.Contains(m.Text, "the condition is met") {
			results = append(results, m.Text)
		}
	}
	if len(requests) != 7 || len(results) != 2 || !strings.Contains(results[0], "all green") ||
		strings.Contains(results[0], "restarted") || !strings.Contains(results[1], "restarted in between") {
		t.Errorf("%d requests, with the results %q", len(requests), results)
	}
}
