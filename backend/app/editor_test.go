package app_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/coder/acp-go-sdk"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/storage/store"
)

// editorClient is an editor: the client side of the protocol, connected over pipes.
type editorClient struct {
	sdk.Client // the methods that Goalpost does not call

	*testing.T
	conn *sdk.ClientSideConnection

	answer func(sdk.RequestPermissionRequest) string // the option to choose, "" cancels

	mu      sync.Mutex
	updates []sdk.SessionUpdate
	asked   []sdk.RequestPermissionRequest
	began   chan struct{} // receives when a call has begun
}

func (e *editorClient) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, n.Update)
	if n.Update.ToolCall != nil {
		select {
		case e.began <- struct{}{}:
		default:
		}
	}
	return nil
}

func (e *editorClient) RequestPermission(
	_ context.Context, r sdk.RequestPermissionRequest,
) (out sdk.RequestPermissionResponse, err error) {
	e.mu.Lock()
	e.asked = append(e.asked, r)
	e.mu.Unlock()
	if option := e.answer(r); option != "" {
		out.Outcome.Selected = &sdk.RequestPermissionOutcomeSelected{
			Outcome: "selected", OptionId: sdk.PermissionOptionId(option),
		}
		return out, nil
	}
	out.Outcome.Cancelled = &sdk.RequestPermissionOutcomeCancelled{Outcome: "cancelled"}
	return out, nil
}

// said returns everything that the editor shows as JSON: messages, the plan and calls.
func (e *editorClient) said() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	b, err := json.Marshal(e.updates)
	must(e.T, err)
	return string(b)
}

// forget clears what the editor shows.
func (e *editorClient) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates, e.asked = nil, nil
}

// openEditor connects an editor to the program, as goalctl acp does.
func (p *program) openEditor() *editorClient {
	p.Helper()
	fromEditor, toAgent := io.Pipe()
	fromAgent, toEditor := io.Pipe()
	c := &editorClient{
		T:      p.T,
		began:  make(chan struct{}, 1),
		answer: func(sdk.RequestPermissionRequest) string { return "" },
	}
	served := make(chan error, 1)
	go func() {
		err := p.app.ServeEditor(p.Context(), policy.WriteLocal, "model", fromEditor, toEditor)
		_ = toEditor.Close()
		served <- err
	}()
	c.conn = sdk.NewClientSideConnection(c, toAgent, fromAgent)
	p.Cleanup(func() {
		_ = toAgent.Close()
		if err := <-served; err != nil {
			p.Error(err)
		}
		<-c.conn.Done()
	})
	got, err := c.conn.Initialize(p.Context(), sdk.InitializeRequest{ProtocolVersion: sdk.ProtocolVersionNumber})
	if err != nil || got.AgentInfo == nil || got.AgentInfo.Name != "goalpost" || !got.AgentCapabilities.LoadSession {
		p.Fatalf("initialize: %+v %v", got, err)
	}
	return c
}

func (e *editorClient) begin(dir string) sdk.SessionId {
	e.Helper()
	got, err := e.conn.NewSession(e.Context(), sdk.NewSessionRequest{Cwd: dir, McpServers: []sdk.McpServer{}})
	must(e.T, err)
	return got.SessionId
}

func (e *editorClient) prompt(id sdk.SessionId, text string) sdk.StopReason {
	e.Helper()
	got, err := e.conn.Prompt(e.Context(), sdk.PromptRequest{
		SessionId: id,
		Prompt:    []sdk.ContentBlock{sdk.TextBlock(text)},
	})
	must(e.T, err)
	return got.StopReason
}

