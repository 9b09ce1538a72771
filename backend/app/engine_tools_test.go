package app_test

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/storage/config"
)

// twoPages serves a page with a link to a second one. visits receives at each request for the second page.
func twoPages(t *testing.T) (address string, port int, visits chan struct{}) {
	t.Helper()
	visits = make(chan struct{}, 10)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/next" {
			visits <- struct{}{}
			_, _ = fmt.Fprint(w, "<title>Second</title><h1>The second page</h1>")
			return
		}
		_, _ = fmt.Fprint(w, `<title>First</title><h1>The first page</h1><a href="/next">Next</a>`)
	}))
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if port, err = strconv.Atoi(u.Port()); err != nil {
		t.Fatal(err)
	}
	return s.URL, port, visits
}

// TestEngine_OurTools_DriveBrowserAndTerminal: over the host's MCP server, the agent writes its plan and drives a
// browser pane and a terminal. Each call is decided and journaled like that of a model.
func TestEngine_OurTools_DriveBrowserAndTerminal(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		p := start(t, t.TempDir())
		dir := t.TempDir()
		address, port, visits := twoPages(t)
		s := p.provide(agentTurns(
			a.our("write_todos", `{"todos":[{"text":"look at the page"},{"text":"write the file"}]}`),
			a.our("browser_open", with("url", address)),
			a.our("browser_click", with("pane", "b1", "target", "Next")),
			a.our("terminal_open", with("title", "work")),
			a.our("terminal_run", with("pane", "t1", "command", "echo typed > done.txt")),
			a.our("write_todos", `{"done":[1,2]}`),
			a.claim(),
			modeltest.Say("claimed"),
		))
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "click",
			Criterion: goal.Criterion{Checks: shell("grep typed done.txt")},
			Policy:    policy.Policy{Dir: dir, AllowLocal: []int{port}},
		})
		exit, reason, events := p.result(id)
		if exit != goal.Done {
			for _, r := range s.Requests() {
				t.Logf("%v %+v", r.Tools, r.Last())
			}
			t.Fatalf("%s %s", exit, reason)
		}
		if len(visits) != 1 {
			t.Errorf("the second page was visited %d times", len(visits))
		}
		for _, tool := range []string{"write_todos", "browser_open", "browser_click", "terminal_open", "terminal_run"} {
			if step := outcomeOf(tool, events); step.Outcome != event.OK {
				t.Errorf("%s: %+v", tool, step)
			}
		}
		plan := false
		for _, e := range events {
			switch b := e.(type) {
			case *event.Todos:
				plan = true
			case *event.StepStarted:
				if strings.HasPrefix(b.Tool, "agent_") { // must be journaled only as Goalpost's tool
					t.Errorf("a call of our tools is also %s %s", b.Tool, b.Arguments)
				}
			}
		}
		if !plan {
			t.Error("there is no plan")
		}
		if v, err := p.goal.Get(id); err != nil || len(v.Panes) != 2 {
			t.Errorf("%d panes, %v", len(v.Panes), err)
		}
		seen := false
		for _, r := range s.Requests() {
			seen = seen || strings.Contains(string(r.Body), "The second page")
		}
		if !seen {
			t.Error("the agent has not read the second page")
		}
	})
}

// TestEngine_PermissionAsked_UserDecides: the user sees the whole command. If it is allowed, it runs; if it is denied,
// the agent is informed and continues.
func TestEngine_PermissionAsked_UserDecides(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		a.needsToAsk(t)
		p := start(t, t.TempDir())
		dir := t.TempDir()
		s := p.provide(agentTurns(
			a.bash("touch allowed.txt; rm -rf /srv/first"),
			a.bash("touch denied.txt; rm -rf /srv/second"),
			a.bash("touch done.txt"),
			a.claim(),
			modeltest.Say("claimed"),
		))
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "ask",
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			Policy:    policy.Policy{Dir: dir},
		})
		for _, c := range []struct {
			path  string
			scope policy.Scope
		}{{"/srv/first", policy.ScopeOnce}, {"/srv/second", ""}} {
			if q := p.answers(id, c.scope); q.Tool != "agent_run" || !strings.Contains(q.Arguments, c.path) {
				t.Fatalf("the question is %+v", q)
			}
		}
		exit, reason, events := p.result(id)
		if exit != goal.Done {
			t.Fatalf("%s %s", exit, reason)
		}
		for name, want := range map[string]bool{"allowed.txt": true, "denied.txt": false} {
			if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
				t.Errorf("%s: %v", name, err)
			}
		}
		denied := 0
		for _, e := range events {
			if step, ok := e.(*event.Step); ok && step.Outcome == event.Denied {
				denied++
			}
		}
		if denied != 1 {
			t.Errorf("%d steps were denied", denied)
		}
		reported := false
		for _, r := range s.Requests() {
			reported = reported || strings.Contains(string(r.Body), a.refused)
		}
		if !reported {
			t.Error("the refusal did not reach the model")
		}
	})
}

