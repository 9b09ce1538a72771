package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/cli"
	"goalpost/backend/model/modeltest"
	"goalpost/backend/sandbox/sandboxtest"
)

// agent is another agent that speaks to "goalctl mcp".
type agent struct {
	*testing.T
	session *sdk.ClientSession
	dir     string

	mu       sync.Mutex
	progress []string
}

// lent starts the command with flags, and connects to it.
func lent(t *testing.T, model string, flags ...string) *agent {
	t.Helper()
	t.Setenv("GOALPOST_HELPER", sandboxtest.Helper(t))
	home := t.TempDir()
	t.Setenv("HOME", home)
	a := &agent{T: t, dir: filepath.Join(home, "desk")}
	if err := os.Mkdir(a.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	getenv := func(name string) string {
		return map[string]string{"GOALPOST_HOME": filepath.Join(home, "data"), "HOME": home}[name]
	}
	var words bytes.Buffer
	program := func(in io.ReadCloser, out io.Writer, args ...string) int {
		return cli.Program{Name: "goalctl", Version: "test", Getenv: getenv, Stdin: in, Stdout: out, Stderr: &words}.Run(context.WithoutCancel(t.Context()), args)
	}
	server := modeltest.New(t, play)
	if code := program(nil, io.Discard, "providers", "add", "local", "--base-url", server.URL, "--model", model, "--use"); code != 0 {
		t.Fatalf("exit %d: %s", code, words.String())
	}
	in, to := io.Pipe()
	from, out := io.Pipe()
	exit := make(chan int, 1)
	go func() { exit <- program(in, out, append([]string{"mcp", "--dir", a.dir}, flags...)...) }()
	client := sdk.NewClient(&sdk.Implementation{Name: "other", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			a.mu.Lock()
			defer a.mu.Unlock()
			a.progress = append(a.progress, r.Params.Message)
		},
	})
	var err error
	if a.session, err = client.Connect(t.Context(), &sdk.IOTransport{Reader: from, Writer: to}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.session.Close(); err != nil {
			t.Error(err)
		}
		if code := <-exit; code != 0 {
			t.Errorf("exit %d: %s", code, words.String())
		}
	})
	return a
}

// call calls a tool and gives its text; ok is what the tool says of itself.
func (a *agent) call(name string, args any) (text string, ok bool) {
	a.Helper()
	p := &sdk.CallToolParams{Name: name, Arguments: args}
	p.SetProgressToken(name)
	r, err := a.session.CallTool(a.Context(), p)
	if err != nil {
		a.Fatalf("%s: %v", name, err)
	}
	for _, c := range r.Content {
		if t, is := c.(*sdk.TextContent); is {
			text += t.Text
		}
	}
	return text, !r.IsError
}

func (a *agent) must(name string, args any) string {
	a.Helper()
	text, ok := a.call(name, args)
	if !ok {
		a.Fatalf("%s: %s", name, text)
	}
	return text
}

func (a *agent) refused(name string, args any, words string) {
	a.Helper()
	if text, ok := a.call(name, args); ok || !strings.Contains(text, words) {
		a.Errorf("%s: ok %v: %s", name, ok, text)
	}
}

func (a *agent) create(args map[string]any) string {
	a.Helper()
	var out struct {
		GoalID string `json:"goal_id"`
	}
	if err := json.Unmarshal([]byte(a.must("create_goal", args)), &out); err != nil || out.GoalID == "" {
		a.Fatal(err, out)
	}
	return out.GoalID
}

