package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/entry/cli"
	"goalpost/backend/goals/api"
	"goalpost/backend/host/sandbox/sandboxtest"
)

// makeRepository makes a git repository with one commit.
func makeRepository(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	runGit(t, dir, "init", "-q", "-b", "main")
	runGit(t, dir, "config", "user.name", "Ada")
	runGit(t, dir, "config", "user.email", "ada@example.org")
	runGit(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
}

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestWorktree_OfAnotherAgentAndOfTheCommandLine: both create goals in worktrees of one repository, which can be
// listed, merged and removed.
func TestWorktree_OfAnotherAgentAndOfTheCommandLine(t *testing.T) {
	a := startShared(t, "good")
	repo := filepath.Join(a.dir, "shop")
	makeRepository(t, repo)
	id := a.create(map[string]any{
		"objective": "of the agent", "check_shell": "test -s done.txt", "dir": "shop", "worktree": true,
	})
	text := a.must("wait_for_goal", map[string]any{"goal_id": id, "timeout_seconds": 600})
	if !strings.Contains(text, `"exit": "done"`) || !strings.Contains(text, "merge goalpost/of-the-agent") {
		t.Errorf("the goal: %s", text)
	}
	a.must("goal_receipt", map[string]any{"goal_id": id}) // allowed, although the goal worked in a worktree
	out, code := a.user("run", "--worktree", "--dir", repo, "--check", "test -s done.txt", "of the user")
	if code != 0 {
		t.Errorf("run: exit %d: %s", code, out)
	}
	out, code = a.user("worktree", "list", "--json")
	var list []api.WorktreeView
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 || len(list) != 2 {
		t.Fatalf("exit %d, %v: %s", code, err, out)
	}
	for _, w := range list {
		if w.Repository != repo || w.IsMerged || w.Uncommitted != 0 || w.GoalID == "" ||
			w.MergeCommand != "git -C "+repo+" merge "+w.Branch {
			t.Errorf("%+v", w)
		}
	}
	if out, code := a.user("worktree", "remove", id); code == 0 {
		t.Errorf("unmerged work was removed: %s", out)
	}
	runGit(t, repo, "merge", "-q", "--no-edit", "goalpost/of-the-agent")
	if out, code := a.user("worktree", "remove", id); code != 0 || !strings.Contains(out, "goalpost/of-the-agent was at") {
		t.Errorf("exit %d: %s", code, out)
	}
	if out, code := a.user("worktree", "list"); code != 0 || !strings.Contains(out, "not merged") ||
		strings.Contains(out, "of-the-agent") {
		t.Errorf("exit %d: %s", code, out)
	}
	makeRepository(t, filepath.Dir(a.dir)) // a repository that contains the server's folder
	a.refused("create_goal", map[string]any{
		"objective": "x", "check_shell": "test -s never", "dir": "inner", "worktree": true,
	}, "is outside")
	if branches := runGit(t, filepath.Dir(a.dir), "branch", "--format=%(refname:short)"); branches != "main" {
		t.Errorf("branches: %s", branches)
	}
}

// TestACP_OnStandardInput_AnswersAndEndsWithIt also checks that standard output carries only the protocol.
func TestACP_OnStandardInput_AnswersAndEndsWithIt(t *testing.T) {
	t.Setenv("GOALPOST_HELPER", sandboxtest.Helper(t))
	home := t.TempDir()
	t.Setenv("HOME", home)
	in, editor := io.Pipe()
	answers, out := io.Pipe()
	var words bytes.Buffer
	exit := make(chan int, 1)
	go func() {
		code := cli.Program{
			Name:    "goalctl",
			Version: "test",
			Getenv:  func(name string) string { return map[string]string{"GOALPOST_HOME": home, "HOME": home}[name] },
			Stdin:   in,
			Stdout:  out,
			Stderr:  &words,
		}.Run(context.WithoutCancel(t.Context()), []string{"acp"})
		_ = out.Close()
		exit <- code
	}()
	_, err := io.WriteString(editor,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		ID     int `json:"id"`
		Result struct {
			AgentInfo         struct{ Name, Version string }
			AgentCapabilities struct{ LoadSession bool }
		}
	}
	d := json.NewDecoder(answers)
	if err := d.Decode(&got); err != nil || got.ID != 1 || got.Result.AgentInfo.Name != "goalpost" ||
		got.Result.AgentInfo.Version != "test" || !got.Result.AgentCapabilities.LoadSession {
		t.Errorf("answer %+v: %v", got, err)
	}
	if err := editor.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Decode(&got); err == nil {
		t.Errorf("more than one answer: %+v", got)
	}
	if code := <-exit; code != 0 {
		t.Errorf("exit %d: %s", code, words.String())
	}
}