// TestEngine_SandboxHolds: the agent's shell cannot read the user's home. It cannot find the provider's key in any
// environment, command line or file, although the host uses the key. The same search does find what the agent may know:
// the settings with the token of its model server.
func TestEngine_SandboxHolds(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		home, dir := t.TempDir(), t.TempDir()
		key := "sk-engine-" + rand.Text() // random, because a command can read the constants of the test binary
		t.Setenv("ENGINE_TEST_KEY", key)
		p := start(t, home)
		t.Setenv("HOME", home)
		if err := os.WriteFile(filepath.Join(home, "private.txt"), []byte("the-users-secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := p.provide(agentTurns(
			a.bash("cat "+home+"/private.txt; ls -A "+home+"; "+searchFor(key, a.secret)),
			a.bash("touch done.txt"),
			a.claim(),
			modeltest.Say("claimed"),
		))
		saved, err := p.cfg.ChangeProvider("test", func(saved *config.Provider) error {
			saved.APIKeyEnv = "ENGINE_TEST_KEY"
			return nil
		})
		if err != nil || saved.APIKeyEnv == "" {
			t.Fatal(saved, err)
		}
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "look",
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			Policy:    policy.Policy{Dir: dir},
		})
		if exit, reason, _ := p.result(id); exit != goal.Done {
			t.Fatalf("%s %s", exit, reason)
		}
		output := "" // as the model read it
		for _, r := range s.Requests() {
			if r.Last().Role == goal.ToolRole && strings.Contains(r.Last().Text, "key: ") {
				output = r.Last().Text
			}
		}
		keyIsHidden(t, output)
		for i, r := range s.Requests() {
			if r.Header.Get("Authorization") != "Bearer "+key {
				t.Errorf("request %d has no key: %q", i, r.Header.Get("Authorization"))
			}
			if strings.Contains(string(r.Body), key) || strings.Contains(string(r.Body), "the-users-secret") {
				t.Errorf("request %d has what the agent must not know", i)
			}
		}
	})
}

// TestEngine_HostOfACommandLeftRunning_IsAsked: between two calls, a command that the agent left running contacts a
// host. The user is asked about it after the next call, but not about hosts that the agent's own program contacts.
func TestEngine_HostOfACommandLeftRunning_IsAsked(t *testing.T) {
	eachAgent(t, func(t *testing.T, a realAgent) {
		p := start(t, t.TempDir())
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "left.sh"), []byte(
			"touch waits.txt; until test -f go.txt; do sleep 0.05; done; "+
				"curl -sS -m 20 http://left.example/; touch tried.txt"), 0o600))
		play := a.steps(dir, map[string]modeltest.Answer{
			"left.txt": a.bash("touch left.txt; setsid sh left.sh >/dev/null 2>&1 & " +
				"until test -f waits.txt; do sleep 0.05; done"),
			"done.txt": a.bash("touch done.txt"),
		}, "left.txt", "done.txt")
		var once sync.Once
		p.provide(func(n int, r modeltest.Request) modeltest.Answer {
			if r.Last().Role == goal.ToolRole {
				once.Do(func() { // the first call has ended
					touch(t, filepath.Join(dir, "go.txt"))
					awaitFile(t, filepath.Join(dir, "tried.txt"), "")
				})
			}
			return play(n, r)
		})
		id := p.startEngine(goal.Request{
			Options:   goal.Options{Engine: a.id},
			Objective: "leave",
			Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
			Policy:    policy.Policy{Dir: dir},
		})
		if q := p.answers(id, ""); strings.Join(q.Effect.Hosts, " ") != "left.example" {
			t.Errorf("the question is %+v", q)
		}
		exit, reason, events := p.result(id)
		if exit != goal.Done {
			t.Fatalf("%s %s", exit, reason)
		}
		for _, e := range events {
			if q, ok := e.(*event.ApprovalRequested); ok {
				t.Errorf("another question: %+v", q)
			}
		}
	})
}