// TestAnotherAgentCreatesWatchesAndReadsAGoal over MCP, and sees each step.
func TestAnotherAgentCreatesWatchesAndReadsAGoal(t *testing.T) {
	a := lent(t, "claims-first")
	id := a.create(map[string]any{"objective": "create done.txt", "check_shell": "test -f done.txt", "dir": "one"})
	text := a.must("wait_for_goal", map[string]any{"goal_id": id, "timeout_seconds": 60})
	for _, want := range []string{`"status": "completed"`, `"exit": "done"`, `"verified": true`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
	receipt := a.must("goal_receipt", map[string]any{"goal_id": id[18:]})
	if !strings.Contains(receipt, `"fail"`) || !strings.Contains(receipt, `"pass"`) {
		t.Error(receipt)
	}
	if _, err := os.Stat(filepath.Join(a.dir, "one", "done.txt")); err != nil {
		t.Error(err)
	}
	if events := a.must("goal_events", map[string]any{"goal_id": id}); !strings.Contains(events, `"step_started"`) {
		t.Error(events)
	}
	if list := a.must("list_goals", map[string]any{"status": "completed"}); !strings.Contains(list, id) {
		t.Error(list)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !strings.Contains(strings.Join(a.progress, "\n"), "write_file ok") {
		t.Errorf("%q", a.progress)
	}
}

// TestAnotherAgentStaysWithinTheBoundsOfThePerson.
func TestAnotherAgentStaysWithinTheBoundsOfThePerson(t *testing.T) {
	a := lent(t, "slow", "--allow-host", "docs.example")
	base := func(more map[string]any) map[string]any {
		m := map[string]any{"objective": "x", "check_shell": "test -f never"}
		for k, v := range more {
			m[k] = v
		}
		return m
	}
	a.refused("create_goal", base(map[string]any{"risk": "network_write"}), "over write_local")
	a.refused("create_goal", base(map[string]any{"dir": "/etc"}), "outside")
	a.refused("create_goal", base(map[string]any{"dir": "../other"}), "outside")
	a.refused("create_goal", base(map[string]any{"allow_hosts": []string{"shop.example"}}), "not among those")
	a.refused("create_goal", base(map[string]any{"checks": []map[string]any{{"type": "shell", "command": "true", "where": "host"}}}), "leave out where")
	a.refused("create_goal", map[string]any{"objective": "x"}, "check")
	a.refused("create_goal", base(map[string]any{"check_shell": "true"}), "passes")
	a.refused("browser_open", map[string]any{"url": "http://shop.example/"}, "refused")
	a.refused("terminal_run", map[string]any{"pane": "t1", "command": "sudo id"}, "pane")
	a.refused("get_goal", map[string]any{"goal_id": "01unknown0000"}, "no such goal")
	if list := a.must("list_goals", map[string]any{}); strings.Contains(list, `"id"`) {
		t.Error("a refused goal was created: ", list)
	}
	for _, tool := range []string{"run_command", "write_file", "claim_complete", "approve", "start_goal"} {
		if _, err := a.session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{}}); err == nil {
			t.Errorf("%s is offered", tool)
		}
	}
}

// TestAnotherAgentSteersAndEndsItsGoal while it runs.
func TestAnotherAgentSteersAndEndsItsGoal(t *testing.T) {
	a := lent(t, "slow")
	id := a.create(map[string]any{"objective": "x", "check_shell": "test -f never"})
	if text := a.must("wait_for_goal", map[string]any{"goal_id": id, "timeout_seconds": 1}); !strings.Contains(text, `"status": "running"`) {
		t.Error(text)
	}
	a.must("steer_goal", map[string]any{"goal_id": id, "text": "hurry"})
	a.must("abort_goal", map[string]any{"goal_id": id})
	if text := a.must("wait_for_goal", map[string]any{"goal_id": id, "timeout_seconds": 60}); !strings.Contains(text, `"exit": "user_aborted"`) {
		t.Error(text)
	}
	a.refused("steer_goal", map[string]any{"goal_id": id, "text": "again"}, "already")
	a.must("resume_goal", map[string]any{"goal_id": id, "note": "once more"})
}

// TestAnotherAgentUsesPanesInsideTheWalls.
func TestAnotherAgentUsesPanesInsideTheWalls(t *testing.T) {
	a := lent(t, "good")
	opened := a.must("terminal_open", map[string]any{"title": "mine"})
	name := opened[strings.Index(opened, "t1"):][:2]
	text := a.must("terminal_run", map[string]any{"pane": name, "command": "echo $((6*7)); pwd; touch ../escaped", "wait_seconds": 20})
	if !strings.Contains(text, "42") || !strings.Contains(text, a.dir) {
		t.Error(text)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(a.dir), "escaped")); err == nil {
		t.Error("a pane wrote outside the folder")
	}
	if list := a.must("list_panes", map[string]any{}); !strings.Contains(list, `"id": "`+name+`"`) {
		t.Error(list)
	}
	late, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tools, err := a.session.ListTools(late, nil)
	if err != nil || len(tools.Tools) < 20 {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		if tool.Annotations == nil {
			t.Errorf("%s says nothing of itself", tool.Name)
		}
	}
}
