package app_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/waittest"
)

// agentTurns plays one answer for each turn of the agent's conversation, and a title for a request without tools.
func agentTurns(answers ...modeltest.Answer) modeltest.Script {
	play := turns(answers...)
	return func(n int, r modeltest.Request) modeltest.Answer {
		if len(r.Tools) == 0 {
			return modeltest.Say("A title")
		}
		return play(n, r)
	}
}

func (p *program) startEngine(in goal.Request) string {
	p.Helper()
	in.Engine, in.CriticEvery = cmp.Or(in.Engine, "opencode"), goal.NoLimit
	if in.Dir == "" {
		in.Dir = p.TempDir()
	}
	if in.OnAsk == goal.OnAskDeny { // no user is present
		settings := p.cfg.Settings()
		settings.ApprovalMinutes = 0
		if err := p.cfg.SaveSettings(settings); err != nil {
			p.Fatal(err)
		}
	}
	out, err := p.goal.Start(in)
	if err != nil {
		p.Fatal(err)
	}
	return out.GoalID
}

// result waits until a run ends, and returns its exit, the reason, and all events of the goal until then.
func (p *program) result(id string) (exit goal.Exit, reason string, steps []event.Body) {
	p.Helper()
	p.await("end of "+id, func(e event.Event) bool {
		if string(e.GoalID) != id {
			return false
		}
		steps = append(steps, e.Body)
		if _, delta := e.Body.(*event.Delta); !delta {
			p.Log(describeEvents([]event.Body{e.Body})) // shown if the test fails
		}
		switch b := e.Body.(type) {
		case *event.Ended:
			exit, reason = b.Exit, strings.Join(b.Report, "\n")
			return true
		case *event.Paused:
			exit, reason = b.Exit, b.Reason
			return true
		}
		return false
	})
	return exit, reason, steps
}

// describeEvents formats events for the log of a failed test.
func describeEvents(list []event.Body) string {
	var b strings.Builder
	for _, e := range list {
		text, err := json.Marshal(e)
		if len(text) > 1500 {
			text = append(text[:1500], "…"...)
		}
		fmt.Fprintf(&b, "%T %s %v\n", e, text, err)
	}
	return b.String()
}

// TestEngine_AgentClaimsTwice_IsDone: the first claim fails, and the failure is the next prompt of the same session.
// The second claim passes. Commands and edits are decided before they run; reading is only observed.
func TestEngine_AgentClaimsTwice_IsDone(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		p := start(t, t.TempDir())
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "note.txt"), []byte("a note"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := p.provide(agentTurns(
			a.readFile(filepath.Join(dir, "note.txt")),
			a.bash("echo hello > out.txt"),
			a.our("claim_complete", with("rationale", "it is there")),
			modeltest.Say("I have claimed."),
			a.writeFile(filepath.Join(dir, "done.txt"), "done"),
			a.our("claim_complete", with("rationale", "now it is there", "result", "forty-two")),
			modeltest.Say("I have claimed again."),
		))
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "make done.txt",
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			Policy:    policy.Policy{Dir: dir},
		})
		exit, reason, events := p.result(id)
		if exit != goal.Done {
			for _, r := range s.Requests() {
				t.Logf("%v %+v", r.Tools, r.Last())
			}
			t.Fatalf("%s %s\n%s", exit, reason, describeEvents(events))
		}
		tools := map[string]event.StepStarted{}
		claims, used := 0, int64(0)
		for _, e := range events {
			switch b := e.(type) {
			case *event.StepStarted:
				tools[b.Tool] = *b
			case *event.Claim:
				claims++
			case *event.Usage:
				used += b.TokensIn
			}
		}
		if claims != 2 || used == 0 {
			t.Errorf("%d claims, %d tokens", claims, used)
		}
		observed := map[string]bool{"agent_read": true, "agent_run": a.asksNothing, "agent_edit": a.asksNothing}
		if a.read == "" {
			delete(observed, "agent_read")
		}
		for tool, observed := range observed {
			if b, ok := tools[tool]; !ok || b.Effect.Observed != observed {
				t.Errorf("%s: %+v %t", tool, b, ok)
			}
		}
		if !strings.Contains(tools["agent_run"].Arguments, "echo hello > out.txt") {
			t.Errorf("the command is not in the journal: %+v", tools["agent_run"])
		}
		if t.Failed() {
			t.Log(describeEvents(events))
		}
	})
}

// outcomeOf returns the newest step of a tool with its outcome.
func outcomeOf(tool string, events []event.Body) (last event.Step) {
	for _, e := range events {
		if s, ok := e.(*event.Step); ok && s.Tool == tool {
			last = *s
		}
	}
	return last
}

