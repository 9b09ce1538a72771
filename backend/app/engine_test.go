package app_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"goalpost/backend/api"
	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/model/modeltest"
)

// opencodeVersion is the version that `make opencode` installs into .tools.
const opencodeVersion = "1.18.33"

// withOpenCode puts the real OpenCode on the PATH, or skips the test.
func withOpenCode(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("make opencode installs it on Linux")
	}
	bin, err := filepath.Abs("../../.tools/opencode-" + opencodeVersion + "/node_modules/.bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(bin, "opencode")); err != nil {
		t.Skip("OpenCode is not installed: run `make opencode`")
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// agentTurns plays one answer for each answer of the model in the agent's conversation, and a title for its request
// without tools.
func agentTurns(answers ...modeltest.Answer) modeltest.Script {
	play := turns(answers...)
	return func(n int, r modeltest.Request) modeltest.Answer {
		if len(r.Tools) == 0 {
			return modeltest.Say("A title")
		}
		return play(n, r)
	}
}

func (p *program) startEngine(in api.StartInput) string {
	p.Helper()
	in.Engine, in.CriticEvery = "opencode", api.NoLimit
	if in.Dir == "" {
		in.Dir = p.TempDir()
	}
	out, err := p.goal.Start(in)
	if err != nil {
		p.Fatal(err)
	}
	return out.GoalID
}

// result returns how a run ended, and all events of the goal until then.
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

// describeEvents is a log for a test that fails.
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

func bash(command string) modeltest.Answer {
	return call("bash", with("command", command, "description", "a command"))
}

// TestEngine_OpenCodeClaimsTwice_IsDone: the first claim fails, the failure is the next prompt of the same session, and
// the second passes. Commands and edits are decided before they happen; reading is observed.
func TestEngine_OpenCodeClaimsTwice_IsDone(t *testing.T) {
	withOpenCode(t)
	p := start(t, t.TempDir())
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "note.txt"), []byte("a note"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := p.provide(agentTurns(
		call("read", with("filePath", filepath.Join(dir, "note.txt"))),
		bash("echo hello > out.txt"),
		call("goalpost_claim_complete", with("rationale", "it is there")),
		modeltest.Say("I have claimed."),
		call("write", with("filePath", filepath.Join(dir, "done.txt"), "content", "done")),
		call("goalpost_claim_complete", with("rationale", "now it is there", "result", "forty-two")),
		modeltest.Say("I have claimed again."),
	))
	id := p.startEngine(api.StartInput{Objective: "make done.txt", Checks: shell("test -f done.txt"), Dir: dir})
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
	for tool, observed := range map[string]bool{"agent_read": true, "agent_run": false, "agent_edit": false} {
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
}
