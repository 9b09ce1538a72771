package app_test

import (
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
)

// answers waits for the goal's next approval request, answers it, and returns it. A scope of "" denies it.
func (p *program) answers(id string, scope policy.Scope) *event.ApprovalRequested {
	p.Helper()
	q, _ := p.await("a question", func(e event.Event) bool {
		_, ok := e.Body.(*event.ApprovalRequested)
		return ok
	}).Body.(*event.ApprovalRequested)
	a := calls.AnswerInput{GoalID: id, Request: q.ID, Allow: scope != "", Scope: scope}
	if _, err := area[*calls.ApprovalAPI](p.T, p.app).Answer([]calls.AnswerInput{a}); err != nil {
		p.Fatal(err)
	}
	return q
}

// awaitAnswer is the turn of an agent that has nothing else to do until the user answers about a host.
func awaitAnswer() modeltest.Answer { return modeltest.Answer{Text: "Only the host is left."} }

// results runs a goal at write_local whose model has the given turns, gives the user's answers, and returns the steps.
func (p *program) results(answers []policy.Scope, said ...modeltest.Answer) (id string, steps []calls.StepView) {
	p.Helper()
	p.provide(turns(
		append(said, args("abort_with_report", map[string]any{"reason": "enough", "what_was_learned": "-"}))...))
	out, err := p.goal.Start(goal.Request{
		Objective: "reach",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		p.Fatal(err)
	}
	for _, scope := range answers {
		p.answers(out.GoalID, scope)
	}
	p.done(out.GoalID)
	for _, turn := range said {
		if len(turn.Calls) == 0 {
			continue
		}
		s, err := p.goal.Step(out.GoalID, len(steps)+1)
		if err != nil {
			p.Fatal(err)
		}
		steps = append(steps, s)
	}
	return out.GoalID, steps
}

// TestApproval_OfAHost_OpensWhatItNames uses the real proxy. A grant to read from a host does not allow sending to it,
// and a grant for once covers one call.
func TestApproval_OfAHost_OpensWhatItNames(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	curl := func(how string) modeltest.Answer {
		return args("run_command", map[string]any{"command": "curl -s -m 20 " + how + " http://given.invalid/"})
	}
	_, steps := p.results([]policy.Scope{policy.ScopeHost, ""},
		curl(""), awaitAnswer(), curl(""), curl("-X POST -d x=1"), awaitAnswer())
	for i, want := range []string{
		"Goalpost refused GET given.invalid:80", "Goalpost cannot reach",
		"Goalpost refused POST given.invalid:80: the user allowed given.invalid up to network_get",
	} {
		if !strings.Contains(steps[i].Result, want) {
			t.Errorf("call %d: %q, want %q", i+1, steps[i].Result, want)
		}
	}
	open := args("browser_open", map[string]any{"url": "http://once.invalid/"})
	id, _ := p.results([]policy.Scope{policy.ScopeOnce, "", ""}, open, open,
		args("run_command", map[string]any{"command": "curl -s http://once.invalid/"}), awaitAnswer())
	net, err := p.goal.Network(id)
	if err != nil {
		t.Fatal(err)
	}
	once := map[bool]string{}
	for _, h := range net.Hosts {
		if strings.HasPrefix(h.Host, "once.invalid") {
			once[h.Allowed] = strings.Join(h.From, " ")
		}
	}
	if once[true] != "pane" || !strings.Contains(once[false], "program") {
		t.Errorf("what was allowed to a page once: %v", net.Hosts)
	}
}

// TestRevoke_AtAnyTime_ClosesAccessAtOnce revokes a grant while a command uses it.
func TestRevoke_AtAnyTime_ClosesAccessAtOnce(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	loop := `while ! curl -s -m 20 http://taken.invalid/ | grep -q "$(cat want)"; do sleep 0.05; done`
	p.provide(turns(
		args("run_command", map[string]any{"command": "curl -s http://taken.invalid/"}),
		awaitAnswer(),
		args("run_command", map[string]any{
			"command": "echo 'cannot reach' > want; " + loop + "; echo 'Goalpost refused' > want; echo > reached; " + loop,
		}),
		awaitAnswer(),
		args("abort_with_report", map[string]any{"reason": "enough", "what_was_learned": "-"}),
	))
	dir := t.TempDir()
	out, err := p.goal.Start(goal.Request{
		Objective: "reach",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	q := p.answers(out.GoalID, policy.ScopeHost)
	awaitFile(t, filepath.Join(dir, "reached"), "\n")
	if _, err := area[*calls.ApprovalAPI](t, p.app).Revoke(out.GoalID, q.ID); err != nil {
		t.Fatal(err)
	}
	p.answers(out.GoalID, "") // the request of the running command was refused, so the user is asked again
	p.done(out.GoalID)
	if s, err := p.goal.Step(out.GoalID, 2); err != nil || s.Outcome != event.OK {
		t.Errorf("%+v, %v", s, err)
	}
}

// requestLoop returns a call that starts requesting a host in a loop, and writes the proxy's answers to a file.
func requestLoop(t *testing.T, dir string) modeltest.Answer {
	t.Helper()
	return args("terminal_run", map[string]any{
		"pane":         "t1",
		"wait_seconds": 1,
		"command": "cd " + dir + "; while :; do curl -s -m 20 http://taken.invalid/ > next; mv next told; " +
			"sleep 0.05; done",
	})
}

// TestGrants_GoalEnds_EndToo: programs that outlive the goal have no network, and a grant that is revoked during a
// pause ends at once.
func TestGrants_GoalEnds_EndToo(t *testing.T) {
	t.Parallel()
	t.Run("taken back in a pause", func(t *testing.T) {
		p, dir := start(t, t.TempDir()), t.TempDir()
		p.provide(turns(
			args("run_command", map[string]any{"command": "curl -s http://taken.invalid/"}), awaitAnswer(),
			args("terminal_open", map[string]any{}), requestLoop(t, dir),
			args("ask_user", map[string]any{"question": "continue?"}),
		))
		out, err := p.goal.Start(goal.Request{
			Objective: "reach",
			Policy:    policy.Policy{Dir: dir},
			Criterion: goal.Criterion{Checks: shell("test -f never")},
		})
		if err != nil {
			t.Fatal(err)
		}
		q := p.answers(out.GoalID, policy.ScopeHost)
		if v := p.done(out.GoalID); v.Status != goal.Paused {
			t.Fatalf("%s: %s", v.Status, v.Reason)
		}
		awaitFile(t, filepath.Join(dir, "told"), "cannot reach")
		if _, err := area[*calls.ApprovalAPI](t, p.app).Revoke(out.GoalID, q.ID); err != nil {
			t.Fatal(err)
		}
		awaitFile(t, filepath.Join(dir, "told"), "refused")
		p.await("the end of the grant", func(e event.Event) bool {
			b, ok := e.Body.(*event.GrantEnded)
			return ok && b.Request == q.ID
		})
	})
	t.Run("done", func(t *testing.T) {
		p, dir, outside := start(t, t.TempDir()), t.TempDir(), t.TempDir()
		p.provide(turns(
			args("terminal_open", map[string]any{}),
			requestLoop(t, outside),
			args("run_command", map[string]any{
				"command": "until grep -qs 'cannot reach' " + outside + "/told; do sleep 0.05; done; touch done",
			}),
			args("claim_complete", map[string]any{"rationale": "done"})))
		out, err := p.goal.Start(goal.Request{
			Objective: "reach",
			Policy: policy.Policy{
				Dir:        dir,
				Risk:       policy.NetworkGet,
				AllowHosts: []string{"taken.invalid"},
				AllowWrite: []string{outside},
			},
			Criterion: goal.Criterion{Checks: shell("test -f done")},
		})
		if err != nil {
			t.Fatal(err)
		}
		if v := p.done(out.GoalID); v.Exit != goal.Done {
			t.Fatalf("%s: %s", v.Exit, v.Reason)
		}
		awaitFile(t, filepath.Join(outside, "told"), "refused")
	})
}
