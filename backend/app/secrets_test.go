package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
)

// TestSecret_NotGivenToTheGoal_NeedsApproval: after the approval the secret is filled in. A secret must not change
// which host a call contacts.
func TestSecret_NotGivenToTheGoal_NeedsApproval(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	secrets := calls.NewSecretAPI(t.Context(), p.app.Secrets())
	for name, value := range map[string]string{"pin": "a-Value-1", "where": "../outside-1"} {
		if place, err := secrets.Set(calls.SecretInput{Name: name, Value: value}); err != nil || place != "file" {
			t.Fatal(place, err)
		}
	}
	p.provide(turns(
		args("write_file", map[string]any{"path": "a.txt", "content": "{{secret:pin}}"}),
		args("write_file", map[string]any{"path": "{{secret:where}}", "content": "x"}),
		args("run_command", map[string]any{"command": "echo {{secret:unknown}}"}),
		args("claim_complete", map[string]any{"rationale": "{{secret:pin}}"}),
	))
	dir := t.TempDir()
	out, err := p.goal.Start(goal.Request{
		Objective: "x",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("grep -qx a-Value-1 a.txt")},
	})
	if err != nil {
		t.Fatal(err)
	}
	approvals := p.app.ApprovalAPI(context.Background())
	for range 2 { // the secrets pin and where, each approved for the goal
		asked := p.await("the question", func(e event.Event) bool {
			_, ok := e.Body.(*event.ApprovalRequested)
			return ok
		}).Body.(*event.ApprovalRequested)
		if !strings.Contains(asked.Why, "your secret") || strings.Contains(asked.Arguments+asked.Show, "a-Value-1") {
			t.Errorf("asked: %+v", asked)
		}
		if _, err := approvals.Answer([]calls.AnswerInput{{
			GoalID:  out.GoalID,
			Request: asked.ID,
			Allow:   true,
			Scope:   policy.ScopeSecret,
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if v := p.done(out.GoalID); v.Exit != goal.Done {
		t.Errorf("ended as %s: %s", v.Exit, v.Reason)
	}
	for n, want := range map[int]string{
		2: "not executed: with its secret filled in",
		3: "no such secret is stored: unknown",
	} {
		if step, err := p.goal.Step(out.GoalID, n); err != nil || !strings.Contains(step.Result, want) {
			t.Errorf("step %d: %q, %v", n, step.Result, err)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "outside-1")); err == nil {
		t.Error("a secret decided where a file goes")
	}
	receipt, err := p.goal.Receipt(out.GoalID)
	if err != nil || len(receipt.Claims) != 1 || receipt.Claims[0].Rationale != "{{secret:pin}}" {
		t.Errorf("%+v, %v", receipt.Claims, err)
	}
	p.refused(goal.Request{Policy: policy.Policy{Secrets: []string{"unknown"}}}, "secrets")
}

// TestSecret_RestrictedToAHost_GoesOnlyThere: a frame of another site in the right page gets nothing, a script of the
// agent needs approval, and pictures show dots.
func TestSecret_RestrictedToAHost_GoesOnlyThere(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	must(t, err)
	p := start(t, t.TempDir())
	_, err = calls.NewSecretAPI(t.Context(), p.app.Secrets()).Set(calls.SecretInput{
		Name:  "pin",
		Value: "a-Value-1",
		Hosts: []string{"127.0.0.1"},
	})
	must(t, err)
	fill := func(target string) modeltest.Answer {
		return args("browser_type", map[string]any{"pane": "b1", "target": target, "text": "{{secret:pin}}"})
	}
	p.provide(turns(
		args("write_file", map[string]any{
			"path":    "index.html",
			"content": `<label>Mine <input></label><iframe src="http://localhost:8080/part.html"></iframe>`,
		}),
		args("write_file", map[string]any{"path": "part.html", "content": "<label>Theirs <input></label>"}),
		args("terminal_open", map[string]any{}),
		args("terminal_run", map[string]any{"pane": "t1", "command": served(self), "wait_seconds": 100}),
		args("browser_open", map[string]any{"url": "http://127.0.0.1:8080/"}),
		args("browser_wait", map[string]any{"pane": "b1", "target": "Theirs", "seconds": 100}),
		fill("Mine"), fill("Theirs"),
		args("browser_eval", map[string]any{"pane": "b1", "script": "fetch('http://localhost:8080/?{{secret:pin}}')"}),
		args("browser_eval", map[string]any{
			"pane":   "b1",
			"script": "getComputedStyle(document.querySelector('input')).webkitTextSecurity",
		}),
		args("abort_with_report", map[string]any{"reason": "enough", "what_was_learned": "-"}),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "x",
		Policy:    policy.Policy{Secrets: []string{"pin"}},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	must(t, err)
	if q := p.answers(out.GoalID, ""); q.Tool != "browser_eval" || !strings.Contains(q.Why, "a script could send it") {
		t.Errorf("%s: %s", q.Tool, q.Why)
	}
	p.done(out.GoalID)
	for n, want := range map[int]string{7: `"ok":true`, 8: "may only be sent to 127.0.0.1", 10: "disc"} {
		if s, err := p.goal.Step(out.GoalID, n); err != nil ||
			!strings.Contains(s.Result+`"ok":`+fmt.Sprint(s.Outcome == event.OK), want) {
			t.Errorf("step %d: %s %q, %v", n, s.Outcome, s.Result, err)
		}
	}
}

// TestSecret_InARecipe_IsDecidedByItsStep: a tool that only passes its arguments on gets no secret. A step of a recipe
// needs the same approval as the call itself, and no recipe stores a value.
func TestSecret_InARecipe_IsDecidedByItsStep(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := start(t, home)
	_, err := calls.NewSecretAPI(t.Context(), p.app.Secrets()).Set(calls.SecretInput{
		Name:  "pin",
		Value: "a-Value-1",
		Hosts: []string{"api.example"},
	})
	must(t, err)
	p.allowed(
		args("run_command", map[string]any{"command": "echo first"}),
		args("save_recipe", map[string]any{
			"name":        "say",
			"description": "says {{secret:pin}}",
			"from_step":   1,
			"to_step":     1,
			"parameters":  []map[string]any{{"name": "what", "value": "first"}},
		}),
	)
	must(t, filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if b, bad := os.ReadFile(path); err == nil && bad == nil && strings.Contains(string(b), "a-Value-1") {
			t.Errorf("%s holds the value", path)
		}
		return err
	}))
	p.provide(turns(
		args("run_recipe", map[string]any{
			"name":   "say",
			"values": []map[string]any{{"name": "what", "value": "{{secret:pin}}"}},
		}),
		args("abort_with_report", map[string]any{"reason": "enough", "what_was_learned": "-"}),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "x",
		Policy: policy.Policy{
			Secrets:    []string{"pin"},
			Risk:       policy.NetworkGet,
			AllowHosts: []string{"evil.example"},
		},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	must(t, err)
	if q := p.answers(out.GoalID, ""); q.Tool != "run_command" || q.Arguments != `{"command":"echo {{secret:pin}}"}` ||
		!strings.Contains(q.Why, "belongs to api.example") {
		t.Errorf("%s %s: %s", q.Tool, q.Arguments, q.Why)
	}
	p.done(out.GoalID)
}

// TestHostApproval_ProgramHasSecrets_NamesThem: a program keeps the secrets that it was given, also across a pause. The
// request does not mention secrets that belong to that host, or that were only typed into a page.
func TestHostApproval_ProgramHasSecrets_NamesThem(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	for name, hosts := range map[string][]string{"pin": {"api.example"}, "key": nil, "unused": {"other.example"}} {
		_, err := calls.NewSecretAPI(t.Context(), p.app.Secrets()).Set(calls.SecretInput{
			Name:  name,
			Value: "a-Value-of-" + name,
			Hosts: hosts,
		})
		must(t, err)
	}
	open := func(host string) modeltest.Answer {
		return args("browser_open", map[string]any{"url": "https://" + host + "/"})
	}
	asks := args("ask_user", map[string]any{"question": "continue?"})
	p.provide(turns(
		open("first.example"),
		args("run_command", map[string]any{"command": "echo {{secret:pin}} >f"}),
		open("api.example"), open("second.example"),
		args("write_file", map[string]any{"path": "g", "content": "{{secret:key}}"}),
		asks, open("third.example"),
		args("abort_with_report", map[string]any{"reason": "enough", "what_was_learned": "-"}),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "x",
		Policy:    policy.Policy{Secrets: []string{"pin", "key", "unused"}},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	must(t, err)
	const given = "programs of this goal have received your secret "
	says := func(host string, want ...string) {
		t.Helper()
		q := p.answers(out.GoalID, "")
		if !strings.Contains(q.Why, host) || strings.Contains(q.Why, given) != (len(want) > 0) ||
			strings.Contains(q.Why, "unused") {
			t.Errorf("%s: %s", host, q.Why)
		}
		for _, w := range want {
			if !strings.Contains(q.Why, w) {
				t.Errorf("%s: %s, want %s", host, q.Why, w)
			}
		}
	}
	says("first.example")
	says("api.example")
	says("second.example", given+"pin, which belongs to api.example: they could send it")
	p.done(out.GoalID)
	_, err = p.resume(out.GoalID)
	must(t, err)
	says("third.example", given+"key, which is not bound to a host, and pin, which belongs to api.example")
	p.done(out.GoalID)
}

// TestHostApproval_MCPServerHasSecrets_NamesThem: a local MCP server runs in the goal's sandbox and reaches the same
// hosts as the goal's programs.
func TestHostApproval_MCPServerHasSecrets_NamesThem(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	for name, hosts := range map[string][]string{"key": nil, "bound": {"api.example"}, "idle": nil} {
		_, err := calls.NewSecretAPI(t.Context(), p.app.Secrets()).Set(calls.SecretInput{
			Name:  name,
			Value: "a-Value-of-" + name,
			Hosts: hosts,
		})
		must(t, err)
	}
	server := stubServer("whole")
	server.Env = append(server.Env, "KEY=Bearer {{secret:key}}")
	off, refused := stubServer("whole"), stubServer("whole")
	off.Name, off.Off, off.Env = "off", true, append(off.Env, "KEY={{secret:idle}}")
	refused.Name, refused.Env = "refused", append(refused.Env, "KEY={{secret:bound}}", "GONE={{secret:gone}}")
	address := api.MCPServer{
		Name:    "far",
		URL:     "https://api.example/",
		Headers: []string{"Authorization={{secret:bound}}"},
		Env:     []string{"KEY={{secret:idle}}"},
	}
	for _, s := range []api.MCPServer{server, off, refused, address} {
		_, err := p.mcp().Save(s)
		must(t, err)
	}
	p.provide(turns(args("browser_open", map[string]any{"url": "https://first.example/"}), giveUp()))
	out, err := p.goal.Start(goal.Request{
		Objective: "x",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	must(t, err)
	if q := p.answers(out.GoalID, ""); !strings.HasSuffix(q.Why,
		"; programs of this goal have received your secret key, which is not bound to a host: "+
			"they could send it to a host that you allow") {
		t.Error(q.Why)
	}
	p.done(out.GoalID)
}

// TestSecret_InALaterProcess_IsHidden: a secret that was used once is hidden from every goal that reads the file with
// it. A goal whose secret cannot be opened waits.
func TestSecret_InALaterProcess_IsHidden(t *testing.T) {
	t.Parallel()
	home, dir, id := t.TempDir(), t.TempDir(), ""
	const value = "S3cr3t-Valu3-xyz"
	wait, read := args("ask_user", map[string]any{"question": "continue?"}),
		args("read_file", map[string]any{"path": "f"})
	asks := turns(args("run_command", map[string]any{
		"command": "echo {{secret:pin}} >f; printf '%0285d{{secret:pin}}' 1 >long; cat f",
	}), wait, read, args("search_files", map[string]any{"pattern": "0001"}), wait, read)
	process := func(name string, script modeltest.Script, do func(*program)) {
		t.Run(name, func(t *testing.T) {
			p := start(t, home)
			server := p.provide(script)
			do(p)
			for _, r := range server.Requests() {
				if strings.Contains(string(r.Body), value[:6]) {
					t.Errorf("the model received: %s", r.Body)
				}
			}
			if id != "" && strings.Contains(p.journal(id), value[:6]) {
				t.Error("the journal shows it")
			}
		})
	}
	process("that allowed it", asks, func(p *program) {
		_, err := calls.NewSecretAPI(p.Context(), p.app.Secrets()).Set(calls.SecretInput{Name: "pin", Value: value})
		must(p.T, err)
		out, err := p.goal.Start(goal.Request{
			Objective: "x",
			Policy:    policy.Policy{Dir: dir},
			Criterion: goal.Criterion{Checks: shell("test -f never")},
		})
		must(p.T, err)
		id = out.GoalID
		p.answers(id, policy.ScopeOnce)
		p.done(id)
	})
	process("that continues", asks, func(p *program) {
		_, err := p.resume(id)
		must(p.T, err)
		p.done(id)
		if s, err := p.goal.Step(id, 3); err != nil || !strings.Contains(s.Result, "{{secret:pin}}") {
			p.Errorf("%q, %v", s.Result, err)
		}
		// a result is truncated at 300 bytes
		if s, err := p.goal.Step(id, 4); err != nil || !strings.Contains(s.Result, "[hidden: part of a secret]…") {
			p.Errorf("%q, %v", s.Result, err)
		}
	})
	process("of another goal", turns(read, wait), func(p *program) {
		out, err := p.goal.Start(goal.Request{
			Objective: "y",
			Policy:    policy.Policy{Dir: dir},
			Criterion: goal.Criterion{Checks: shell("test -f never")},
		})
		must(p.T, err)
		p.done(out.GoalID)
		if s, err := p.goal.Step(out.GoalID, 1); err != nil || !strings.Contains(s.Result, "{{secret:pin}}") {
			p.Errorf("%q, %v", s.Result, err)
		}
	})
	key := filepath.Join(home, "state", "secrets.key")
	must(t, os.Chmod(key, 0o644)) // others can read it, so it is refused
	process("that cannot open it", asks, func(p *program) {
		_, err := p.resume(id)
		must(p.T, err)
		if v := p.done(id); v.Exit != goal.NeedsUser || !strings.Contains(v.Reason, "pin (") {
			p.Errorf("%s: %s", v.Exit, v.Reason)
		}
	})
}
