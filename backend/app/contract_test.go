package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// gaveUp returns a model that gives up in its first turn.
func gaveUp() modeltest.Script {
	return turns(call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`))
}

func (p *program) refused(in goal.Request, field string) {
	p.Helper()
	if in.Objective == "" {
		in.Objective = "x"
	}
	if in.Checks == nil {
		in.Checks = shell("test -f never")
	}
	_, err := p.goal.Start(in)
	if err == nil {
		p.Errorf("%+v was accepted", in)
		return
	}
	if problem := api.ToProblem(err); problem.Code != fault.Refused || problem.Field != field || problem.Hint == "" {
		p.Errorf("%s: %+v", field, problem)
	}
}

// TestStart_InvalidInput_NamesTheField: the error also says what to do.
func TestStart_InvalidInput_NamesTheField(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(gaveUp())
	p.refused(goal.Request{Options: goal.Options{Persona: "pirate"}}, "persona")
	p.refused(goal.Request{Options: goal.Options{CriticEvery: -3}}, "critic_every")
	p.refused(goal.Request{Options: goal.Options{Critic: "nobody"}}, "critic")
	p.refused(goal.Request{Options: goal.Options{Judge: "nobody"}}, "judge")
	p.refused(goal.Request{Options: goal.Options{Review: "sometimes"}}, "review")
	p.refused(goal.Request{Options: goal.Options{OnAsk: "shrug"}}, "on_ask")
	p.refused(goal.Request{Options: goal.Options{Protect: []string{"../secrets"}}}, "protect")
	p.refused(goal.Request{Options: goal.Options{NoProtect: []string{"[a"}}}, "protect")
	p.refused(goal.Request{Options: goal.Options{After: []goal.ID{"01unknown"}}}, "after")
	p.refused(goal.Request{Options: goal.Options{Panes: []string{"t9"}}}, "panes")
	p.refused(
		goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.File, Path: "/etc/passwd"}}}},
		"criterion",
	)
	p.refused(
		goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.HTTP, URL: "localhost"}}}},
		"criterion",
	)
	p.refused(goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{{Type: "guess"}}}}, "criterion")
	if list, err := p.goal.List(calls.ListInput{}); err != nil || len(list.Goals) != 0 {
		t.Errorf("%d goals, %v", len(list.Goals), err)
	}
}

// TestUserChoices_AreFrozenWithTheGoal also checks the defaults of a goal without choices.
func TestUserChoices_AreFrozenWithTheGoal(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(gaveUp())
	plain, err := p.goal.Start(goal.Request{
		Objective: "x",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(plain.GoalID)
	v, err := p.goal.Get(plain.GoalID)
	if err != nil || v.Options.CriticEvery != goal.DefaultCriticEvery || v.Reviewed || v.MaxClaims != 5 {
		t.Errorf("defaults: %+v, reviewed %v, claims %d, %v", v.Options, v.Reviewed, v.MaxClaims, err)
	}
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "tests"), 0o700),
		os.WriteFile(filepath.Join(dir, "tests", "golden"), []byte("1"), 0o600)); err != nil {
		t.Fatal(err)
	}
	in := goal.Request{
		Objective: "x",
		Policy:    policy.Policy{Dir: dir, RequireSteps: true},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options: goal.Options{
			CriticEvery: goal.NoLimit,
			Review:      goal.ReviewAlways,
			Persona:     "tester",
			Protect:     []string{"tests/**"},
			NoProtect:   []string{"tests/tmp"},
			OnAsk:       "deny",
		},
	}
	chosen, err := p.goal.Start(in)
	if err != nil {
		t.Fatal(err)
	}
	p.ended(chosen.GoalID)
	v, err = p.goal.Get(chosen.GoalID)
	if err != nil {
		t.Fatal(err)
	}
	o := v.Options
	if o.CriticEvery != 0 || !v.Reviewed || !v.Policy.RequireSteps || o.Persona != "tester" || o.OnAsk != "deny" ||
		len(o.Protect) != 1 || len(o.NoProtect) != 1 || len(v.Checks) != 1 {
		t.Errorf("%+v %+v", o, v)
	}
}

// TestStart_WithDependencies_WaitsUntilTheyAreDone: the goal begins when the goals that it depends on are completed.
func TestStart_WithDependencies_WaitsUntilTheyAreDone(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	hold := make(chan struct{})
	p.provide(func(_ int, r modeltest.Request) modeltest.Answer {
		if strings.Contains(r.Messages[len(r.Messages)-1].Text, "first") {
			return modeltest.Answer{Text: "waiting", Wait: hold, Calls: []goal.Call{
				{
					Tool:      "write_file",
					Arguments: `{"path":"done.txt","content":"x"}`,
				}, {Tool: "claim_complete", Arguments: `{"rationale":"done"}`},
			}}
		}
		return call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)
	})
	first, err := p.goal.Start(goal.Request{
		Objective: "first",
		Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
	})
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.goal.Start(goal.Request{
		Objective: "second",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{After: []goal.ID{goal.ID(first.GoalID[18:]), goal.ID(first.GoalID)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	queued := p.await("the queue", func(e event.Event) bool {
		_, ok := e.Body.(*event.Queued)
		return ok && string(e.GoalID) == second.GoalID
	})
	if q, ok := queued.Body.(*event.Queued); !ok || !strings.Contains(q.Reason, goal.ID(first.GoalID).Short()) {
		t.Errorf("%+v", queued.Body)
	}
	v, err := p.goal.Get(second.GoalID)
	if err != nil || len(v.Options.After) != 1 || string(v.Options.After[0]) != first.GoalID {
		t.Errorf("after %v, %v", v.Options.After, err)
	}
	close(hold)
	if e, ok := p.ended(first.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.Done {
		t.Fatalf("%+v", e)
	}
	if e, ok := p.ended(second.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
}

func (p *program) terminals() *calls.TerminalAPI {
	for _, area := range p.app.BoundAPIs(p.Context()) {
		if t, ok := area.(*calls.TerminalAPI); ok {
			return t
		}
	}
	p.Fatal("no terminals")
	return nil
}

// TestManualCheck_WaitsForTheUser: a rejected goal continues, an accepted one is completed.
func TestManualCheck_WaitsForTheUser(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(func(_ int, r modeltest.Request) modeltest.Answer {
		if n := len(r.Messages); n > 0 && strings.Contains(r.Messages[n-1].Text, "make it blue") {
			return modeltest.Answer{Calls: []goal.Call{
				{
					Tool:      "write_file",
					Arguments: `{"path":"colour","content":"blue"}`,
				}, {Tool: "claim_complete", Arguments: `{"rationale":"blue now"}`},
			}}
		}
		return modeltest.Answer{Calls: []goal.Call{
			{
				Tool:      "write_file",
				Arguments: `{"path":"colour","content":"red"}`,
			}, {Tool: "claim_complete", Arguments: `{"rationale":"red"}`},
		}}
	})
	out, err := p.goal.Start(goal.Request{
		Objective: "paint it",
		Options:   goal.Options{CriticEvery: goal.NoLimit, Review: goal.ReviewNever},
		Criterion: goal.Criterion{
			Checks: append(shell("test -f colour"), goal.Check{Type: goal.Manual, Note: "the colour", Wait: true}),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	waits := func() {
		t.Helper()
		if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.NeedsUser {
			t.Fatalf("%+v", e)
		}
		if v, err := p.goal.Get(out.GoalID); err != nil || !v.Waits {
			t.Fatalf("waits %v, %v", v.Waits, err)
		}
	}
	waits()
	if _, err := p.goal.Reject(out.GoalID, " "); api.ToProblem(err).Field != "note" {
		t.Errorf("an empty note: %v", err)
	}
	if ok, err := p.goal.Reject(out.GoalID, "make it blue"); !ok || err != nil {
		t.Fatal(err)
	}
	waits()
	if ok, err := p.goal.Accept(out.GoalID); !ok || err != nil {
		t.Fatal(err)
	}
	e, ok := p.ended(out.GoalID).Body.(*event.Ended)
	if !ok || e.Exit != goal.Done {
		t.Fatalf("%+v", e)
	}
	if _, err := p.goal.Accept(out.GoalID); api.ToProblem(err).Code != fault.Conflict {
		t.Errorf("accepted twice: %v", err)
	}
	r, err := p.goal.Receipt(out.GoalID)
	if err != nil {
		t.Fatal(err)
	}
	last := r.Claims[len(r.Claims)-1]
	if last.By != "user" || !last.Deciding {
		t.Errorf("%+v", last)
	}
}

// TestRecheck_AfterChanges_FindsThem: the frozen checks run again, and changed evidence and files are found.
func TestRecheck_AfterChanges_FindsThem(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(turns(call("write_file", `{"path":"done.txt","content":"x"}`),
		call("claim_complete", `{"rationale":"done"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "create done.txt",
		Options:   goal.Options{Review: goal.ReviewNever},
		Criterion: goal.Criterion{
			Checks: append([]goal.Check{{Type: goal.Manual, Note: "fine"}}, shell("echo looked; test -f done.txt")...),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	got, err := p.goal.Recheck(out.GoalID)
	if err != nil || !got.Passed || len(got.Verdicts) != 1 || got.Verdicts[0].Check != 1 {
		t.Fatalf("%+v %v", got, err)
	}
	v, err := p.goal.Get(out.GoalID)
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := p.goal.Receipt(out.GoalID)
	if err != nil {
		t.Fatal(err)
	}
	evidence := ""
	for _, v := range receipt.Claims[0].Verdicts {
		evidence += v.Evidence
	}
	kept := filepath.Join(p.cfg.State(), "artifacts", evidence[:2], evidence)
	was, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func() error{func() error {
		return os.WriteFile(kept, []byte("forged"), 0o600)
	}, func() error { return os.Remove(kept) }} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if got, err := p.goal.Recheck(out.GoalID); err != nil || got.Passed || got.Open || len(got.Faults) != 1 {
			t.Errorf("the evidence was changed: %+v %v", got, err)
		}
	}
	if err := os.WriteFile(kept, was, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(v.Policy.Dir, "done.txt")); err != nil {
		t.Fatal(err)
	}
	if got, err = p.goal.Recheck(out.GoalID); err != nil || got.Passed {
		t.Fatalf("%+v %v", got, err)
	}
	after, err := p.goal.Get(out.GoalID)
	if err != nil || after.AssuranceWords != "Done, checks fail now" || after.CheckStates[1].Outcome != goal.Fail ||
		after.CheckStates[0].Outcome != goal.Pass || after.ChecksPassed != 1 {
		t.Errorf("the goal does not say that its check fails now: %+v, %v", after, err)
	}
	if r, err := p.goal.Receipt(out.GoalID); err != nil || !reflect.DeepEqual(r.Claims, receipt.Claims) {
		t.Errorf("a recheck changed the claims of the receipt: %+v, %v", r.Claims, err)
	}
}

// TestQueue_AfterARestart_Continues: a window adopts a goal that waited when its process ended.
func TestQueue_AfterARestart_Continues(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := start(t, home)
	p.provide(gaveUp())
	g := &goal.Goal{
		ID: goal.ID(store.NewID()),
		Request: goal.Request{
			Objective: "wait",
			Provider:  "test",
			Model:     "m",
			Limits:    goal.DefaultLimits(),
		},
	}
	g.Criterion.Checks, g.Policy.Risk, g.Policy.Dir = shell("test -f never"), "write_local", t.TempDir()
	if err := p.app.Store().Goals.Create(t.Context(), g); err != nil { // pending, and no process has it
		t.Fatal(err)
	}
	if err := p.app.Goals.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(string(g.ID)).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
}

// TestProposal_OfAFolder_HasNoEffect: a start without checks does not use the folder's proposal.
func TestProposal_OfAFolder_HasNoEffect(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(gaveUp())
	dir := t.TempDir()
	if _, err := p.goal.Proposal(dir); api.ToProblem(err).Code != fault.NotFound {
		t.Errorf("no proposal: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".goalpost"), 0o755); err != nil {
		t.Fatal(err)
	}
	text := "checks:\n  - {type: file, path: a.txt}\n  - {type: http, url: 'http://shop.example/cart'}\n"
	if err := os.WriteFile(filepath.Join(dir, ".goalpost", "done.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("Be brief."), 0o644); err != nil {
		t.Fatal(err)
	}
	if files, err := p.goal.Instructions(dir); err != nil || len(files) != 1 ||
		files[0] != (api.InstructionFile{Path: "AGENTS.md", Bytes: 9}) {
		t.Errorf("the instructions are %+v, %v", files, err)
	}
	got, err := p.goal.Proposal(dir)
	if err != nil || got.Text != text || len(got.Checks) != 2 || got.Checks[0].Path != "a.txt" ||
		!slices.Equal(got.Hosts, []string{"shop.example"}) || !strings.Contains(got.Words, "a.txt") {
		t.Errorf("%+v %v", got, err)
	}
	p.refused(goal.Request{
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: []goal.Check{}},
	}, "criterion") // the proposal is never used implicitly
}

// TestFolders_AfterAGoal_OffersItsFolder, and creates one that is missing.
func TestFolders_AfterAGoal_OffersItsFolder(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(gaveUp())
	dir := t.TempDir()
	for _, in := range []string{dir, dir, ""} { // the last one gets a folder of its own, which is not offered again
		out, err := p.goal.Start(goal.Request{
			Objective: "-",
			Policy:    policy.Policy{Dir: in},
			Criterion: goal.Criterion{Checks: shell("test -f never")},
		})
		if err != nil {
			t.Fatal(err)
		}
		p.ended(out.GoalID)
	}
	shop := filepath.Join(dir, "shop")
	offer, err := p.goal.Folders(shop)
	if err != nil || !offer.IsMissing || offer.Dir != "" || !slices.Equal(offer.Recent, []string{dir}) {
		t.Errorf("before it exists: %+v, %v", offer, err)
	}
	if made, err := p.goal.MakeFolder(shop); err != nil || made != shop {
		t.Errorf("made %q, %v", made, err)
	}
	offer, err = p.goal.Folders(filepath.Join(dir, "SH"))
	if err != nil || !slices.Equal(offer.Folders, []string{shop}) {
		t.Errorf("completion: %+v, %v", offer, err)
	}
	if offer, err = p.goal.Folders(shop); err != nil || offer.Dir != shop || offer.Problem != "" || offer.IsMissing {
		t.Errorf("after it exists: %+v, %v", offer, err)
	}
}
