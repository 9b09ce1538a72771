package tools_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner/toolbox"
	"goalpost/backend/domain/goal"
)

// counterpart is one tool of the catalogue that must be covered: its purpose, and the tools of Goalpost that serve it.
type counterpart struct {
	name, does string
	here       []string
	how        string // what is different
}

// catalogue lists every tool of the earlier workspace by kind. Each must have a counterpart.
func catalogue() []struct {
	kind string
	rows []counterpart
} {
	return []struct {
		kind string
		rows []counterpart
	}{
		{"Steps, todos and goals", []counterpart{
			{"declare_step", "opens a step with its criteria", []string{"declare_step"}, ""},
			{
				"verify_step", "closes it",
				[]string{"verify_step"},
				"closing it proves nothing; with steps required, one step covers one changing call",
			},
			{"write_todos", "maintains a checklist", []string{"write_todos"}, ""},
			{"complete_todo", "ticks one off", []string{"write_todos"}, "done"},
			{
				"claim_complete", "claims the goal",
				[]string{"claim_complete"},
				"no risk applies to it, so a claim never waits for an approval",
			},
			{"abort_with_report", "gives up", []string{"abort_with_report"}, ""},
			{"wait", "lets time pass", []string{"wait", "wait_until"}, "ends early when the run is paused"},
		}},
		{"Panes and the window", []counterpart{
			{
				"list_panes", "lists all panes",
				[]string{"list_panes"},
				"only the goal's own and those that the user shares",
			},
			{
				"capture_screenshot", "a picture of a pane or the window",
				[]string{"browser_screenshot", "look"},
				"of panes, not of the user's window; a terminal is read as text",
			},
			{"focus_pane", "brings a pane to the front", []string{"focus_pane"}, "the keyboard focus does not move"},
			{
				"maximize_pane", "fills the window with a pane",
				[]string{"focus_pane"},
				"the user chooses the size of panes",
			},
			{
				"create_workspace", "makes a grid of panes",
				[]string{"terminal_open", "browser_open", "name_pane"},
				"an agent opens the panes that it needs; the user arranges them",
			},
			{
				"switch_terminal_tab", "shows another terminal tab",
				[]string{"focus_pane"},
				"every terminal is a pane with its own name, so no call depends on which one is in front",
			},
			{"open_browser_tab", "opens a page in a tab", []string{"browser_open"}, ""},
			{"switch_browser_tab", "shows another tab", []string{"focus_pane"}, "every page is a pane with its own name"},
			{"close_browser_tab", "closes a tab", []string{"close_pane"}, ""},
			{
				"reconnect_pane", "restarts a dead pane",
				[]string{"terminal_open", "browser_history"},
				"reload restores a page that crashed; a terminal on a server reconnects automatically",
			},
			{
				"convert_pane_to_browser", "turns a terminal into a browser",
				[]string{"close_pane", "browser_open"},
				"a pane stays what it is",
			},
			{
				"convert_pane_to_terminal", "turns a browser into a terminal",
				[]string{"close_pane", "terminal_open"},
				"a pane stays what it is",
			},
		}},
		{"Terminals", []counterpart{
			{
				"write_to_terminal", "types, and guesses when the command ends",
				[]string{"terminal_run", "terminal_type", "terminal_keys"},
				"terminal_run knows the end and the exit code from the shell itself",
			},
			{
				"read_terminal_output", "reads the last lines",
				[]string{"terminal_read"},
				"the screen, or consecutive pages of the output",
			},
			{
				"poll_terminal_status", "whether there was output recently",
				[]string{"list_panes", "terminal_wait"},
				"which command is running, not whether it prints",
			},
			{
				"wait_for_output", "waits for a pattern or for silence",
				[]string{"terminal_wait"},
				"for a pattern, the prompt, the end of the command or silence; one call, however long it takes",
			},
		}},
		{"Working together", []counterpart{
			{"get_fleet_status", "agents and their goals", []string{"goal_status"}, ""},
			{"set_agent_role", "names a pane's role", []string{"start_goal", "name_pane"}, "a role is an objective with checks"},
			{
				"assign_task", "starts a goal in a pane",
				[]string{"start_goal"},
				"with checks that the host runs, at most the parent's rights, and a share of its limits",
			},
			{"complete_task", "notes that a task is done", []string{"claim_complete"}, "the host decides that it is done"},
			{"fail_task", "notes that a task failed", []string{"abort_with_report"}, ""},
			{"wait_for_agent", "registers a wait", []string{"wait_for_goal"}, "the call waits"},
			{
				"share_context", "queues a text for an agent",
				[]string{"share_note"},
				"in the other goal's conversation, as the words of another agent",
			},
			{"create_goal", "one goal for each pane", []string{"start_goal"}, ""},
		}},
		{"Browser: navigating and reading", []counterpart{
			{"browser_navigate", "loads an address", []string{"browser_open"}, ""},
			{"browser_back", "goes back", []string{"browser_history"}, ""},
			{"browser_forward", "goes forward", []string{"browser_history"}, ""},
			{"browser_reload", "loads the page again", []string{"browser_history"}, ""},
			{"browser_get_content", "the page's text in pages", []string{"browser_read"}, "as Markdown, with tables"},
			{
				"browser_get_axtree", "the accessibility tree",
				[]string{"browser_snapshot"},
				"with refs, frames and shadow roots, in pages, and as a difference",
			},
			{"browser_query", "one element by selector", []string{"browser_find"}, ""},
			{"browser_query_all", "elements by selector", []string{"browser_find"}, ""},
			{"browser_screenshot", "a picture of the viewport", []string{"browser_screenshot"}, ""},
			{"browser_screenshot_full_page", "a picture of the whole page", []string{"browser_screenshot"}, "full"},
			{
				"browser_screenshot_annotated", "a picture with numbered boxes",
				[]string{"browser_screenshot"},
				"marked: the numbers are the refs that every tool takes",
			},
			{"browser_execute_js", "runs a script", []string{"browser_eval"}, ""},
			{
				"browser_get_cookies", "reads cookies with their values",
				[]string{"browser_cookies"},
				"network_write, and values are never returned",
			},
			{"browser_set_cookie", "sets a cookie", []string{"browser_cookies"}, "network_write"},
			{
				"browser_get_action_log", "the last actions",
				[]string{"read_evidence"},
				"the journal stores every step completely; read_evidence returns it in pages",
			},
			{
				"browser_pane_doctor", "whether a pane answers",
				[]string{"list_panes", "browser_console", "browser_network"},
				"list_panes shows the problem of a pane",
			},
		}},
		{"Browser: acting", []counterpart{
			{"browser_click", "a click by selector", []string{"browser_click"}, "trusted, hit-tested, by ref, selector or text"},
			{"browser_smart_click", "a click with fallbacks", []string{"browser_click"}, "a missing element is a failure"},
			{"browser_click_by_index", "a click by a number in the picture", []string{"browser_click"}, "the numbers are refs"},
			{"browser_click_at", "a click at a point", []string{"browser_click_at"}, "in CSS pixels, as look returns them"},
			{"browser_type", "types into a field", []string{"browser_type"}, ""},
			{"browser_keypress", "presses a key", []string{"browser_press"}, ""},
			{
				"browser_select_option", "chooses in a list",
				[]string{"browser_select"},
				"real keys, or the mouse in an open list",
			},
			{"browser_check", "ticks a box", []string{"browser_check"}, "real input"},
			{"browser_set_files", "gives files to an input", []string{"browser_upload"}, "only of the goal's folder"},
			{"browser_hover", "moves the mouse over an element", []string{"browser_hover"}, ""},
			{
				"browser_drag", "drags between points",
				[]string{"browser_drag"},
				"between elements or points, with the real mouse",
			},
			{"browser_scroll", "scrolls", []string{"browser_scroll"}, ""},
			{"browser_wait_for_selector", "waits for an element", []string{"browser_wait"}, ""},
			{
				"browser_wait_for_navigation", "waits for a page",
				[]string{"browser_wait"},
				"each action already waits until the page has settled",
			},
			{"browser_wait_for_text", "waits for a text", []string{"browser_wait"}, ""},
			{
				"browser_save_pdf", "prints to a file",
				[]string{"browser_save"},
				"always into the goal's folder, never through a dialog",
			},
			{"browser_save_html", "saves the document", []string{"browser_save"}, ""},
		}},
		{"Recipes and vision", []counterpart{
			{
				"browser_list_recipes", "lists recipes",
				[]string{"run_recipe"},
				"without a name, it lists them; recipes can use all tools, not only the browser",
			},
			{
				"browser_save_recipe", "saves steps",
				[]string{"save_recipe"},
				"a range of executed steps, with parameters",
			},
			{
				"browser_run_recipe", "plays steps",
				[]string{"run_recipe"},
				"each step is subject to the same policy, approvals and journal",
			},
			{
				"browser_verify_visual_state", "yes, no or unclear for a page",
				[]string{"look"},
				"decided like the host's visual check; the picture is stored",
			},
			{
				"browser_describe_screen", "describes a page",
				[]string{"look"},
				"the picture is scaled, and coordinates are converted back",
			},
		}},
	}
}

