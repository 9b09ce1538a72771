package app_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/agent/mcp/mcptest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
)

func (p *program) mcp() *calls.MCPAPI { return area[*calls.MCPAPI](p.T, p.app) }

// stubServer configures this test binary as an MCP server of the user.
func stubServer(kind string) api.MCPServer {
	return api.MCPServer{
		Name:    "fix",
		Command: os.Args[0],
		Env:     []string{"MCP_TEST_SERVER=" + kind, "GORACE=atexit_sleep_ms=0"},
	}
}

func (p *program) step(tool string) *event.Step {
	p.Helper()
	e := p.await("the step "+tool, func(e event.Event) bool {
		s, ok := e.Body.(*event.Step)
		return ok && s.Tool == tool
	})
	s, _ := e.Body.(*event.Step)
	return s
}

// TestGoal_UsesTheUsersMCPServer checks that the server runs in the goal's sandbox, and that a tool without annotations
// needs approval.
func TestGoal_UsesTheUsersMCPServer(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	if _, err := p.mcp().Save(stubServer("whole")); err != nil {
		t.Fatal(err)
	}
	p.provide(turns(
		call("fix__echo", `{"text":"hello"}`), call("fix__mystery", `{}`), call("fix__note", `{}`),
		call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "use it",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := p.step("fix__echo"); s.Outcome != event.OK || !strings.Contains(s.Result, "hello from ") {
		t.Errorf("%+v", s)
	}
	asked := p.await("the question", func(e event.Event) bool {
		_, ok := e.Body.(*event.ApprovalRequested)
		return ok
	})
	if q, ok := asked.Body.(*event.ApprovalRequested); ok {
		if _, err := area[*calls.ApprovalAPI](p.T, p.app).Answer([]calls.AnswerInput{{
			GoalID:  out.GoalID,
			Request: q.ID,
			Why:     "no",
		}}); err != nil {
			t.Fatal(err)
		}
	}
	if s := p.step("fix__mystery"); s.Outcome != event.Denied ||
		!strings.Contains(s.Result, "does not say what the tool does") {
		t.Errorf("%+v", s)
	}
	p.ended(out.GoalID)
	list, err := p.mcp().List()
	if err != nil || len(list) != 1 || len(list[0].Tools) != 11 || list[0].Title != "fixture 2" || list[0].ListedAt == "" {
		t.Errorf("%+v, %v", list, err)
	}
	for _, f := range p.app.Doctor() {
		if f.ID == "mcp-fix" && (f.State != "ok" || !strings.Contains(f.Detail, "11 tools")) {
			t.Errorf("%+v", f)
		}
	}
}

// TestMCPServer_Environment_IsHiddenFromPrograms: the goal's programs cannot read the server's environment, which
// contains the user's key. The server sees as little of the machine as these programs.
func TestMCPServer_Environment_IsHiddenFromPrograms(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	outside := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(outside, []byte("x"), 0o644))
	server := stubServer("whole")
	readable := t.TempDir()
	must(t, os.WriteFile(filepath.Join(readable, "server.py"), []byte("x"), 0o644))
	server.Env = append(server.Env, "OUTSIDE="+outside, "READABLE="+filepath.Join(readable, "server.py"))
	server.Read, server.Risk = []string{readable}, "read_only"
	if _, err := p.mcp().Save(server); err != nil {
		t.Fatal(err)
	}
	p.provide(turns(
		call("fix__env", `{}`),
		call("run_command",
			with("command",
				`for p in /proc/[0-9]*; do tr '\0' '\n' <$p/environ | grep -q MCP_TEST_SERVER && echo found; done; `+
					`cat /proc/*/cmdline | tr '\0' '\n' | grep -c '[a]pp.test'`)),
		giveUp()))
	out, err := p.goal.Start(goal.Request{
		Objective: "use it",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	if s, err := p.goal.Step(out.GoalID, 1); err != nil ||
		!strings.Contains(s.Result, "OUTSIDE=stat "+outside+": no such file") ||
		!strings.Contains(s.Result, "READABLE=<nil>") {
		t.Errorf("the server sees something else than the folder of its settings: %s, %v", s.Result, err)
	}
	s, err := p.goal.Step(out.GoalID, 2)
	if err != nil || strings.Contains(s.Result, "found") || !strings.Contains(s.Result, "Permission denied") ||
		!strings.Contains(s.Result, "\n1\n") {
		t.Errorf("%s, %v", s.Result, err)
	}
}

// TestMCPServer_DoesNotStart_GoalLacksItsTools checks that a goal works without a server that does not start.
func TestMCPServer_DoesNotStart_GoalLacksItsTools(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	if _, err := p.mcp().Save(stubServer("broken")); err != nil {
		t.Fatal(err)
	}
	p.provide(turns(call("write_file", `{"path":"done.txt","content":"x"}`),
		call("claim_complete", `{"rationale":"there"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "x",
		Criterion: goal.Criterion{Checks: shell("test -f done.txt")},
	})
	if err != nil {
		t.Fatal(err)
	}
	warned := p.await("the warning", func(e event.Event) bool {
		w, ok := e.Body.(*event.Warning)
		return ok && w.What == "mcp"
	})
	if w, ok := warned.Body.(*event.Warning); !ok || !strings.Contains(w.Text, "left-pad") {
		t.Errorf("%+v", warned.Body)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.Done {
		t.Errorf("%+v", e)
	}
}

func TestSaveMCPServer_Invalid_NamesTheField(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	for field, s := range map[string]api.MCPServer{
		"name":    {Name: "A B", Command: "x"},
		"command": {Name: "a"},
		"url":     {Name: "a", URL: "http://x.example/"},
		"env":     {Name: "a", Command: "x", Env: []string{"nothing"}},
		"headers": {Name: "a", URL: "https://x.example", Headers: []string{"nothing"}},
		"risk":    {Name: "a", Command: "x", Risk: "all"},
	} {
		_, err := p.mcp().Save(s)
		if problem := api.ToProblem(err); err == nil || problem.Code != fault.Refused || problem.Field != field ||
			problem.Hint == "" {
			t.Errorf("%s: %+v", field, err)
		}
	}
	if _, err := p.mcp().Test("nobody"); api.ToProblem(err).Code != fault.NotFound {
		t.Error(err)
	}
	if _, err := p.mcp().Delete("nobody"); err == nil {
		t.Error("nothing was deleted")
	}
	if _, err := p.mcp().Save(stubServer("whole")); err != nil {
		t.Fatal(err)
	}
	if s, err := p.mcp().Test("fix"); err != nil || len(s.Tools) != 11 {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := p.mcp().Delete("fix"); err != nil {
		t.Error(err)
	}
	if list, err := p.mcp().List(); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestMCPServer_Remote_HasItsOwnProxy: only the server's tools reach it, not the goal's programs.
func TestMCPServer_Remote_HasItsOwnProxy(t *testing.T) {
	t.Parallel()
	fixture := mcptest.Server("")
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return fixture }, nil))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	p := start(t, t.TempDir()) // must be closed before the server
	if _, err := p.mcp().Save(api.MCPServer{Name: "web", URL: web.URL + "/mcp", Risk: "read_only"}); err != nil {
		t.Fatal(err)
	}
	p.provide(turns(
		call("web__echo", `{"text":"hello"}`), call("run_command", `{"command":"curl -sS -m 5 `+web.URL+`/mcp"}`),
		call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "use it",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := p.step("web__echo"); s.Outcome != event.OK || !strings.Contains(s.Result, "hello from ") {
		t.Errorf("%+v", s)
	}
	if s := p.step("run_command"); s.Outcome == event.OK {
		t.Errorf("a program of the goal reached it: %+v", s)
	}
	p.ended(out.GoalID)
}

// TestMCPServer_WithASecret_AloneGetsIt: only the server gets the value, and the model only sees the name. No program
// gets a secret that is restricted to hosts.
func TestMCPServer_WithASecret_AloneGetsIt(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	secrets := calls.NewSecretAPI(t.Context(), p.app.Secrets())
	for _, s := range []calls.SecretInput{{Name: "TOKEN", Value: "sesame-7351"}, {
		Name:  "BOUND",
		Value: "other-9",
		Hosts: []string{"example.org"},
	}} {
		if _, err := secrets.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	server := stubServer("whole")
	server.Risk = string(policy.ReadOnly)
	server.Env = append(server.Env, "SECRET={{secret:BOUND}}")
	if _, err := p.mcp().Save(server); err != nil {
		t.Fatal(err)
	}
	if _, err := p.mcp().Test("fix"); err == nil || !strings.Contains(err.Error(), "may only be sent to example.org") {
		t.Fatal(err)
	}
	server.Env[len(server.Env)-1] = "SECRET={{secret:TOKEN}}"
	if _, err := p.mcp().Save(server); err != nil {
		t.Fatal(err)
	}
	p.provide(turns(call("fix__env", `{}`), call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)))
	out, err := p.goal.Start(goal.Request{
		Objective: "x",
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := p.step("fix__env"); s.Outcome != event.OK || !strings.Contains(s.Result, "SECRET={{secret:TOKEN}}") {
		t.Errorf("%+v", s)
	}
	p.ended(out.GoalID)
}
