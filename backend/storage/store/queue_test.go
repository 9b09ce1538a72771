package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// in makes a goal that works in dir and waits for others.
func in(t *testing.T, s *Store, dir string, risk policy.Risk, after ...goal.ID) *goal.Goal {
	t.Helper()
	g := &goal.Goal{
		ID: goal.ID(NewID()),
		Request: goal.Request{
			Objective: "o",
			Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "true"}}},
			Policy:    policy.Policy{Risk: risk, Dir: dir},
			Options:   goal.Options{After: after},
		},
	}
	if err := s.Goals.Create(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	return g
}

// running begins a goal and holds its lock file, as its owner does.
func running(t *testing.T, s *Store, g *goal.Goal) (goal.Run, *GoalLock) {
	t.Helper()
	own, err := s.Locks.LockGoal(g.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Unlock() })
	run, err := s.Journal.Begin(t.Context(), g.ID, 100, &event.Started{})
	if err != nil {
		t.Fatal(err)
	}
	return run, own
}

// TestQueue_SpansProcesses checks that slots, folders and dependencies count across processes, and that dead runs do
// not count.
func TestQueue_SpansProcesses(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	other := open(t, dir, nil) // another process sees the same
	a := in(t, s, "/w/a", policy.WriteLocal)
	_, own := running(t, s, a)
	wide := &goal.Goal{
		ID: goal.ID(NewID()),
		Request: goal.Request{
			Objective: "o",
			Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: "true"}}},
			Policy:    policy.Policy{Risk: policy.WriteLocal, Dir: "/w/d", AllowWrite: []string{"/tmp/x", "/w/a/deep"}},
		},
	}
	if err := s.Goals.Create(t.Context(), wide); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		g     *goal.Goal
		slots int
		want  string // in the reason, "" if it may begin
	}{
		{"another folder", in(t, s, "/w/b", policy.WriteLocal), 2, ""},
		{"no slot", in(t, s, "/w/b", policy.WriteLocal), 1, "1 goal is already running"},
		{"the same folder", in(t, s, "/w/a", policy.WriteLocal), 3, "same folder"},
		{"a folder below", in(t, s, "/w/a/deep", policy.WriteLocal), 3, "same folder"},
		{"a folder above", in(t, s, "/w", policy.NetworkGet), 3, "same folder"},
		{"a name that begins alike", in(t, s, "/w/ab", policy.WriteLocal), 3, ""},
		{"a reader of the same folder", in(t, s, "/w/a", policy.ReadOnly), 3, ""},
		{"the same folder, as one that it may write in too", wide, 3, "same folder"},
		{"after one that runs", in(t, s, "/w/c", policy.WriteLocal, a.ID), 3, "waits for goal"},
	} {
		busy, err := other.Queue.NotReady(t.Context(), c.g.ID, c.slots)
		if err != nil {
			t.Fatal(err)
		}
		if (busy == nil) != (c.want == "") || busy != nil && !strings.Contains(busy.Reason, c.want) {
			t.Errorf("%s: %+v", c.name, busy)
		}
		if busy == nil {
			continue
		}
		var refused *goal.NotReadyError
		if _, err := other.Journal.Begin(t.Context(), c.g.ID, c.slots, &event.Started{}); !errors.As(err, &refused) ||
			refused.Reason != busy.Reason {
			t.Errorf("%s: it began: %v", c.name, err)
		}
		if row, err := s.Goals.Get(t.Context(), c.g.ID); err != nil || row.Status != goal.Pending || row.RunID != "" {
			t.Errorf("%s: a refused begin left %s %q, %v", c.name, row.Status, row.RunID, err)
		}
	}
	if err := own.Unlock(); err != nil { // its process has died
		t.Fatal(err)
	}
	id := in(t, s, "/w/a", policy.WriteLocal).ID
	if busy, err := other.Queue.NotReady(t.Context(), id, 1); err != nil || busy != nil {
		t.Errorf("a dead run takes a slot: %+v %v", busy, err)
	}
}

