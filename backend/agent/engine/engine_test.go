package engine

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"goalpost/backend/agent/engine/acp"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeEffects returns effects that name what was asked.
type fakeEffects struct{}

func (fakeEffects) Command(_ context.Context, command string) (policy.Effect, error) {
	return policy.Effect{Risk: policy.WriteLocal, CommandLine: command}, nil
}

func (fakeEffects) Write(_ context.Context, path string) (policy.Effect, error) {
	return policy.Effect{Risk: policy.WriteLocal, Paths: []string{path}}, nil
}

// TestEffect_ArgumentsOfEachAgent_AreUnderstood: each agent has its own place for arguments. A call with missing
// arguments has an unknown effect, which asks the user unless the call has already happened.
func TestEffect_ArgumentsOfEachAgent_AreUnderstood(t *testing.T) {
	s := New(Options{Effects: fakeEffects{}, Dir: "/work"})
	tools := map[string]*AgentTool{}
	for _, tool := range s.AgentTools() {
		tools[tool.Spec().Name] = tool
	}
	for name, c := range map[string]struct {
		call     acp.ToolCall
		observed bool
		tool     string
		want     policy.Effect
		asks     bool
	}{
		"a command line": {
			call: acp.ToolCall{Kind: "execute", Input: `{"command":"make && rm x"}`},
			tool: ToolRun, want: policy.Effect{Risk: policy.WriteLocal, CommandLine: "make && rm x"},
		},
		"a shell and its words": {
			call: acp.ToolCall{Kind: "execute", Input: `{"command":["bash","-lc","make"]}`},
			tool: ToolRun, want: policy.Effect{Risk: policy.WriteLocal, CommandLine: "make"},
		},
		"a program and its words": {
			call: acp.ToolCall{Kind: "execute", Input: `{"command":["echo","it's"]}`},
			tool: ToolRun, want: policy.Effect{Risk: policy.WriteLocal, CommandLine: `echo 'it'\''s'`},
		},
		"a command that is called a read": {
			call: acp.ToolCall{Kind: "read", Input: `{"command":"cat x"}`},
			tool: ToolRun, want: policy.Effect{Risk: policy.WriteLocal, CommandLine: "cat x"},
		},
		"an edit by its diff": {
			call: acp.ToolCall{Kind: "edit", Diffs: []acp.Diff{{Path: "a/b.txt", New: "x"}}},
			tool: ToolEdit, want: policy.Effect{Risk: policy.WriteLocal, Paths: []string{"/work/a/b.txt"}},
		},
		"an edit that leaves the folder": {
			call: acp.ToolCall{Kind: "edit", Input: `{"filePath":"/work/../etc/x"}`},
			tool: ToolEdit, want: policy.Effect{Risk: policy.WriteLocal, Paths: []string{"/etc/x"}},
		},
		"a fetch": {
			call: acp.ToolCall{Kind: "fetch", Input: `{"url":"https://a.example/x"}`},
			tool: ToolFetch, want: policy.Effect{Risk: policy.NetworkGet, Hosts: []string{"a.example"}},
		},
		"a command without arguments": {
			call: acp.ToolCall{Kind: "execute", Title: "bash", Input: ""}, tool: ToolRun, asks: true,
		},
		"arguments that were cut": {
			call: acp.ToolCall{Kind: "execute", Input: `{"command":"ma…`}, tool: ToolRun, asks: true,
		},
		"a read without arguments": {call: acp.ToolCall{Kind: "read"}, tool: ToolRead, asks: true},
		"an unknown tool":          {call: acp.ToolCall{Kind: "other", Input: `{"x":1}`}, tool: ToolOther, asks: true},
		"a kind of the future":     {call: acp.ToolCall{Kind: "levitate"}, tool: ToolOther, asks: true},
		"an unknown tool that ran": {
			call: acp.ToolCall{Kind: "other"}, observed: true, tool: ToolOther,
			want: policy.Effect{Risk: policy.ReadOnly},
		},
	} {
		t.Run(name, func(t *testing.T) {
			call := agentCall(c.call, c.observed)
			if call.Tool != c.tool {
				t.Fatalf("it is %s", call.Tool)
			}
			got, err := tools[call.Tool].Effect(t.Context(), []byte(call.Arguments))
			if err != nil {
				t.Fatal(err)
			}
			if got.Observed != c.observed || (got.Unparsed != "") != c.asks {
				t.Fatalf("%+v", got)
			}
			if !c.asks && (got.Risk != c.want.Risk || got.CommandLine != c.want.CommandLine ||
				strings.Join(got.Paths, " ") != strings.Join(c.want.Paths, " ") ||
				strings.Join(got.Hosts, " ") != strings.Join(c.want.Hosts, " ")) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestFind_NpmInstallation_ReturnsProgramAndVersion: the native program is started, not the script that starts it.
func TestFind_NpmInstallation_ReturnsProgramAndVersion(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	p, _ := FindProfile(Profiles(), "opencode")
	if found := Find(p, root+"/bin", ""); found.Program != "" {
		t.Fatalf("found %+v", found)
	}
	for _, arch := range []string{"linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"} {
		write("lib/node_modules/opencode-"+arch+"/bin/opencode", "native")
	}
	write("lib/node_modules/opencode-ai/bin/opencode", "script")
	write("lib/node_modules/opencode-ai/package.json", `{"version":"1.18.33"}`)
	write("bin/other", "")
	if err := os.Symlink("../lib/node_modules/opencode-ai/bin/opencode", filepath.Join(root, "bin/opencode")); err != nil {
		t.Fatal(err)
	}
	found := Find(p, root+"/bin", "")
	text, err := os.ReadFile(found.Program)
	if err != nil || string(text) != "native" || found.Version != "1.18.33" || !found.IsTested() {
		t.Errorf("found %+v: %s %v", found, text, err)
	}
}

// TestFind_NodeScript_UsesANodeThatIsNewEnough: an agent that is a script runs with the first Node.js that is new
// enough, and can read its packages. Without such a Node.js, the error names what is missing.
func TestFind_NodeScript_UsesANodeThatIsNewEnough(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	const script = ".npm-global/lib/node_modules/@a/agent/dist/index.js"
	write(script, "script")
	write(".npm-global/lib/node_modules/@a/agent/package.json", `{"version":"1.2.3"}`)
	write("old/bin/node", "")
	write("old/include/node/node_version.h", "#define NODE_MAJOR_VERSION 20\n#define NODE_MINOR_VERSION 1\n")
	write(".npm-global/bin/other", "")
	agent := filepath.Join(root, ".npm-global/bin/agent")
	if err := os.Symlink("../lib/node_modules/@a/agent/dist/index.js", agent); err != nil {
		t.Fatal(err)
	}
	p := Profile{ID: "a", Name: "Agent", Command: "agent", Args: []string{"--acp"}, Node: 1000}
	path := filepath.Join(root, "old/bin")
	if found := Find(p, path, root); found.Command == "" || nodeMajor(found.Program) >= 20 && found.Program != "" {
		t.Errorf("found %+v", found)
	}
	write(".nvm/versions/node/v1000/bin/node", "")
	write(".nvm/versions/node/v1000/include/node/node_version.h", "#define NODE_MAJOR_VERSION 1000\n")
	found := Find(p, path, root)
	want := []string{filepath.Join(root, ".nvm/versions/node/v1000/bin/node"), filepath.Join(root, script), "--acp"}
	if !slices.Equal(found.Argv(), want) || found.Version != "1.2.3" || found.Missing() != "" ||
		!slices.Contains(found.ReadFolders(), filepath.Join(root, ".npm-global/lib/node_modules")) {
		t.Errorf("found %+v, starts %q, reads %q", found, found.Argv(), found.ReadFolders())
	}
	if text := (Installation{Profile: p, Command: "x"}).Missing(); !strings.Contains(text, "Node.js 1000") {
		t.Errorf("missing: %q", text)
	}
}

// TestCommand_ProfileWithFiles_WritesThemBeforeTheStart: only the user can read the files, and their texts are not in
// the agent's environment.
func TestCommand_ProfileWithFiles_WritesThemBeforeTheStart(t *testing.T) {
	home := t.TempDir()
	s := New(Options{Env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, Installed: Installation{
		Program: "/bin/sh",
		Profile: Profile{
			Args: []string{"-c", `cat "$HOME/.a b/c.json" "$HOME/d"; env`},
			Files: func(m ModelServer) map[string]string {
				return map[string]string{".a b/c.json": "it's $HOME in " + m.Home + "\n", "d": m.Token + "-text\n"}
			},
		},
	}})
	s.gateway = &gateway{port: 1, token: "the-token"}
	argv, env := s.command()
	c := exec.CommandContext(t.Context(), argv[0], argv[1:]...) //nolint:gosec // the command of this test
	c.Env = env
	out, err := c.CombinedOutput()
	want := "it's $HOME in " + home + "\nthe-token-text\n"
	if err != nil || !strings.HasPrefix(string(out), want) || strings.Count(string(out), "the-token-text") != 1 {
		t.Errorf("%v: %s", err, out)
	}
	if info, err := os.Stat(filepath.Join(home, "d")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if strings.Contains(strings.Join(argv, " "), "the-token") {
		t.Errorf("other users can read the token: %q", argv)
	}
}

// TestCommand_ProfileWithPreload_LoadsItBeforeTheScript: Node.js gets its path in the home folder before the script.
func TestCommand_ProfileWithPreload_LoadsItBeforeTheScript(t *testing.T) {
	s := New(Options{Env: []string{"HOME=/home/x"}, Installed: Installation{
		Program: "/usr/bin/node",
		Script:  "/opt/agent.js",
		Profile: Profile{Args: []string{"--acp"}, Preload: ".a/b.cjs"},
	}})
	s.gateway = &gateway{port: 1, token: "the-token"}
	argv, _ := s.command()
	if got := strings.Join(argv, " "); got != "/usr/bin/node --require /home/x/.a/b.cjs /opt/agent.js --acp" {
		t.Errorf("the command is %s", got)
	}
}

// TestProfiles_Settings_NameOnlyTheModelServer: each agent gets the address of its model and the token, in its
// environment or its files, and a command that installs a tested version.
func TestProfiles_Settings_NameOnlyTheModelServer(t *testing.T) {
	for _, p := range Profiles() {
		all := ""
		m := ModelServer{Address: "http://127.0.0.1:4321", Token: "the-token", Window: 1000, Home: "/home/x"}
		if p.Env != nil {
			all = strings.Join(p.Env(m), "\n")
		}
		if p.Files != nil {
			for path, text := range p.Files(m) {
				if !filepath.IsLocal(path) {
					t.Errorf("%s: the file %s leaves the home folder", p.ID, path)
				}
				all += text
			}
		}
		if !strings.Contains(all, m.Address) || !strings.Contains(all, m.Token) {
			t.Errorf("%s does not learn of its model: %s", p.ID, all)
		}
		if len(p.Tested) == 0 || !strings.Contains(p.Install, p.Tested[0]) || p.Licence == "" {
			t.Errorf("%s: tested %v, %s, %s", p.ID, p.Tested, p.Install, p.Licence)
		}
	}
}

// TestFirstPrompt_AfterLostSession_SummarizesTheWork: the prompt has the goal, the newest steps and new messages, in
// bounded size.
func TestFirstPrompt_AfterLostSession_SummarizesTheWork(t *testing.T) {
	messages := []goal.Message{{Role: goal.User, Text: "Goal: build it"}}
	for range 500 {
		messages = append(messages,
			goal.Message{Role: goal.Assistant, Calls: []goal.Call{{ID: "c", Tool: ToolRun, Arguments: `{"command":"make"}`}}},
			goal.Message{Role: goal.ToolRole, CallID: "c", Text: "{\"ok\":true}\n" + strings.Repeat("x", 5000)})
	}
	messages = append(messages, goal.Message{Role: goal.User, Text: "the run continues"})
	text := firstPrompt(goal.Turn{System: "THE CONTRACT", Messages: messages})
	for _, want := range []string{"THE CONTRACT", "Goal: build it", "agent_run", "the run continues"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if len(text) > 2*maxSummary {
		t.Errorf("%d bytes", len(text))
	}
	if text := firstPrompt(goal.Turn{System: "S", Messages: messages[:1]}); text != "S\nGoal: build it" {
		t.Errorf("a new goal begins with %q", text)
	}
}

// TestFailedResults_NewestCalls_NameTheTool: successful calls and earlier calls are left out.
func TestFailedResults_NewestCalls_NameTheTool(t *testing.T) {
	call := func(id string) goal.Message {
		return goal.Message{Role: goal.Assistant, Calls: []goal.Call{{ID: id, Tool: ToolRun}, {ID: id + "2", Tool: ToolEdit}}}
	}
	result := func(id, text string) goal.Message { return goal.Message{Role: goal.ToolRole, CallID: id, Text: text} }
	messages := []goal.Message{
		call("a"), result("a", "{\"ok\":false}\nold"), call("b"), result("b", "{\"ok\":false}\nunknown"),
		result("b2", "{\"ok\":true}\nfine"),
		{Role: goal.User, Text: "the run continues"},
	}
	if got := strings.Join(failedResults(messages), "|"); got != "The result of agent_run: unknown" {
		t.Errorf("got %q", got)
	}
}

// TestObservedCall_AgentAsksNothing_IsReportedAtItsStart: a call is reported once, when it begins, with the details
// known by then. Calls of our tools are not reported, because the host receives them. A later call does not wait for
// one that is still running.
func TestObservedCall_AgentAsksNothing_IsReportedAtItsStart(t *testing.T) {
	for _, asksNothing := range []bool{true, false} {
		s := New(Options{
			Installed: Installation{Profile: Profile{AsksNothing: asksNothing}},
			Tools:     []goal.ToolSpec{{Name: "claim_complete"}},
			Now:       time.Now,
		})
		s.turn = &turn{}
		l := listener{s}
		l.ToolCall(acp.ToolCall{ID: "0", Title: "mcp.goalpost.claim_complete", Status: "in_progress", Input: `{"a":1}`})
		l.ToolCall(acp.ToolCall{ID: "1", Kind: "execute", Status: "in_progress"})
		if len(s.inbox.requests) != 0 {
			t.Fatalf("reported too early: %+v", s.inbox.requests)
		}
		begun := acp.ToolCall{ID: "1", Kind: "execute", Status: "in_progress", Input: `{"command":"make"}`}
		l.ToolCall(begun)
		l.ToolCall(begun)
		if begunRequests := len(s.inbox.requests); (begunRequests == 1) != asksNothing {
			t.Fatalf("asks nothing: %t, reported %d times when it began", asksNothing, begunRequests)
		}
		if asksNothing {
			first := s.inbox.requests[0]
			if s.inbox.hasOthers(first) || first.isOver || !strings.Contains(first.call.Arguments, `"observed":true`) {
				t.Errorf("the call is %+v", first)
			}
			l.ToolCall(acp.ToolCall{ID: "2", Kind: "execute", Status: "in_progress", Input: `{"command":"ls"}`})
			if !s.inbox.hasOthers(first) {
				t.Error("the next call waits for the first")
			}
		}
		begun.Status = "completed"
		l.ToolCall(begun)
		if first := s.inbox.requests[0]; first.toolCall.Status != "completed" || first.ended != nil && !first.isOver {
			t.Errorf("asks nothing: %t, at the end it is %+v", asksNothing, first)
		}
	}
}

// TestCodexFiles_ModelServer_AreValidSettings: the settings name the model server of this run, and no file has the
// token.
func TestCodexFiles_ModelServer_AreValidSettings(t *testing.T) {
	m := ModelServer{Address: "http://127.0.0.1:1234", Token: "the-token", Window: 4096}
	files := codexFiles(m)
	for _, want := range []string{
		`base_url = "http://127.0.0.1:1234/v1"`, "model_context_window = 4096", `env_key = "` + codexTokenVariable + `"`,
	} {
		if !strings.Contains(files[".codex/config.toml"], want) {
			t.Errorf("%q is missing in %s", want, files[".codex/config.toml"])
		}
	}
	var catalog struct {
		Models []struct {
			Slug   string
			Window int `json:"context_window"`
		}
	}
	err := json.Unmarshal([]byte(files[".codex/models.json"]), &catalog)
	if err != nil || len(catalog.Models) != 1 || catalog.Models[0].Window != 4096 || catalog.Models[0].Slug != "relay" {
		t.Errorf("the catalog is %+v: %v", catalog, err)
	}
	for path, text := range files {
		if strings.Contains(text, m.Token) {
			t.Errorf("%s has the token", path)
		}
	}
	if !slices.Contains(codexEnv(m), codexTokenVariable+"=the-token") {
		t.Errorf("the environment is %q", codexEnv(m))
	}
}
