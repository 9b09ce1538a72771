package toolbox

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// specs are tools of the core and of several groups.
func specs() []goal.ToolSpec {
	spec := func(name string, in goal.ToolGroup) goal.ToolSpec {
		return goal.ToolSpec{
			Name:        name,
			Description: "Does " + name + ". And more.",
			Schema:      json.RawMessage("{}"),
			Group:       in,
		}
	}
	return []goal.ToolSpec{
		spec("run_command", goal.CoreTools), spec("terminal_keys", goal.PaneTools), spec("browser_open", goal.CoreTools),
		spec("browser_click", goal.BrowserTools), spec("find_tools", goal.CoreTools), spec("start_goal", goal.GoalTools),
		spec("browser_login", goal.LoginTools), spec("declare_step", goal.StepTools),
		spec("browser_type", goal.BrowserTools), spec("look", goal.VisionTools), spec("run_recipe", goal.RecipeTools),
	}
}

func names(list []goal.ToolSpec) string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, s.Name)
	}
	return strings.Join(out, " ")
}

func about(objective string) goal.Goal { return goal.Goal{Request: goal.Request{Objective: objective}} }

func allowing(p policy.Policy) goal.Goal { return goal.Goal{Request: goal.Request{Policy: p}} }

const core = "run_command browser_open find_tools"

func TestNew_Goal_OffersTheCoreAndWhatItNames(t *testing.T) {
	for name, test := range map[string]struct {
		goal goal.Goal
		more string
	}{
		"nothing":               {about("write a slogan in the terminal, in three steps"), ""},
		"an address":            {about("scrape https://a.example"), ""},
		"a tool of a page":      {about("use browser_click"), " browser_click browser_type"},
		"a tool by name":        {about("use start_goal."), " start_goal"},
		"a login":               {about("log in there"), " browser_login"},
		"an HTTP check":         {checked(goal.Check{Type: goal.HTTP}), ""},
		"a visual check":        {checked(goal.Check{Type: goal.Visual}), " browser_click browser_type look"},
		"a command at a server": {checked(goal.Check{Command: "curl localhost"}), ""},
		"required steps":        {allowing(policy.Policy{RequireSteps: true}), " declare_step"},
		"an allowed tool":       {allowing(policy.Policy{AllowTools: []string{"look"}}), " look"},
		"a page of the user": {
			goal.Goal{Request: goal.Request{Options: goal.Options{Panes: []string{"b1"}}}},
			" browser_click browser_type terminal_keys",
		},
		"a denied tool": {goal.Goal{
			Request: goal.Request{
				Objective: "use browser_type",
				Policy:    policy.Policy{DenyTools: []string{"browser_click"}},
			},
		}, " browser_type"},
	} {
		if got := names(New(specs(), test.goal).Offered()); got != core+test.more {
			t.Errorf("%s: offered are %s, want %s", name, got, core+test.more)
		}
	}
}

func checked(c goal.Check) goal.Goal {
	return goal.Goal{Request: goal.Request{Criterion: goal.Criterion{Checks: []goal.Check{c}}}}
}

func TestNoteCalls_NewGroups_JoinAtTheEndAndStay(t *testing.T) {
	b := New(specs(), goal.Goal{})
	calls := []goal.Call{
		{Tool: "run_command"},
		{Tool: "terminal_open"},
		{Tool: "browser_click"},
		{Tool: "nothing"},
		{Tool: FindTool, Arguments: `{"need":"recipes"}`},
		{Tool: FindTool, Arguments: `{`},
		{Tool: "browser_open"},
	}
	before := b.Offered()
	for i := range calls {
		b.NoteCalls(calls[i : i+1])
		after := b.Offered()
		if len(after) < len(before) || names(after[:len(before)]) != names(before) {
			t.Errorf("after %s the tools are %s, and were %s", calls[i].Tool, names(after), names(before))
		}
		before = after
	}
	want := core + " terminal_keys browser_click browser_type run_recipe"
	if got := names(b.Offered()); got != want {
		t.Errorf("offered are %s, want %s", got, want)
	}
	again := New(specs(), goal.Goal{})
	again.NoteCalls(calls)
	if got := names(again.Offered()); got != want {
		t.Errorf("from the same calls at once come %s, want %s", got, want)
	}
	if got := b.WaitingGroups(); !slices.Equal(got, []string{"goals", "logins", "vision", "steps"}) {
		t.Errorf("waiting are %q", got)
	}
}

func TestFind_Need_ListsTheGroupOrAllGroups(t *testing.T) {
	b := New(specs(), goal.Goal{})
	for need, want := range map[string]string{
		"browser":          "- browser_click: Does browser_click.\n- browser_type: Does browser_type.",
		"click something":  "You have these tools now (browser):",
		"start_goal":       "- start_goal: Does start_goal.",
		"work in parallel": "- start_goal: Does start_goal.",
		"press ctrl+c":     "- terminal_keys:",
		"": "No group of tools matches. Name one of these groups:\n" +
			"- browser: browser_click, browser_type\n- panes: terminal_keys",
		"something else entirely": "No group of tools matches.",
	} {
		if got := b.Find(need); !strings.Contains(got, want) {
			t.Errorf("%q finds %q, want %q", need, got, want)
		}
	}
}