// catalogued is the number of tools in the catalogue, so that a removed row is noticed.
const catalogued = 69

// TestToolsPage_IsCurrent compares docs/tools.md with the schemas and the catalogue.
func TestToolsPage_IsCurrent(t *testing.T) {
	h := newFixture(t)
	specs := map[string]bool{}
	members := map[goal.ToolGroup][]string{}
	for _, one := range h.box.Tools() {
		specs[one.Spec().Name] = true
		members[one.Spec().Group] = append(members[one.Spec().Group], "`"+one.Spec().Name+"`")
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# What an agent can call

Written by `+"`go test ./backend/agent/tools -run ToolsPage -update`"+` from the tools themselves: %d of them. `+
		`The effects of their calls are in
`+"`docs/effects.md`"+`. The tools of the user's MCP servers are not listed; they are named `+"`server__tool`"+`.

Every result has the same envelope: a line of JSON, `+"`{\"ok\":true}`"+`, with `+"`ms`"+`
if a program ran and `+"`has_more`, `next_cursor`, `total_bytes`"+`
if there is more, and the content below it: at most 16 KB unless the tool says otherwise. The rest is stored,
and read_evidence returns it. Text from
terminals, pages, files and other agents is between `+"`<output from=…>` and `</output>`"+`: it is data.

Arguments are brought into the form of the schema where their meaning is plain ("30" for 30), and checked before
anything happens. An error names the invalid argument and shows right ones.

`, len(specs))
	b.WriteString("## Groups\n\nA goal starts with the core. A group is added when the objective names one of its " +
		"tools, when a check needs it, when one of its tools is called, when the first pane of its kind is opened, or with " +
		"`find_tools`. An address in the objective adds none. It remains until the goal ends, even after a pause.\n\n" +
		"| group | tools |\n|---|---|\n")
	for _, group := range slices.Sorted(maps.Keys(members)) {
		name := string(group)
		if group == goal.CoreTools {
			name = "core"
		}
		fmt.Fprintf(&b, "| %s | %s |\n", name, strings.Join(members[group], ", "))
	}
	b.WriteString("\n")
	names := map[string]bool{}
	for _, part := range catalogue() {
		for _, r := range part.rows {
			names[r.name] = true
			if len(r.here) == 0 {
				t.Errorf("%s has no counterpart", r.name)
			}
			for _, name := range r.here {
				if !specs[name] {
					t.Errorf("%s is listed as covered by %s, which is not a tool", r.name, name)
				}
			}
		}
	}
	if len(names) != catalogued {
		t.Errorf("the catalogue has %d tools, not %d", len(names), catalogued)
	}
	b.WriteString("## Tools\n")
	for _, one := range h.box.Tools() {
		describe(t, &b, one.Spec().Name, one.Spec().Description, one.Spec().Schema)
	}
	b.WriteString("\n## Counterparts\n\nThe tools of an earlier workspace for agents, and the tools of Goalpost that " +
		"replace them. Fewer tools do more: a tab is a pane, and one tool waits.\n")
	for _, part := range catalogue() {
		fmt.Fprintf(&b, "\n### %s\n\n| there | what it does | here | how |\n|---|---|---|---|\n", part.kind)
		for _, r := range part.rows {
			fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s |\n", r.name, r.does, strings.Join(r.here, "`, `"), r.how)
		}
	}
	page := filepath.Join("..", "..", "..", "docs", "tools.md")
	if *updateDocs {
		if err := os.WriteFile(page, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(page); err != nil || string(have) != b.String() {
		t.Errorf("docs/tools.md is stale (%v): write it with -update", err)
	}
}

// property is one argument in a schema.
type property struct {
	Type, Description string
	Properties        map[string]property
	Items             *property
	Required          []string
}

func describe(t *testing.T, b *strings.Builder, name, words string, schema []byte) {
	t.Helper()
	var args property
	if err := json.Unmarshal(schema, &args); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n| argument | type | what it is |\n|---|---|---|\n", name, words)
	arguments := func(prefix string, p property) {
		for _, key := range slices.Sorted(maps.Keys(p.Properties)) {
			one, kind := p.Properties[key], p.Properties[key].Type
			if one.Items != nil {
				kind = "list of " + one.Items.Type + "s"
			}
			if slices.Contains(p.Required, key) {
				kind += ", needed"
			}
			fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", prefix, key, kind, strings.ReplaceAll(one.Description, "|", "\\|"))
		}
	}
	arguments("", args)
	for _, key := range slices.Sorted(maps.Keys(args.Properties)) {
		if items := args.Properties[key].Items; items != nil && len(items.Properties) > 0 {
			arguments(key+"[].", *items)
		}
	}
}

// TestTools_HugeResults_AreBounded: whatever a pane, a page or a file contains, one result gives the model a bounded
// part of it. The runner cuts at the budget and stores the rest.
func TestTools_HugeResults_AreBounded(t *testing.T) {
	h := newFixture(t)
	const much = 1 << 20
	h.panes.shown, h.panes.at = strings.Repeat("flood\n", much/6), "http://127.0.0.1/"
	h.put("flood.txt", h.panes.shown)
	h.put("line.txt", strings.Repeat("x", much))
	h.vision.text = "PASS " + h.panes.shown
	h.panes.picture = painted(t, 4, 4)
	for _, c := range [][]any{
		{"read_file", "path", "flood.txt", "lines", much},
		{"read_file", "path", "line.txt"},
		{"search_files", "pattern", "flood|x"},
		{"search_files", "pattern", "flood", "context", 10},
		{"list_files"},
		{"run_command", "command", "cat flood.txt"},
		{"terminal_run", "pane", "t1", "command", "x"},
		{"terminal_read", "pane", "t1"},
		{"terminal_read", "pane", "t1", "page", 1},
		{"terminal_wait", "pane", "t1", "for", "prompt"},
		{"list_panes", "kind", "terminal"},
		{"list_panes"},
		{"browser_open", "url", "http://127.0.0.1/"},
		{"look", "pane", "b1"},
		{"look", "pane", "b1", "expected", "x"},
	} {
		r := h.do(c[0].(string), c[1:]...)
		if !r.OK && c[0] != "terminal_run" {
			t.Errorf("%v: %.200s", c, r.Text)
		}
		if r.Budget <= 0 || r.Budget > 32<<10 {
			t.Errorf("%v may hand over %d bytes", c, r.Budget)
		}
	}
}

// TestGroups_Core_IsSmall: a goal that names no groups starts with at most 23 tools, whose descriptions take at most 16
// KB.
func TestGroups_Core_IsSmall(t *testing.T) {
	specs, err := tools.Specs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	offered := toolbox.New(specs, goal.Goal{Request: goal.Request{Objective: "write a slogan"}}).Offered()
	if n := toolbox.SpecBytes(offered); len(offered) > 23 || len(offered) < 10 || n > 16<<10 {
		t.Errorf("a goal starts with %d tools of %d bytes", len(offered), n)
	}
}
