package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/engine"
	"goalpost/backend/agent/engine/acp/acptest"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// runShell runs a command of the scripted agent. It ignores the exit code.
func runShell(command string) error {
	err := exec.Command("sh", "-c", command).Run()
	var status *exec.ExitError
	if errors.As(err, &status) {
		return nil
	}
	return err
}

// shapes returns the agents that have transcripts in testdata/agents. Each of them sends messages in its own form.
func shapes() []engine.Profile {
	var list []engine.Profile
	for _, p := range []engine.Profile{
		{ID: "claude", Name: "Claude Code", Resumes: true},
		{ID: "codex", Name: "Codex", Resumes: true},
		{ID: "codex-old", Name: "Codex (old adapter)", Resumes: true},
		{ID: "gemini", Name: "Gemini", CommandInTitle: true},
	} {
		p.Command = acptest.Prefix + p.ID
		p.Env = func(m engine.ModelServer) []string {
			return []string{acptest.ModelVariable + "=" + m.Address + "/v1", acptest.TokenVariable + "=" + m.Token}
		}
		list = append(list, p)
	}
	return list
}

// startShape starts a program with the scripted agents. The given one plays a scenario.
func startShape(t *testing.T, agent engine.Profile, scenario string, o app.Options) *program {
	t.Helper()
	return startScripts(t, agent, o, transcripts(t, agent, scenario)...)
}

// transcripts returns what an agent plays in a scenario, one text for each start. words are pairs of a text and its
// replacement.
func transcripts(t *testing.T, agent engine.Profile, scenario string, words ...string) []string {
	t.Helper()
	for i := 1; i < len(words); i += 2 { // the words are inside JSON strings
		b, err := json.Marshal(words[i])
		must(t, err)
		words[i] = strings.Trim(string(b), `"`)
	}
	var scripts []string
	for _, file := range []string{scenario + ".jsonl", scenario + ".2.jsonl"} {
		text, err := os.ReadFile(filepath.Join("testdata/agents", agent.ID, file))
		if len(scripts) > 0 && errors.Is(err, os.ErrNotExist) {
			break
		}
		must(t, err)
		scripts = append(scripts, strings.NewReplacer(words...).Replace(string(text)))
	}
	return scripts
}

// startScripts starts a program with the scripted agents. The given one plays one script at each start.
func startScripts(t *testing.T, agent engine.Profile, o app.Options, scripts ...string) *program {
	t.Helper()
	o.Engines = shapesIn(installScripts(t, agent, scripts...))
	p := startOptions(t, t.TempDir(), o)
	p.provide(turns(modeltest.Say("nobody asks this model")))
	return p
}

// installScripts installs a scripted agent in a folder of the test, see shapesIn.
func installScripts(t *testing.T, agent engine.Profile, scripts ...string) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp(agentsDir, agent.ID+"-*")
	must(t, err)
	self, err := os.Executable()
	must(t, err)
	must(t, os.Link(self, filepath.Join(dir, agent.Command))) // copying 100 MB takes longer than the scenario
	for i, text := range scripts {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", i+1)), []byte(text), 0o600))
	}
	return dir
}

// shapesIn returns the scripted agents with commands in a folder below agentsDir, which is on the PATH.
func shapesIn(dir string) []engine.Profile {
	list := shapes()
	for i := range list {
		list[i].Command = filepath.Join(filepath.Base(dir), list[i].Command)
	}
	return list
}

// TestEngine_Shapes_ReachTheSameEnds plays what Claude Code, both adapters of Codex, and Gemini send, in the real
// sandbox. The transcripts follow what these agents were observed to send, but are not recordings.
func TestEngine_Shapes_ReachTheSameEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scenario string
		agents   []string // see forShapes
		in       goal.Request
		exit     goal.Exit
		act      func(p *program, id, dir string) // while the goal runs
		check    func(t *testing.T, events []event.Body)
	}{
		{
			scenario: "done", in: goal.Request{Objective: "make done.txt"}, exit: goal.Done,
			check: decidedAndObserved,
		},
		{
			scenario: "tools", in: goal.Request{Objective: "use-our-tools"}, exit: goal.Done, check: ourToolsOnce,
		},
		{
			scenario: "denied", in: goal.Request{
				Objective: "be-refused",
				Options:   goal.Options{OnAsk: goal.OnAskDeny},
			}, exit: goal.Done,
			check: deniedOnce,
		},
		{
			scenario: "aborted", agents: []string{"claude", "gemini"}, in: goal.Request{Objective: "wait"},
			exit: goal.AbortedByUser,
			act: func(p *program, id, dir string) {
				awaitFile(p.T, filepath.Join(dir, "begun.txt"), "")
				p.do("abort", p.goal.Abort, id)
			},
			check: notKilled,
		},
		{
			scenario: "killed", agents: []string{"codex", "codex-old"}, in: goal.Request{Objective: "survive"},
			exit: goal.Done, check: startedAgain,
		},
		{
			scenario: "limit", agents: []string{"codex", "gemini"}, exit: goal.LimitReached, check: lastWord,
			in: goal.Request{Objective: "look", Limits: goal.Limits{Iterations: 3}},
		},
		{
			scenario: "stuck", agents: []string{"claude", "codex-old"}, in: goal.Request{Objective: "talk"},
			exit: goal.Stuck, check: noClaim,
		},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			t.Parallel()
			forShapes(t, c.agents, func(t *testing.T, agent engine.Profile) {
				t.Parallel()
				p := startShape(t, agent, c.scenario, app.Options{})
				dir := t.TempDir()
				must(t, os.WriteFile(filepath.Join(dir, "note.txt"), []byte("a note"), 0o600))
				in := c.in
				in.Engine, in.Dir, in.Checks = agent.ID, dir, shell("test -f done.txt")
				id := p.startEngine(in)
				if c.act != nil {
					c.act(p, id, dir)
				}
				exit, reason, events := p.result(id)
				if exit != c.exit {
					t.Fatalf("%s %s", exit, reason)
				}
				if _, err := os.Stat(filepath.Join(dir, "ran.txt")); err == nil {
					t.Error("a refused command ran")
				}
				c.check(t, events)
			})
		})
	}
}

