package app_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// did runs a goal that makes the calls one after the other and then gives up, and returns the steps of the calls.
func (p *program) did(calls ...modeltest.Answer) []*event.Step {
	p.Helper()
	p.provide(turns(append(calls, call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`))...))
	out, err := p.goal.Start(goal.Request{
		Objective: "use the tools",
		Criterion: goal.Criterion{Checks: shell("false")},
		Options:   goal.Options{CriticEvery: goal.NoLimit, OnAsk: "deny"},
	})
	if err != nil {
		p.Fatal(err)
	}
	var steps []*event.Step
	p.await("end", func(e event.Event) bool {
		if s, ok := e.Body.(*event.Step); ok && string(e.GoalID) == out.GoalID && s.Tool != "abort_with_report" {
			steps = append(steps, s)
		}
		_, over := e.Body.(*event.Ended)
		return over && string(e.GoalID) == out.GoalID
	})
	if len(steps) != len(calls) {
		p.Fatalf("%d steps for %d calls", len(steps), len(calls))
	}
	for _, s := range steps { // an event that was read from the journal lacks the result
		full, err := p.goal.Step(out.GoalID, s.StepID)
		if err != nil {
			p.Fatal(err)
		}
		s.Result = full.Result
	}
	return steps
}

func with(a ...any) string {
	object := map[string]any{}
	for i := 0; i+1 < len(a); i += 2 {
		object[a[i].(string)] = a[i+1]
	}
	b, _ := json.Marshal(object)
	return string(b)
}

// TestTerminalTools_RealTerminal_Work covers a shell, a program that asks for input, keys that interrupt, each reason
// for which a wait ends, the screen and the scrollback.
func TestTerminalTools_RealTerminal_Work(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	const ask = `sh -c 'trap "echo caught; exit 9" INT; printf "your name? "; read n; echo "hello $n"; ` +
		`sleep 1000 & echo listening; wait'` // a signal that comes before sleep starts would be handled after it
	steps := p.did(
		call("terminal_open", `{"title":"work"}`),
		call("terminal_run",
			with("pane", "t1", "command", "seq 1 3000; exit_of() { return $1; }; exit_of 7", "wait_seconds", 60)),
		call("terminal_type", with("pane", "t1", "text", ask)),
		call("terminal_wait", with("pane", "t1", "for", "pattern", "pattern", `name\? $`)),
		call("terminal_type", with("pane", "t1", "text", "Ada")),
		call("terminal_wait", with("pane", "t1", "for", "pattern", "pattern", `listening`)),
		call("list_panes", with("kind", "terminal", "busy", true)),
		call("terminal_read", with("pane", "t1")),
		call("terminal_keys", with("pane", "t1", "keys", []string{"Ctrl+C"})),
		call("terminal_wait", with("pane", "t1", "for", "prompt")),
		call("terminal_read", with("pane", "t1", "page", 1)),
		call("terminal_keys", with("pane", "t1", "keys", []string{"Hyper+X"})),
		call("terminal_wait", with("pane", "t1", "for", "pattern", "pattern", "never printed", "timeout_seconds", 1)),
	)
	for i, want := range []struct {
		ok    event.Outcome
		words []string
	}{
		{event.OK, []string{"opened pane t1"}},
		{event.Failed, []string{"exit 7", "2999\n3000"}},
		{event.OK, []string{"and Enter"}},
		{event.OK, []string{"it appeared", "name?"}},
		{event.OK, nil},
		{event.OK, []string{"listening", "hello Ada"}},
		{event.OK, []string{"t1", "runs"}},
		{event.OK, []string{"cursor at row", "hello Ada", "listening"}},
		{event.OK, []string{"pressed Ctrl+C"}},
		{event.OK, []string{"at its prompt", "exit 9"}},
		{event.OK, []string{"3000\n", "hello Ada", "caught"}},
		{event.Failed, []string{"there is no key", "Hyper+X"}},
		{event.Failed, []string{"not within 1 s"}},
	} {
		if steps[i].Outcome != want.ok {
			t.Errorf("step %d %s: %s %.600s", i, steps[i].Tool, steps[i].Outcome, steps[i].Result)
		}
		for _, w := range want.words {
			if !strings.Contains(steps[i].Result, w) {
				t.Errorf("step %d %s does not say %q: %.1500s", i, steps[i].Tool, w, steps[i].Result)
			}
		}
	}
}

// more matches the note in a truncated result. The cursor depends on the model's window.
var more = regexp.MustCompile(`handle "step:1" and the cursor [1-9][0-9]+ continues here`)

// TestToolResults_Always_HaveTheEnvelope: the model gets every result in the same envelope, including refusals.
func TestToolResults_Always_HaveTheEnvelope(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	s := p.provide(turns(call("run_command", `{"command":"seq 1 20000"}`), call("run_command", `{"command":"exit 3"}`),
		call("no_such_tool", `{}`),
		call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "x",
		Criterion: goal.Criterion{Checks: shell("false")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	var results []string
	for _, m := range s.Requests()[len(s.Requests())-1].Messages {
		if m.Role == goal.ToolRole {
			results = append(results, m.Text)
		}
	}
	if len(results) != 3 || !strings.HasPrefix(results[0], `{"ok":true,"ms":`) || len(results[0]) > 17<<10 ||
		!more.MatchString(results[0]) ||
		!strings.Contains(results[0], "}\nexit 0\n") || !strings.HasPrefix(results[1], `{"ok":false,"ms":`) ||
		!strings.HasPrefix(results[2], "{\"ok\":false}\nthere is no tool") {
		t.Errorf("%d results: %.300q", len(results), results)
	}
}

// TestPaneTools_RealPanes_OpenNameAndClose: the agent can open, name, focus and close its own panes. A pane that the
// user shares can only be used.
func TestPaneTools_RealPanes_OpenNameAndClose(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	steps := p.did(
		call("terminal_open", with("title", "one")),
		call("browser_open", with("url", "about:blank", "title", "two")),
		call("list_panes", `{}`),
		call("focus_pane", with("pane", "b1")),
		call("name_pane", with("pane", "t1", "title", "three")),
		call("close_pane", with("pane", "b1")),
		call("list_panes", `{}`),
		call("close_pane", with("pane", "b1")),
	)
	for i, want := range []string{
		"opened pane t1", "pane b1 is at about:blank", `b1 browser "two"`, "in front", `"three"`, "closed pane b1",
		`t1 terminal "three"`, `no pane "b1"`,
	} {
		if !strings.Contains(steps[i].Result, want) || (steps[i].Outcome == event.OK) != (i < 7) {
			t.Errorf("step %d %s: %s %s", i, steps[i].Tool, steps[i].Outcome, steps[i].Result)
		}
	}
	if strings.Contains(steps[6].Result, "b1") {
		t.Errorf("a closed pane is listed: %s", steps[6].Result)
	}
}