// TestEditor_PromptWithACheck_BecomesAGoalThatIsVerified: activity, plan, diffs, checks and the report reach the
// editor. The user answers an approval there, and a later prompt reopens the goal.
func TestEditor_PromptWithACheck_BecomesAGoalThatIsVerified(t *testing.T) {
	t.Parallel()
	p, dir, other := start(t, t.TempDir()), t.TempDir(), t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(other, "b.txt"), []byte("what is elsewhere\n"), 0o600))
	p.provide(turns(
		modeltest.Answer{Text: "I begin.", Calls: args("write_todos", map[string]any{
			"todos": []map[string]any{{"text": "change it", "done": false}},
		}).Calls},
		args("edit_file", map[string]any{"path": "a.txt", "old": "one", "new": "two"}),
		args("browser_open", map[string]any{"url": "http://example.invalid/"}),
		args("request_access", map[string]any{"kind": "read", "path": other, "why": "it has the answer"}),
		runs("cp "+filepath.Join(other, "b.txt")+" ."),
		args("claim_complete", map[string]any{"rationale": "changed", "result": "The file says two."}),
	))
	c := p.openEditor()
	c.answer = func(r sdk.RequestPermissionRequest) string {
		if strings.Contains(*r.ToolCall.Title, "browser open") {
			return "deny"
		}
		return string(r.Options[0].OptionId)
	}
	id := c.begin(dir)
	if stop := c.prompt(id, "make it two\n/check grep -q two a.txt"); stop != sdk.StopReasonEndTurn {
		t.Errorf("it stopped with %s", stop)
	}
	said := c.said()
	for _, part := range []string{
		"I begin.", `"content":"change it"`, `"sessionUpdate":"plan"`, `"oldText":"one","path":"` +
			filepath.Join(dir, "a.txt"),
		`"newText":"two\n","oldText":"one\n"`, "Check of claim 1: grep -q two a.txt: pass", "The file says two.",
		"Report of the host", "Done. All checks passed", "what is elsewhere", "available_commands_update",
	} {
		if !strings.Contains(said, part) {
			t.Errorf("the editor does not show %s", part)
		}
	}
	if t.Failed() {
		t.Log(said)
	}
	if len(c.asked) != 2 || !strings.Contains(*c.asked[0].ToolCall.Title, "browser open") ||
		len(c.asked[0].Options) < 2 || c.asked[0].Options[0].Kind != sdk.PermissionOptionKindAllowOnce {
		t.Errorf("asked: %+v", c.asked)
	}
}

// TestEditor_WithoutACheck_UsesTheFolderOrExplains: the folder's proposal is used only if the user accepts it.
func TestEditor_WithoutACheck_UsesTheFolderOrExplains(t *testing.T) {
	t.Parallel()
	p, dir := start(t, t.TempDir()), t.TempDir()
	p.provide(turns(runs("echo x > done.txt"), args("claim_complete", map[string]any{"rationale": "made"})))
	c := p.openEditor()
	id := c.begin(dir)
	c.prompt(id, "make done.txt")
	if said := c.said(); !strings.Contains(said, "has no check that decides when it is reached") {
		t.Errorf("said %s", said)
	}
	must(t, os.MkdirAll(filepath.Join(dir, ".goalpost"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, ".goalpost", "done.yaml"),
		[]byte("checks:\n  - {type: shell, command: test -s done.txt}\n"), 0o600))
	for _, one := range []struct{ option, shows string }{
		{"deny", "were not accepted"},
		{"once", "Done. All checks passed"},
	} {
		c.forget()
		c.answer = func(sdk.RequestPermissionRequest) string { return one.option }
		c.prompt(id, "make done.txt")
		if said := c.said(); !strings.Contains(said, one.shows) || len(c.asked) != 1 ||
			!strings.Contains(c.asked[0].ToolCall.Content[0].Content.Content.Text.Text, "test -s done.txt") {
			t.Errorf("%s: asked %d, said %s", one.option, len(c.asked), said)
		}
	}
	if _, err := c.conn.Prompt(t.Context(), sdk.PromptRequest{
		SessionId: "unknown", Prompt: []sdk.ContentBlock{sdk.TextBlock("x")},
	}); err == nil {
		t.Error("an unknown session was used")
	}
	c.forget()
	c.prompt(id, "more\n/check false\n/risk network_write")
	c.prompt(id, "more\n/check true")
	if said := c.said(); !strings.Contains(said, "already passes") ||
		!strings.Contains(said, "the risk network_write is higher than write_local") {
		t.Errorf("said %s", said)
	}
}

