package app_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
)

var isOpened = regexp.MustCompile(`pane ([tb]\d+)`)

// serving returns a model that writes a page, serves it on port 8080 in a terminal, checks it in a browser pane, and
// claims. The page contains the goal's objective.
func serving(self string) modeltest.Script {
	return func(_ int, r modeltest.Request) modeltest.Answer {
		turn, pane, objective := 0, "", ""
		for _, m := range r.Messages {
			switch m.Role {
			case goal.Assistant:
				turn++
			case goal.ToolRole:
				if found := isOpened.FindStringSubmatch(m.Text); found != nil {
					pane = found[1]
				}
			case goal.User:
				if rest, ok := strings.CutPrefix(m.Text, "Goal: "); ok {
					objective, _, _ = strings.Cut(rest, "\n")
				}
			case goal.System:
			}
		}
		switch turn {
		case 0:
			return args("write_file", map[string]any{
				"path":    "index.html",
				"content": "<title>x</title><h1>" + objective + "</h1>",
			})
		case 1:
			return args("terminal_open", map[string]any{})
		case 2:
			return args("terminal_run", map[string]any{"pane": pane, "command": served(self), "wait_seconds": 100})
		case 3:
			return args("browser_open", map[string]any{"url": "http://127.0.0.1:8080/"})
		case 4:
			return args("browser_snapshot", map[string]any{"pane": pane})
		case 5:
			return args("claim_complete", map[string]any{"rationale": "it is served"})
		}
		return args("abort_with_report", map[string]any{"reason": "the claim failed", "what_was_learned": "nothing"})
	}
}

// served returns a command that serves the goal's folder. It ends once the server is ready.
func served(self string) string {
	return "('" + self + "' static --listen 127.0.0.1:8080 . >log 2>&1 &); until grep -qs Serving log; do sleep 0.02; done"
}

func args(tool string, a map[string]any) modeltest.Answer {
	text, _ := json.Marshal(a)
	return call(tool, string(text))
}

// done waits until a goal's run is over and returns its view.
func (p *program) done(id string) calls.GoalView {
	p.Helper()
	select {
	case <-p.app.Done(goal.ID(id)):
	case <-time.After(late):
		p.Fatalf("goal %s does not end", id)
	}
	v, err := p.goal.Get(id)
	if err != nil {
		p.Fatal(err)
	}
	return v
}