// decidedAndObserved checks that commands and edits were decided before they ran, and that no claim is also journaled
// as an action of the agent.
func decidedAndObserved(t *testing.T, events []event.Body) {
	observed := map[string]bool{}
	claims := 0
	for _, e := range events {
		switch b := e.(type) {
		case *event.StepStarted:
			if strings.Contains(b.Arguments, "claim_complete") {
				t.Errorf("a claim is also %s %s", b.Tool, b.Arguments)
			}
			observed[b.Tool] = b.Effect.Observed
			if b.Tool == "agent_run" && b.Effect.Observed { // Codex calls "cat" a read and does not ask
				continue
			}
			if b.Tool == "agent_run" && !strings.Contains(b.Arguments, `"command":"echo hello > out.txt"`) {
				t.Errorf("the command is not in the journal: %s", b.Arguments)
			}
		case *event.Claim:
			claims++
		}
	}
	if ran, ok := observed["agent_run"]; !ok || ran {
		t.Errorf("commands were decided: %t, %t", ok, !ran)
	}
	if edited, ok := observed["agent_edit"]; !ok || edited {
		t.Errorf("edits were decided: %t, %t", ok, !edited)
	}
	if claims != 2 {
		t.Errorf("%d claims", claims)
	}
}

// ourToolsOnce checks that each call of Goalpost's tools is journaled exactly once, under their names.
func ourToolsOnce(t *testing.T, events []event.Body) {
	var names []string
	for _, e := range events {
		if b, ok := e.(*event.StepStarted); ok {
			names = append(names, b.Tool)
		}
	}
	if got := strings.Join(names, " "); got != "write_todos terminal_open terminal_run write_todos claim_complete" {
		t.Errorf("the steps are %s", got)
	}
}

func deniedOnce(t *testing.T, events []event.Body) {
	denied := 0
	for _, e := range events {
		if step, ok := e.(*event.Step); ok && step.Outcome == event.Denied && step.Tool == "agent_run" {
			denied++
		}
	}
	if denied != 1 {
		t.Errorf("%d steps were denied", denied)
	}
}

// hasWarning reports whether a warning contains the text.
func hasWarning(events []event.Body, text string) bool {
	for _, e := range events {
		if w, ok := e.(*event.Warning); ok && strings.Contains(w.Text, text) {
			return true
		}
	}
	return false
}

func notKilled(t *testing.T, events []event.Body) {
	if hasWarning(events, "did not stop when it was asked to") {
		t.Error("the agent was not asked to stop, or its answer was not understood")
	}
}

func startedAgain(t *testing.T, events []event.Body) {
	if !hasWarning(events, "ended unexpectedly") {
		t.Error("the user was not warned")
	}
}

func lastWord(t *testing.T, events []event.Body) {
	if end, ok := events[len(events)-1].(*event.Ended); !ok || end.Account != "I looked around." {
		t.Errorf("the end is %s", describeEvents(events[len(events)-1:]))
	}
}

func noClaim(t *testing.T, events []event.Body) {
	for _, e := range events {
		if _, ok := e.(*event.Claim); ok {
			t.Error("the end of a turn was taken for a claim")
		}
	}
}

// TestEngine_ShapesSilent_AreParkedWithTheirWords: an agent that silently repeats failed requests is parked after three
// minutes. The reason has what the agent wrote to standard error. Then the agent is started again.
func TestEngine_ShapesSilent_AreParkedWithTheirWords(t *testing.T) {
	t.Parallel()
	forShapes(t, nil, func(t *testing.T, agent engine.Profile) {
		t.Parallel()
		clock := newJumpClock(t)
		p := startShape(t, agent, "silent", app.Options{Clock: clock})
		dir := t.TempDir()
		id := p.startEngine(goal.Request{
			Objective: "be-silent",
			Options:   goal.Options{Engine: agent.ID},
			Policy:    policy.Policy{Dir: dir},
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
		})
		// Without this, the jump could end the earlier wait for the agent's tool.
		p.await("the next turn", func(e event.Event) bool {
			turn, ok := e.Body.(*event.Iteration)
			return ok && turn.N == 2
		})
		awaitFile(t, filepath.Join(dir, "silent.txt"), "")
		exit, reason, _ := p.jumpUntilPaused(clock, id, 3*time.Minute)
		words := map[string]string{
			"claude": "401", "codex-old": "429", "codex": "disconnected", "gemini": "429",
		}[agent.ID]
		if exit != goal.WaitingForProvider || !strings.Contains(reason, words) {
			t.Fatalf("%s %s", exit, reason)
		}
		clock.jumpOver(t, 5*time.Minute)
		if exit, reason, _ = p.result(id); exit != goal.Done {
			t.Fatalf("%s %s", exit, reason)
		}
	})
}