// TestEditor_Cancel_PausesTheGoal: a new connection then loads the session with its history, and the next prompt
// continues the goal.
func TestEditor_Cancel_PausesTheGoal(t *testing.T) {
	t.Parallel()
	p, dir := start(t, t.TempDir()), t.TempDir()
	p.provide(turns(
		modeltest.Answer{Text: "I wait.", Calls: runs("sleep 600").Calls},
		runs("echo x > done.txt"),
		args("claim_complete", map[string]any{"rationale": "made"}),
	))
	c := p.openEditor()
	id := c.begin(dir)
	stopped := make(chan sdk.StopReason, 1)
	go func() {
		got, err := c.conn.Prompt(t.Context(), sdk.PromptRequest{
			SessionId: id, Prompt: []sdk.ContentBlock{sdk.TextBlock("make done.txt\n/check test -s done.txt")},
		})
		if err != nil {
			t.Error(err)
		}
		stopped <- got.StopReason
	}()
	<-c.began
	must(t, c.conn.Cancel(t.Context(), sdk.CancelNotification{SessionId: id}))
	if stop := <-stopped; stop != sdk.StopReasonCancelled {
		t.Errorf("it stopped with %s", stop)
	}
	list, _, err := p.app.Store().Goals.List(t.Context(), store.Filter{Limit: 10})
	if err != nil || len(list) != 1 || list[0].Status != goal.Paused || list[0].Exit != goal.PausedByUser {
		t.Fatalf("goals %+v %v", list, err)
	}
	again := p.openEditor()
	if _, err := again.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{
		SessionId: id, Cwd: dir, McpServers: []sdk.McpServer{},
	}); err != nil {
		t.Fatal(err)
	}
	if said := again.said(); !strings.Contains(said, "I wait.") || !strings.Contains(said, "run command sleep 600") ||
		!strings.Contains(said, "user_message_chunk") {
		t.Errorf("the history: %s", said)
	}
	again.forget()
	if stop := again.prompt(id, "continue without waiting"); stop != sdk.StopReasonEndTurn {
		t.Errorf("it stopped with %s", stop)
	}
	if said := again.said(); !strings.Contains(said, "Done. All checks passed") ||
		!strings.Contains(said, "continue without waiting") {
		t.Errorf("said %s", said)
	}
}

// resume continues a session on a new connection, as an editor does that still has the history.
func (e *editorClient) resume(id sdk.SessionId, dir string) error {
	e.Helper()
	_, err := e.conn.ResumeSession(e.Context(), sdk.ResumeSessionRequest{
		SessionId: id, Cwd: dir, McpServers: []sdk.McpServer{},
	})
	return err
}

// awaitUpdate waits until the editor shows a text.
func (e *editorClient) awaitUpdate(text string) {
	e.Helper()
	waittest.Until(e.T, text, func() bool { return strings.Contains(e.said(), text) })
}

// TestEditor_Resume_ContinuesWithoutHistory: a restarted editor resumes the session without its history. The commands
// are offered again, and the next prompt continues the goal.
func TestEditor_Resume_ContinuesWithoutHistory(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	script := turns(
		modeltest.Answer{Text: "I ask.", Calls: args("ask_user", map[string]any{"question": "Which word?"}).Calls},
		runs("echo blue > done.txt"),
		args("claim_complete", map[string]any{"rationale": "made"}),
	)
	var id sdk.SessionId
	t.Run("first", func(t *testing.T) {
		p := start(t, home)
		p.provide(script)
		c := p.openEditor()
		id = c.begin(dir)
		if stop := c.prompt(id, "make done.txt\n/check test -s done.txt"); stop != sdk.StopReasonEndTurn {
			t.Errorf("it stopped with %s", stop)
		}
		if said := c.said(); !strings.Contains(said, "Which word?") {
			t.Errorf("said %s", said)
		}
	})
	p := start(t, home)
	p.provide(script)
	c := p.openEditor()
	if err := c.resume("goalpost-unknown", dir); err == nil || !strings.Contains(err.Error(), "there is no session") {
		t.Errorf("an unknown session: %v", err)
	}
	must(t, c.resume(id, dir))
	c.awaitUpdate("available_commands_update")
	if said := c.said(); strings.Contains(said, "I ask.") {
		t.Errorf("the history was sent again: %s", said)
	}
	if stop := c.prompt(id, "take blue\n/worktree"); stop != sdk.StopReasonEndTurn {
		t.Errorf("it stopped with %s", stop)
	}
	for _, part := range []string{"Done. All checks passed", "/worktree and /risk are not used", "take blue"} {
		if said := c.said(); !strings.Contains(said, part) {
			t.Errorf("the editor does not show %s: %s", part, said)
		}
	}
	list, _, err := p.app.Store().Goals.List(t.Context(), store.Filter{Limit: 10})
	if err != nil || len(list) != 1 {
		t.Errorf("%d goals, %v", len(list), err)
	}
}