// TestSandbox_TwoGoalsOnOnePort_AreSeparate: each goal has its own loopback, which its programs, pages and checks use.
func TestSandbox_TwoGoalsOnOnePort_AreSeparate(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, t.TempDir())
	p.provide(serving(self))
	words := []string{"serve-apples", "serve-pears"}
	var ids []string
	for _, word := range words {
		out, err := p.goal.Start(goal.Request{
			Objective: word,
			Criterion: goal.Criterion{
				Checks: shell("curl -sf http://127.0.0.1:8080/ | grep -q '<h1>" + word + "</h1>'"),
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, out.GoalID)
	}
	for i, id := range ids {
		if v := p.done(id); v.Exit != goal.Done {
			t.Errorf("%s ended as %s: %s", words[i], v.Exit, v.Reason)
		}
		steps, err := p.goal.Steps(id, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		seen := ""
		for _, s := range steps.Steps {
			if s.Outcome != event.OK {
				t.Errorf("%s: step %d %s: %s %s", words[i], s.N, s.Tool, s.Outcome, s.Preview)
			}
			if s.Tool == "browser_snapshot" {
				full, err := p.goal.Step(id, s.N)
				if err != nil {
					t.Fatal(err)
				}
				seen = full.Result
			}
		}
		if !strings.Contains(seen, words[i]) {
			t.Errorf("the pane of %s showed %q", words[i], seen)
		}
	}
}

// TestSandbox_Sending_IsStoppedByTheProxy: the proxy decides, not the text of the command.
func TestSandbox_Sending_IsStoppedByTheProxy(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(turns(
		args("run_command", map[string]any{
			"command": `c=cu; h=$(printf 'sh%s.%s' op example); m=$(echo TSOP | rev); ` +
				`${c}rl -s -m 20 -X "$m" -d card=1 "http://$h/"`,
		}),
		args("abort_with_report", map[string]any{"reason": "no way out", "what_was_learned": "the network is closed"}),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "buy",
		Criterion: goal.Criterion{Checks: shell("test -f bought")},
	})
	if err != nil {
		t.Fatal(err)
	}
	journaled := p.await("the refusal", func(e event.Event) bool {
		w, ok := e.Body.(*event.Warning)
		return ok && w.What == "network"
	}).Body.(*event.Warning)
	if !strings.Contains(journaled.Text, "POST shop.example:80") {
		t.Errorf("journaled: %s", journaled.Text)
	}
	// The call is over. Now the user is asked about the host.
	p.await("the question", func(e event.Event) bool { _, ok := e.Body.(*event.ApprovalRequested); return ok })
	if ok, err := p.goal.Abort(out.GoalID); !ok || err != nil {
		t.Fatal(err)
	}
	step, err := p.goal.Step(out.GoalID, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(step.Result, "Refused by the goal's network") ||
		!strings.Contains(step.Result, "POST shop.example:80") ||
		!strings.Contains(step.Result, "this goal has no network access") {
		t.Errorf("the model received %q", step.Result)
	}
	net, err := p.goal.Network(out.GoalID)
	if err != nil || net.Refused == 0 || len(net.Hosts) == 0 || net.Hosts[0].Host != "shop.example" ||
		net.Hosts[0].Allowed || net.Hosts[0].Methods[0] != "POST" {
		t.Errorf("the network log: %+v, %v", net, err)
	}
}

func TestSandbox_ReadOnlyGoal_ChangesNothing(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(turns(
		args("run_command", map[string]any{
			"command": "echo looked; echo x >/dev/null && echo x >/dev/shm/x && echo held in memory; touch changed " +
				"~/changed /tmp/changed",
		}),
		args("abort_with_report", map[string]any{"reason": "looked", "what_was_learned": "all"}),
	))
	dir := t.TempDir()
	out, err := p.goal.Start(goal.Request{
		Objective: "look",
		Policy:    policy.Policy{Dir: dir, Risk: policy.ReadOnly},
		Criterion: goal.Criterion{Checks: shell("test -f changed")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.done(out.GoalID)
	step, err := p.goal.Step(out.GoalID, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(step.Result, "looked") || !strings.Contains(step.Result, "held in memory") ||
		strings.Count(step.Result, "Read-only file system") != 3 {
		t.Errorf("%q", step.Result)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}

// TestSandbox_HostsOfChecks_AreClosedToPrograms: a check reaches the host that it names, but the agent's programs do
// not.
func TestSandbox_HostsOfChecks_AreClosedToPrograms(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(turns(
		args("run_command", map[string]any{"command": "curl -s http://named.invalid/; env | grep -i proxy=http"}),
		args("claim_complete", map[string]any{"rationale": "x"}),
		args("abort_with_report", map[string]any{"reason": "it is not there", "what_was_learned": "-"}),
	))
	settings := p.cfg.Settings()
	settings.ApprovalMinutes = 0 // no user answers
	if err := p.cfg.SaveSettings(settings); err != nil {
		t.Fatal(err)
	}
	out, err := p.goal.Start(goal.Request{
		Objective: "x",
		Options:   goal.Options{OnAsk: goal.OnAskDeny},
		Criterion: goal.Criterion{
			Checks: shell(
				"curl -s http://named.invalid/; h=other; curl -s http://$h.example/; env | grep -i https_proxy; test -f never"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.done(out.GoalID)
	step, err := p.goal.Step(out.GoalID, 1)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(step.Result, "Goalpost refused GET named.invalid:80") || strings.Contains(step.Result, "check:") {
		t.Errorf("the agent received %q", step.Result)
	}
	receipt, err := p.goal.Receipt(out.GoalID)
	if err != nil || len(receipt.Claims) == 0 {
		t.Fatal(receipt, err)
	}
	tail := receipt.Claims[0].Verdicts[0].Tail
	if strings.Contains(tail, "refused GET named.invalid") || !strings.Contains(tail, "named.invalid") ||
		!strings.Contains(tail, "refused GET other.example:80") {
		t.Errorf("the check printed %q", tail)
	}
	if !strings.Contains(tail, "check:[hidden: the check's pass]@") {
		t.Errorf("the pass is shown or was not given: %q", tail)
	}
}

// TestSandbox_RunAsRoot_Warns: a goal whose programs run as another user gets no warning.
func TestSandbox_RunAsRoot_Warns(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(gaveUp())
	const words = "this goal runs as root"
	folders := map[string]bool{t.TempDir(): os.Geteuid() == 0}
	if os.Geteuid() == 0 {
		theirs := t.TempDir()
		must(t, os.Chown(theirs, 54321, 54321))
		folders[theirs] = false
	}
	for dir, root := range folders {
		out, err := p.goal.Start(goal.Request{
			Objective: "x",
			Policy:    policy.Policy{Dir: dir},
			Criterion: goal.Criterion{Checks: shell("test -f never")},
		})
		must(t, err)
		p.done(out.GoalID)
		if said := strings.Count(p.journal(out.GoalID), words); said > 1 || (said == 1) != root {
			t.Errorf("%s: told %d times", dir, said)
		}
	}
}
