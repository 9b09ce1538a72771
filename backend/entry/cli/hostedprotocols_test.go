package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/lib/waittest"
)

// startProgram starts a command as a process of its own, which the test ends.
func startProgram(t *testing.T, args ...string) (cmd *exec.Cmd, in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	cmd = exec.Command(os.Args[0], args...)
	cmd.Args[0] = "goalctl" // see TestMain
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, in, out
}

// untilListed waits until the user's list shows a goal with words.
func (a *agent) untilListed(id string, words string) {
	a.Helper()
	waittest.Until(a, words, func() bool {
		out, _ := a.user("list", "--json")
		var list struct{ Goals []json.RawMessage }
		if err := json.Unmarshal([]byte(out), &list); err != nil {
			a.Fatal(err, out)
		}
		for _, g := range list.Goals {
			if text := strings.ReplaceAll(string(g), " ", ""); strings.Contains(text, `"id":"`+id+`"`) {
				return strings.Contains(text, words)
			}
		}
		return false
	})
}

// TestMCP_TwoAgents_HaveOwnPanes: one host serves both. The end of one leaves the panes of the other.
func TestMCP_TwoAgents_HaveOwnPanes(t *testing.T) {
	a := startShared(t, "good")
	b := &agent{T: t, dir: a.dir, host: a.host}
	b.connect()
	panes := func(one *agent) int { return strings.Count(one.must("list_panes", map[string]any{}), `"id"`) }
	a.must("terminal_open", map[string]any{"title": "of a"})
	b.must("terminal_open", map[string]any{"title": "of b"})
	if panes(a) != 1 || panes(b) != 1 {
		t.Errorf("panes: %d and %d", panes(a), panes(b))
	}
	if err := b.session.Close(); err != nil {
		t.Error(err)
	}
	waittest.Until(t, "the panes of the agent that left are closed", func() bool {
		s, err := a.host.client.Status(t.Context())
		return err == nil && s.Terminals == 1
	})
	if panes(a) != 1 {
		t.Errorf("the other agent has %d panes", panes(a))
	}
}

// TestMCP_KilledOrSignalled_PausesItsGoals: goals of others keep running.
func TestMCP_KilledOrSignalled_PausesItsGoals(t *testing.T) {
	a := startShared(t, "rests")
	own := a.create(map[string]any{"objective": "x", "check_shell": "test -f never", "dir": "other"})
	for _, signal := range []os.Signal{os.Interrupt, os.Kill} {
		b := &agent{T: t, dir: a.dir, host: a.host, user: a.user}
		cmd, in, out := startProgram(t, "mcp", "--dir", a.dir)
		session, err := sdk.NewClient(&sdk.Implementation{Name: "third", Version: "1"}, nil).
			Connect(t.Context(), &sdk.IOTransport{Reader: out, Writer: in}, nil)
		if err != nil {
			t.Fatal(err)
		}
		b.session = session
		id := b.create(map[string]any{"objective": "x", "check_shell": "test -f never", "dir": signal.String()})
		b.reads(id, `"iteration"`)
		waiting := make(chan struct{})
		go func() {
			defer close(waiting) // with an error: the server has ended
			_, _ = session.CallTool(t.Context(), &sdk.CallToolParams{
				Name: "wait_for_goal", Arguments: map[string]any{"goal_id": id, "timeout_seconds": 600},
			})
		}()
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		<-waiting
		err = cmd.Wait()
		if signal == os.Interrupt && err != nil {
			t.Error(err)
		}
		_ = session.Close() // its server is gone
		a.untilListed(id, `"exit":"interrupted"`)
	}
	a.untilListed(own, `"status":"running"`)
}

// editorProcess is an editor that speaks with goalctl acp, one JSON message a line.
type editorProcess struct {
	*testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func startEditor(t *testing.T) *editorProcess {
	t.Helper()
	cmd, in, out := startProgram(t, "acp", "--engine", "model")
	e := &editorProcess{t, cmd, in, bufio.NewScanner(out)}
	e.send(1, "initialize", `{"protocolVersion":1,"clientCapabilities":{}}`)
	e.until(`"id":1`)
	return e
}

func (e *editorProcess) send(id int, method, params string) {
	e.Helper()
	_, err := fmt.Fprintf(e.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
	if err != nil {
		e.Fatal(err)
	}
}

// until returns the next message with words.
func (e *editorProcess) until(words string) string {
	e.Helper()
	for e.out.Scan() {
		if strings.Contains(e.out.Text(), words) {
			return e.out.Text()
		}
	}
	e.Fatalf("%s does not come: %v", words, e.out.Err())
	return ""
}

// begin begins a session in a folder, and sends a prompt.
func (e *editorProcess) begin(dir, prompt string) {
	e.Helper()
	e.send(2, "session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, dir))
	var got struct{ Result struct{ SessionID string } }
	if line := e.until(`"id":2`); json.Unmarshal([]byte(line), &got) != nil || got.Result.SessionID == "" {
		e.Fatal(line)
	}
	e.send(3, "session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`,
		got.Result.SessionID, prompt))
}

// TestACP_InHost_UsesEnvironmentOfEditor: the key of the model is in the environment of the editor only.
func TestACP_InHost_UsesEnvironmentOfEditor(t *testing.T) {
	h := openHost(t)
	const name, key = "KEY_OF_THE_EDITOR", "sk-only-of-the-editor-1172"
	var got string
	model := modeltest.New(t, func(n int, r modeltest.Request) modeltest.Answer {
		got = r.Header.Get("Authorization")
		return play(n, r)
	})
	t.Setenv(name, key) // after the start of the host
	if code, _, said := h.run(t, "providers", "add", "own", "--base-url", model.URL, "--model", "good", "--key-env", name,
		"--use"); code != 0 {
		t.Fatal(code, said)
	}
	e := startEditor(t)
	e.begin(t.TempDir(), "create done.txt\n/check test -f done.txt")
	e.until("Done. All checks passed")
	e.until(`"stopReason":"end_turn"`)
	if got != "Bearer "+key {
		t.Errorf("the model got %q", got)
	}
	if err := e.in.Close(); err != nil {
		t.Error(err)
	}
	if err := e.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestACP_EditorEnds_PausesGoal: each way in which an editor ends pauses its goal as interrupted.
func TestACP_EditorEnds_PausesGoal(t *testing.T) {
	a := startShared(t, "rests")
	for n, end := range []func(e *editorProcess) error{
		func(e *editorProcess) error { return e.in.Close() },
		func(e *editorProcess) error { return e.cmd.Process.Signal(os.Interrupt) },
		func(e *editorProcess) error { return e.cmd.Process.Kill() },
	} {
		e := startEditor(t)
		e.begin(t.TempDir(), "x\n/check test -f never")
		e.until(`"tool_call"`)
		if err := end(e); err != nil {
			t.Fatal(err)
		}
		_ = e.cmd.Wait() // killed in one case
		out, _ := a.user("list", "--json")
		var list struct{ Goals []struct{ ID string } }
		if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Goals) != n+1 {
			t.Fatal(err, out)
		}
		a.untilListed(list.Goals[0].ID, `"exit":"interrupted"`)
	}
}