// TestEditor_Worktree_WorksOnABranch: /worktree gives the goal a worktree of the folder's repository. The editor shows
// the changes there and the command that merges them, and the user's files stay unchanged.
func TestEditor_Worktree_WorksOnABranch(t *testing.T) {
	t.Parallel()
	p, repo := start(t, t.TempDir()), newUserRepository(t)
	before := repo.control()
	p.provide(turns(runs("echo x > done.txt"), args("claim_complete", map[string]any{"rationale": "made"})))
	c := p.openEditor()
	if stop := c.prompt(c.begin(repo.dir),
		"make done.txt\n/check test -s done.txt\n/worktree"); stop != sdk.StopReasonEndTurn {
		t.Errorf("it stopped with %s", stop)
	}
	list, err := p.app.Goals.Worktrees(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("worktrees %+v %v", list, err)
	}
	for _, part := range []string{
		"Done. All checks passed", "git -C " + repo.dir + " merge " + list[0].Branch, filepath.Join(list[0].Path, "done.txt"),
	} {
		if said := c.said(); !strings.Contains(said, part) {
			t.Errorf("the editor does not show %s: %s", part, said)
		}
	}
	if _, err := os.Stat(filepath.Join(repo.dir, "done.txt")); err == nil {
		t.Error("the goal changed the user's folder")
	}
	if after := repo.control(); after != before {
		t.Errorf("the user's repository changed from %s to %s", before, after)
	}
	if files := repo.git("show", "--name-only", "--format=", list[0].Branch); files != "done.txt" {
		t.Errorf("the branch has %s", files)
	}
	c.forget()
	c.prompt(c.begin(t.TempDir()), "make done.txt\n/check test -s done.txt\n/worktree")
	if said := c.said(); !strings.Contains(said, "Not started") || !strings.Contains(said, "git") {
		t.Errorf("a folder without git: %s", said)
	}
}

// TestEditor_ManualCheck_IsDecidedThere: the editor explains how to decide. A rejection reaches the agent with the
// user's words, and accept ends the goal.
func TestEditor_ManualCheck_IsDecidedThere(t *testing.T) {
	t.Parallel()
	p, dir := start(t, t.TempDir()), t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, ".goalpost"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, ".goalpost", "done.yaml"),
		[]byte("checks:\n  - {type: shell, command: test -s "+
			"colour}\n  - {type: manual, note: the colour, wait: true}\n"), 0o600))
	p.provide(func(_ int, r modeltest.Request) modeltest.Answer {
		colour := "red"
		if strings.Contains(string(r.Body), "make it blue") {
			colour = "blue"
		}
		return modeltest.Answer{Calls: append(args("write_file", map[string]any{"path": "colour", "content": colour}).Calls,
			args("claim_complete", map[string]any{"rationale": colour}).Calls...)}
	})
	c := p.openEditor()
	c.answer = func(sdk.RequestPermissionRequest) string { return "once" }
	id := c.begin(dir)
	const how = "Write `accept` to accept the result"
	for _, one := range []struct{ prompt, shows, colour string }{
		{"paint it", how, "red"},
		{"make it blue", how, "blue"},
		{"Accept", "Done. All checks passed", "blue"},
	} {
		c.forget()
		if stop := c.prompt(id, one.prompt); stop != sdk.StopReasonEndTurn {
			t.Errorf("%s: it stopped with %s", one.prompt, stop)
		}
		if said := c.said(); !strings.Contains(said, one.shows) {
			t.Errorf("%s: said %s", one.prompt, said)
		}
		if colour, err := os.ReadFile(filepath.Join(dir, "colour")); err != nil || string(colour) != one.colour {
			t.Errorf("%s: the colour is %q, %v", one.prompt, colour, err)
		}
	}
	list, _, err := p.app.Store().Goals.List(t.Context(), store.Filter{Limit: 10})
	if err != nil || len(list) != 1 || list[0].Exit != goal.Done {
		t.Errorf("goals %+v %v", list, err)
	}
}
