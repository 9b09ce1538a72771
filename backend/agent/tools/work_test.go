package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// hiddenWorld makes a goal's folder with tests/, which only checks may read, and a link to it.
func hiddenWorld(t *testing.T) *tools.Set {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"tests/deep/answer": "forty-two", "mine": "forty-two too"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"up": ".", "folder": "tests", "file": "tests/deep/answer"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	set, err := tools.New(tools.Deps{Dir: dir, Hidden: []string{filepath.Join(dir, "tests")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	})
	return set
}

func TestFileTools_HiddenFolder_IsNotShownByAnyName(t *testing.T) {
	set := hiddenWorld(t)
	for _, c := range []struct{ tool, args string }{
		{"read_file", `{"path":"tests/deep/answer"}`},
		{"read_file", `{"path":"file"}`},
		{"read_file", `{"path":"folder/deep/answer"}`},
		{"read_file", `{"path":"up/tests/deep/answer"}`},
		{"list_files", `{"path":"tests"}`},
		{"list_files", `{"path":"tests/deep"}`},
		{"list_files", `{"path":"up/tests"}`},
		{"list_files", `{"path":"folder/deep"}`},
		{"list_files", `{"path":".","recursive":true}`},
		{"search_files", `{"pattern":"forty-two$","all":true}`},
		{"search_files", `{"pattern":"forty-two$","path":"tests","all":true}`},
		{"search_files", `{"pattern":"forty-two$","path":"folder/deep","all":true}`},
		{"search_files", `{"pattern":"forty-two$","path":"up/tests/deep/answer"}`},
		{"edit_file", `{"path":"tests/deep/answer","old":"forty-two","new":"x"}`},
	} {
		r := doTool(t, set, c.tool, c.args)
		if strings.Contains(r.Text, "deep/answer\n") || strings.Contains(r.Text, "answer  ") ||
			strings.Contains(r.Text, "forty-two\n") {
			t.Errorf("%s %s: %+v", c.tool, c.args, r)
		}
		if c.tool != "list_files" && c.tool != "search_files" && r.OK {
			t.Errorf("%s %s is not refused: %+v", c.tool, c.args, r)
		}
	}
	if r := doTool(t, set, "read_file", `{"path":"mine"}`); !r.OK || !strings.Contains(r.Text, "forty-two too") {
		t.Errorf("another file: %+v", r)
	}
	if r := doTool(t, set, "search_files", `{"pattern":"forty-two"}`); !strings.Contains(r.Text, "mine") {
		t.Errorf("a search: %+v", r)
	}
}

func TestRunCommandEffect_ReadOnlyWithGrantedFolder_NamesIt(t *testing.T) {
	for _, c := range []struct {
		granted []string
		want    string
	}{
		{nil, "the program cannot change anything"},
		{[]string{"/srv/out"}, "the program can change only /srv/out"},
	} {
		set, err := tools.New(tools.Deps{Dir: t.TempDir(), SandboxRisk: policy.ReadOnly, AllowWrite: c.granted})
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range set.Tools() {
			if tool.Spec().Name != "run_command" {
				continue
			}
			e, err := tool.Effect(t.Context(), json.RawMessage(`{"command":"make"}`))
			if err != nil || e.Risk != policy.ReadOnly || e.Reason != c.want {
				t.Errorf("%v: %+v %v", c.granted, e, err)
			}
		}
		if err := set.Close(); err != nil {
			t.Error(err)
		}
	}
}

// doTool executes a call of a tool of a set.
func doTool(t *testing.T, set *tools.Set, name, args string) goal.Result {
	t.Helper()
	for _, tool := range set.Tools() {
		if tool.Spec().Name == name {
			return tool.Do(t.Context(), json.RawMessage(args))
		}
	}
	t.Fatalf("there is no tool %s", name)
	return goal.Result{}
}
