package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
)

// TestRecheckPreflight_AfterTheQueue_FindsChanges: if another goal has changed the result of a check, the user is asked
// before the first turn. A goal that the user resumes continues.
func TestRecheckPreflight_AfterTheQueue_FindsChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		command      string // of the second goal
		allow        bool
		made, reason string // the file that the first goal creates in the common folder
		asked        bool
	}{
		"passes already":           {command: "test -f made", made: "made", asked: true, reason: "it already passes"},
		"as it was":                {command: "test -f never", made: "made"},
		"passes, and may do so":    {command: "test -f made", made: "made", allow: true},
		"its program is not there": {command: "nosuchprogram", made: "made", allow: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, t.TempDir())
			dir := t.TempDir()
			hold := make(chan struct{})
			var turns atomic.Int64 // of the second goal
			p.provide(func(_ int, r modeltest.Request) modeltest.Answer {
				if strings.Contains(r.Messages[1].Text, "Goal: first") {
					return modeltest.Answer{Text: "waiting", Wait: hold, Calls: []goal.Call{
						{
							Tool:      "write_file",
							Arguments: `{"path":"` + test.made + `","content":"x"}`,
						}, {Tool: "claim_complete", Arguments: `{"rationale":"done"}`},
					}}
				}
				turns.Add(1)
				return call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)
			})
			first, err := p.goal.Start(goal.Request{
				Objective: "first",
				Criterion: goal.Criterion{Checks: shell("test -f " + test.made)},
				Policy:    policy.Policy{Dir: dir},
				Options:   goal.Options{CriticEvery: goal.NoLimit},
			})
			if err != nil {
				t.Fatal(err)
			}
			p.await("the first goal's run", func(e event.Event) bool { _, ok := e.Body.(*event.Started); return ok })
			second, err := p.goal.Start(goal.Request{
				Objective: "second",
				Criterion: goal.Criterion{Checks: shell(test.command)},
				Policy:    policy.Policy{Dir: dir},
				Options:   goal.Options{CriticEvery: goal.NoLimit, AllowPassing: test.allow, AllowMissing: test.allow},
			})
			if err != nil {
				t.Fatal(err)
			}
			p.await("the queue", func(e event.Event) bool { _, ok := e.Body.(*event.Queued); return ok })
			close(hold)
			p.ended(first.GoalID)
			if test.asked {
				e, ok := p.ended(second.GoalID).Body.(*event.Paused)
				if !ok || e.Exit != goal.NeedsUser || !strings.Contains(e.Reason, test.reason) || turns.Load() != 0 {
					t.Fatalf("%+v after %d turns", e, turns.Load())
				}
				if ok, err := p.goal.Resume(second.GoalID, api.ResumeInput{}); !ok || err != nil {
					t.Fatal(err)
				}
			}
			if e, ok := p.ended(second.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp || turns.Load() != 1 {
				t.Errorf("%+v after %d turns", e, turns.Load())
			}
		})
	}
}

// TestStart_AfterATry_DoesNotRunTheCheckAgain, unless something that the check used has changed.
func TestStart_AfterATry_DoesNotRunTheCheckAgain(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(gaveUp())
	check := shell("cat input.txt; date +%s%N > stamp; test -f done.txt")[0]
	for name, test := range map[string]struct {
		try    func(api.TryInput) (api.TryOutput, error)
		change string // a file that changes after the try
		again  bool
	}{
		"tried":                                  {try: p.goal.Try},
		"suggested, tried in a copy":             {try: p.goal.TrySuggested},
		"tried, then an input changed":           {p.goal.Try, "input.txt", true},
		"suggested, then what was missing is it": {p.goal.TrySuggested, "done.txt", true},
		"tried, then another file changed":       {p.goal.Try, "other.txt", false},
	} {
		dir := t.TempDir()
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		stamp := func() string {
			b, _ := os.ReadFile(filepath.Join(dir, "stamp"))
			return string(b)
		}
		write("input.txt", "1")
		request := goal.Request{
			Objective: "-",
			Criterion: goal.Criterion{Checks: []goal.Check{check}},
			Policy:    policy.Policy{Dir: dir},
			Options:   goal.Options{AllowPassing: true},
		}
		if out, err := test.try(api.TryInput{Request: request, Check: check}); err != nil || out.Outcome != "fails_now" {
			t.Fatalf("%s: %+v, %v", name, out, err)
		}
		before := stamp()
		if test.change != "" {
			write(test.change, "2")
		}
		out, err := p.goal.Start(request)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		p.ended(out.GoalID)
		if again := stamp() != before; again != test.again {
			t.Errorf("%s: the start ran the check again: %v", name, again)
		}
	}
}