// TestQueue_DependencyUnfinished_Waits also checks that a dependency that did not end done is reported.
func TestQueue_DependencyUnfinished_Waits(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	first := in(t, s, "/w/a", policy.WriteLocal)
	next := in(t, s, "/w/b", policy.WriteLocal, first.ID)
	state := func() (string, string) {
		busy, err1 := s.Queue.NotReady(t.Context(), next.ID, 3)
		unmet, err2 := s.Queue.FailedDependency(t.Context(), next.ID)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if busy == nil {
			return "", unmet
		}
		return busy.Reason, unmet
	}
	run, _ := running(t, s, first)
	end := func(e event.Body) {
		t.Helper()
		if err := s.Journal.Append(t.Context(), run, e); err != nil {
			t.Fatal(err)
		}
	}
	end(&event.Paused{Exit: goal.Stuck})
	if waits, unmet := state(); waits == "" || unmet != "" {
		t.Errorf("paused: %q %q", waits, unmet)
	}
	end(&event.Ended{Status: goal.Aborted, Exit: goal.AbortedByUser})
	if waits, unmet := state(); waits != "" || !strings.Contains(unmet, "user_aborted") {
		t.Errorf("aborted: %q %q", waits, unmet)
	}
	var err error
	if run, err = s.Journal.Begin(t.Context(), first.ID, 3, &event.Resumed{}); err != nil {
		t.Fatal(err)
	}
	end(&event.Ended{Status: goal.Completed, Exit: goal.Done})
	if waits, unmet := state(); waits != "" || unmet != "" {
		t.Errorf("done: %q %q", waits, unmet)
	}
	if err := s.Goals.Delete(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	if _, unmet := state(); !strings.Contains(unmet, "deleted") {
		t.Errorf("deleted: %q", unmet)
	}
}

// TestRunHistory_NewRun_KnowsTheEarlierOnes checks the plan, the newest steps that count, and the claims since the goal
// last stopped for the user, although everything happens at the same time.
func TestRunHistory_NewRun_KnowsTheEarlierOnes(t *testing.T) {
	const recentSteps = 40
	now := time.Now()
	s, err := Open(t.Context(), Options{Dir: t.TempDir(), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	g := in(t, s, "/w/a", policy.WriteLocal)
	run, _ := running(t, s, g)
	put := func(bodies ...event.Body) {
		t.Helper()
		if err := s.Journal.Append(t.Context(), run, bodies...); err != nil {
			t.Fatal(err)
		}
	}
	claim := func(n int, by string) {
		put(&event.Claim{
			N:         n,
			Rationale: "r",
			Result:    "s",
			By:        by,
		}, &event.Verdict{Claim: n, Verdict: goal.Verdict{Outcome: goal.Fail, Detail: "d"}})
	}
	claim(1, "")
	put(&event.Paused{Exit: goal.Stuck})
	if run, err = s.Journal.Begin(t.Context(), g.ID, 3, &event.Resumed{}); err != nil {
		t.Fatal(err)
	}
	claim(2, "user")
	put(&event.Usage{Usage: goal.Usage{TokensIn: 900, TokensOut: 9}}, // of the agent
		&event.Usage{Usage: goal.Usage{TokensIn: 70, TokensOut: 5}, By: "critic"},
		&event.Usage{Usage: goal.Usage{TokensIn: 20, TokensOut: 5}, By: "critic"})
	put(&event.Paused{Exit: goal.Interrupted})
	if run, err = s.Journal.Begin(t.Context(), g.ID, 3, &event.Resumed{}); err != nil {
		t.Fatal(err)
	}
	claim(3, "")
	for n := 1; n <= recentSteps+2; n++ {
		put(&event.StepStarted{
			StepID:    n,
			Tool:      "run_command",
			Arguments: "{}",
			Effect:    policy.Effect{Risk: policy.WriteLocal},
		},
			&event.Step{StepID: n, Tool: "run_command", Outcome: event.OK, Result: "r"})
	}
	put(&event.StepStarted{
		StepID:    100,
		Tool:      "write_todos",
		Arguments: "{}",
		Effect:    policy.Effect{Control: true},
	}, &event.Step{StepID: 100, Tool: "write_todos", Outcome: event.OK})
	put(&event.Todos{Items: []goal.Todo{{Text: "old"}}}, &event.Todos{
		Items: []goal.Todo{{Text: "new", Done: true}}, Notes: []goal.Note{{N: 2, Text: "kept"}},
	})
	p, err := s.History.RunHistory(t.Context(), g.ID, recentSteps)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Todos) != 1 || p.Todos[0] != (goal.Todo{Text: "new", Done: true}) {
		t.Errorf("todos %v", p.Todos)
	}
	if len(p.Notes) != 1 || p.Notes[0] != (goal.Note{N: 2, Text: "kept"}) {
		t.Errorf("notes %v", p.Notes)
	}
	if p.CriticTokens != 100 {
		t.Errorf("the critic cost %d tokens", p.CriticTokens)
	}
	if len(p.Steps) != recentSteps || p.Steps[0].N != 3 || p.Steps[recentSteps-1].N != recentSteps+2 {
		t.Errorf("%d steps from %d", len(p.Steps), p.Steps[0].N)
	}
	if len(p.Claims) != 2 || p.Claims[0].By != "user" || p.Last.N != 3 || len(p.Last.Verdicts) != 1 ||
		p.Last.Rationale != "r" {
		t.Errorf("claims %+v, last %+v", p.Claims, p.Last)
	}
}

// TestReadEvidence_OtherGoal_IsNotFound checks that a handle finds only evidence of its own goal.
func TestReadEvidence_OtherGoal_IsNotFound(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g, other := in(t, s, "/w/a", policy.WriteLocal), in(t, s, "/w/b", policy.WriteLocal)
	run, _ := running(t, s, g)
	long := strings.Repeat("all of it ", 10_000)
	err := s.Journal.Append(t.Context(), run,
		&event.StepStarted{StepID: 1, Tool: "t"}, &event.Step{StepID: 1, Tool: "t", Outcome: event.OK, Result: "short"},
		&event.StepStarted{StepID: 2, Tool: "t"}, &event.Step{
			StepID:  2,
			Tool:    "t",
			Outcome: event.OK,
			Result:  "cut",
			Whole:   []byte(long),
		},
		&event.Claim{N: 1}, &event.Verdict{
			Claim:   1,
			Verdict: goal.Verdict{Outcome: goal.Fail, Detail: "d", Output: []byte("output"), Bytes: 6},
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	for handle, want := range map[string]string{"step:1": "short", "step:2": long, "check:1@1": "output"} {
		if got, err := s.Artifacts.ReadEvidence(t.Context(), g.ID, handle); err != nil || string(got) != want {
			t.Errorf("%s: %d bytes, %v", handle, len(got), err)
		}
		if _, err := s.Artifacts.ReadEvidence(t.Context(), other.ID, handle); !errors.Is(err, goal.ErrNotFound) {
			t.Errorf("%s of another goal: %v", handle, err)
		}
	}
	for _, handle := range []string{
		"", "step:3", "step:1x", "step:-1", "check:2@1", "check:1@2", "../../etc/passwd",
		"step:1 OR 1",
	} {
		if _, err := s.Artifacts.ReadEvidence(t.Context(), g.ID, handle); !errors.Is(err, goal.ErrNotFound) {
			t.Errorf("%q: %v", handle, err)
		}
	}
	err = s.Journal.Append(t.Context(), run, &event.Ended{Status: goal.Aborted, Exit: goal.AbortedByUser})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Goals.Delete(t.Context(), g.ID); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(long))
	if _, err := s.Artifacts.Artifact(hex.EncodeToString(sum[:])); err == nil {
		t.Error("the whole result outlived its goal")
	}
}

// TestRunHistory_ClaimsAreComplete checks that claims have their reviews, that a claim without checks has the verdicts
// of the one before, and that an interrupted one has none.
func TestRunHistory_ClaimsAreComplete(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g := in(t, s, "/w/a", policy.WriteLocal)
	run, _ := running(t, s, g)
	err := s.Journal.Append(t.Context(), run,
		&event.Claim{N: 1}, &event.Verdict{Claim: 1, Verdict: goal.Verdict{Outcome: goal.Pass}},
		&event.Review{
			Claim:  1,
			Review: goal.Review{Reason: "no colour"},
		}, &event.VerificationFailed{Claim: 1, Detail: "no colour"},
		&event.Claim{N: 2}, &event.VerificationFailed{Claim: 2, Detail: "nothing was done"},
		&event.Claim{N: 3})
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.History.RunHistory(t.Context(), g.ID, 1)
	if err != nil || len(p.Claims) != 3 {
		t.Fatalf("%+v, %v", p.Claims, err)
	}
	for i, want := range []string{"no colour", "no colour", ""} {
		c := p.Claims[i]
		if (c.Review != nil) != (want != "") || c.Review != nil && c.Review.Reason != want ||
			len(c.Verdicts) != min(1, len(want)) {
			t.Errorf("claim %d: %+v", c.N, c)
		}
	}
}