// TestNew_ToolsOfServers_JoinWhileTheyFit: a small server is offered from the start, a large one when it is asked for.
func TestNew_ToolsOfServers_JoinWhileTheyFit(t *testing.T) {
	list := append(specs(), goal.ToolSpec{Name: "small__echo", Group: "small"}, goal.ToolSpec{
		Name: "large__get_issue", Description: strings.Repeat("x", maxStartBytes), Group: "large",
	})
	b := New(list, goal.Goal{})
	if got := names(b.Offered()); got != core+" small__echo" {
		t.Errorf("offered are %s", got)
	}
	if n := b.LargestWaiting(); n < maxStartBytes || n > maxStartBytes+100 {
		t.Errorf("the largest group that waits has %d bytes", n)
	}
	for _, need := range []string{"large", "an issue"} {
		if got := b.Find(need); !strings.Contains(got, "large__get_issue") {
			t.Errorf("%q finds %q", need, got)
		}
	}
	b.NoteCalls([]goal.Call{{Tool: FindTool, Arguments: `{"need":"issue"}`}})
	if got := names(b.Offered()); got != core+" small__echo large__get_issue" {
		t.Errorf("offered are %s", got)
	}
}

// TestOffered_TooManyTools_LeavesOutTheOldestServer: providers refuse a request with more than 128 tools. What is not
// offered is named and can still be called.
func TestOffered_TooManyTools_LeavesOutTheOldestServer(t *testing.T) {
	list := specs()
	for _, server := range []struct {
		name  goal.ToolGroup
		tools int
	}{{"first", 60}, {"second", 60}, {"third", 60}, {"huge", 300}} {
		for i := range server.tools {
			list = append(list, goal.ToolSpec{Name: fmt.Sprintf("%s__do_%d", server.name, i), Group: server.name})
		}
	}
	b := New(list, goal.Goal{})
	count := func(server string) int { return strings.Count(names(b.Offered()), server+"__") }
	expect := func(what string, first, second, third, huge int) {
		t.Helper()
		if n := len(b.Offered()); n > 128 {
			t.Errorf("%s: %d tools are offered", what, n)
		}
		if got := []int{count("first"), count("second"), count("third"), count("huge")}; !slices.Equal(got,
			[]int{first, second, third, huge}) {
			t.Errorf("%s: offered are %v", what, got)
		}
	}
	expect("at the start", 60, 60, 0, 0)
	sent := b.Offered()
	b.NoteCalls([]goal.Call{{Tool: FindTool, Arguments: `{"need":"third"}`}})
	expect("another server", 0, 60, 60, 0)
	if n := strings.Count(names(sent), "first__"); n != 60 {
		t.Errorf("a request that is being sent has %d tools of the first server", n)
	}
	b.NoteCalls([]goal.Call{{Tool: "first__do_7"}})
	expect("a tool that was left out is called", 60, 0, 60, 0)
	b.NoteCalls([]goal.Call{{Tool: FindTool, Arguments: `{"need":"huge"}`}})
	expect("a server with more than fit", 0, 0, 0, 128-len(strings.Fields(core)))
	if got := b.Find("huge"); !strings.Contains(got, "- * huge__do_299") || strings.Contains(got, "* huge__do_0:") ||
		!strings.Contains(got, "call them by name") {
		t.Errorf("the agent reads %q", got)
	}
	b.NoteCalls([]goal.Call{{Tool: "browser_click"}})
	if !strings.Contains(names(b.Offered()), "browser_click") {
		t.Error("a group of Goalpost has no space")
	}
}

// callSpecs are tools with arguments, one of them of an MCP server.
func callSpecs() []goal.ToolSpec {
	command := json.RawMessage(`{"type":"object","required":["command"],"additionalProperties":false,"properties":{` +
		`"command":{"type":"string"},"timeout_seconds":{"type":"integer"}}}`)
	path := json.RawMessage(`{"type":"object","required":["path"],"additionalProperties":false,"properties":{` +
		`"path":{"type":"string"}}}`)
	return append(specs(), goal.ToolSpec{Name: "read_file", Schema: path},
		goal.ToolSpec{Name: "run_command", Schema: command}, goal.ToolSpec{Name: "hub__get_issue", Group: "hub"})
}

func TestNameCalls_CaseAndPrefix_NameTheTool(t *testing.T) {
	b := New(callSpecs(), goal.Goal{})
	for name, want := range map[string]string{
		"functions.run_command": "run_command", "Run_Command": "run_command", "run-command": "run_command",
		"default_api:read_file": "read_file", "ReadFile": "read_file", "mcp__goalpost__read_file": "read_file",
		"get_issue": "hub__get_issue", "hub.get_issue": "hub__get_issue", "read_file": "read_file",
		"bash": "bash", "Read": "Read", "": "",
	} {
		calls := []goal.Call{{Tool: name}}
		if b.NameCalls(calls); calls[0].Tool != want {
			t.Errorf("%q names %q, want %q", name, calls[0].Tool, want)
		}
	}
}

func TestDescribeUnknown_OtherNames_AreAnsweredWithTheOneTool(t *testing.T) {
	b := New(callSpecs(), goal.Goal{})
	for call, want := range map[goal.Call]string{
		{Tool: "bash", Arguments: `{"cmd":"ls","why":"x"}`}: `no tool "bash": use run_command, for example {"command":"ls"}`,
		{Tool: "Read", Arguments: `{"file_path":"a.txt"}`}:  `no tool "Read": use read_file, for example {"path":"a.txt"}`,
		{Tool: "read_files"}: `use read_file, for example {"path":"the path"}`,
		{Tool: "click"}:      `use browser_click,`,
		{Tool: "teleport"}:   `there is no tool "teleport". Yours are: run_command, browser_open, find_tools, read_file`,
	} {
		if got := b.DescribeUnknown(call); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", call.Tool, got, want)
		}
	}
}