// TestEngine_PermissionDenied_AgentContinues: an action that needs an approval, and gets none, is refused. The agent
// continues. Its settings file in the goal's folder cannot allow the action.
func TestEngine_PermissionDenied_AgentContinues(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		a.needsToAsk(t)
		p := start(t, t.TempDir())
		dir := t.TempDir()
		for file, text := range map[string]string{
			"opencode.json":         `{"permission":{"*":"allow","bash":"allow"}}`,
			".claude/settings.json": `{"permissions":{"allow":["Bash"],"defaultMode":"bypassPermissions"}}`,
			".gemini/settings.json": `{"tools":{"allowed":["run_shell_command"],"autoAccept":true}}`,
		} {
			must(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o700))
			must(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
		}
		s := p.provide(agentTurns(
			a.bash("touch ran.txt; rm -rf /srv/elsewhere"),
			a.bash("touch done.txt"),
			a.claim(),
			modeltest.Say("claimed"),
		))
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id, OnAsk: goal.OnAskDeny},
			Objective: "try",
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			Policy:    policy.Policy{Dir: dir},
		})
		exit, reason, events := p.result(id)
		if exit != goal.Done {
			t.Fatalf("%s %s", exit, reason)
		}
		if _, err := os.Stat(filepath.Join(dir, "ran.txt")); err == nil {
			t.Error("the refused command ran")
		}
		denied := 0
		for _, e := range events {
			if step, ok := e.(*event.Step); ok && step.Outcome == event.Denied && step.Tool == "agent_run" {
				denied++
			}
		}
		if denied != 1 {
			t.Errorf("%d steps were denied", denied)
		}
		for _, r := range s.Requests() {
			if strings.Contains(string(r.Body), a.refused) {
				return
			}
		}
		t.Error("the refusal did not reach the model")
	})
}

// TestEngine_Limit_EndsWithALastWord: a goal stops at its limit of turns, and the report has the agent's final
// statement.
func TestEngine_Limit_EndsWithALastWord(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		p := start(t, t.TempDir())
		p.provide(func(n int, r modeltest.Request) modeltest.Answer {
			switch {
			case len(r.Tools) == 0:
				return modeltest.Say("A title")
			case strings.Contains(r.Last().Text, "The run ends here"):
				return modeltest.Say("I looked around.")
			}
			return a.bash(fmt.Sprintf("echo try %d", n))
		})
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "look",
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			Limits:    goal.Limits{Iterations: 3},
		})
		exit, reason, events := p.result(id)
		if exit != goal.LimitReached {
			t.Fatalf("%s %s", exit, reason)
		}
		if end, ok := events[len(events)-1].(*event.Ended); !ok || end.Account != "I looked around." {
			t.Errorf("the end is %s", describeEvents(events[len(events)-1:]))
		}
	})
}

// TestEngine_AbortInATool_EndsTheAgent: an abort while a command of the agent runs ends both.
func TestEngine_AbortInATool_EndsTheAgent(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		p := start(t, t.TempDir())
		dir := t.TempDir()
		p.provide(agentTurns(a.bash("touch begun.txt; sleep 1000.25"), modeltest.Say("?")))
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "wait",
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			Policy:    policy.Policy{Dir: dir},
		})
		awaitFile(t, filepath.Join(dir, "begun.txt"), "")
		begun(t, "1000.25")
		if _, err := p.goal.Abort(id); err != nil {
			t.Fatal(err)
		}
		if exit, reason, _ := p.result(id); exit != goal.AbortedByUser {
			t.Fatalf("%s %s", exit, reason)
		}
		waittest.Until(t, "end of the command", func() bool { return !sleeps(t, "1000.25") })
	})
}

// TestEngine_AgentKilled_ContinuesItsSession: an agent that is killed during a tool call starts again with its own
// conversation, is informed, and reaches the goal.
func TestEngine_AgentKilled_ContinuesItsSession(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		p := start(t, t.TempDir())
		dir := t.TempDir()
		s := p.provide(a.steps(dir, map[string]modeltest.Answer{
			"killed.txt": a.bash("test -f killed.txt || { touch killed.txt; kill -9 $PPID; }; sleep 2"),
			"done.txt":   a.bash("touch done.txt"),
		}, "killed.txt", "done.txt"))
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "survive",
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			Policy:    policy.Policy{Dir: dir},
		})
		exit, reason, events := p.result(id)
		if exit != goal.Done {
			t.Fatalf("%s %s", exit, reason)
		}
		warned := false
		for _, e := range events {
			w, ok := e.(*event.Warning)
			warned = warned || ok && strings.Contains(w.Text, "ended unexpectedly")
		}
		if !warned {
			t.Error("the user was not warned")
		}
		requests := s.Requests()
		last := string(requests[len(requests)-1].Body)
		if !strings.Contains(last, "survive") || !strings.Contains(last, "program ended unexpectedly") {
			t.Errorf("the last conversation is %s", last)
		}
	})
}

// TestEngine_StopsWithoutClaim_IsStuck: an agent that ends its turns without a claim is reminded, and is stuck in the
// end.
func TestEngine_StopsWithoutClaim_IsStuck(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		p := start(t, t.TempDir())
		s := p.provide(agentTurns(modeltest.Say("I am done.")))
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "talk",
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
		})
		exit, reason, events := p.result(id)
		if exit != goal.Stuck {
			t.Fatalf("%s %s", exit, reason)
		}
		for _, e := range events {
			if _, ok := e.(*event.Claim); ok {
				t.Error("the end of a turn was taken for a claim")
			}
		}
		reminded := false
		for _, r := range s.Requests() {
			reminded = reminded || strings.Contains(string(r.Body), "claim_complete is verified")
		}
		if !reminded {
			t.Error("the agent was not reminded")
		}
	})
}
