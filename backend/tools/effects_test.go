package tools_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
	"goalpost/backend/tools"
)

var updateDocs = flag.Bool("update", false, "write docs/effects.md")

// sample is a call whose effect stands in docs/effects.md.
type sample struct {
	tool  string
	what  string // in words
	args  []any
	at    string // where the pane is
	touch tools.Touch
	own   bool // the terminal is the person's own
}

const shop, local = "https://shop.example/cart", "http://127.0.0.1:8080/"

func samples() []sample {
	click := []any{"pane", "b1", "target", "e1"}
	typing := []any{"pane", "b1", "target", "e1", "text", "x"}
	enter := append(slices.Clone(typing), "submit", true)
	form := func(method, action string) tools.Touch { return tools.Touch{Method: method, Action: action} }
	run := func(line string) []any { return []any{"command", line} }
	return []sample{
		{tool: "run_command", what: "any command", args: run("make test")},
		{tool: "run_command", what: "`rm` of something outside the folder", args: run("cd /srv && rm -rf photos")},
		{tool: "run_command", what: "`git push --force`, also inside `sh -c`", args: run("sh -c 'git push --force'")},
		{tool: "run_command", what: "publishing a package", args: run("npm publish")},
		{tool: "run_command", what: "changing credentials", args: run("sudo passwd anna")},
		{tool: "read_file", what: "a file of the folder", args: []any{"path", "a"}},
		{tool: "list_files", what: "the folder"},
		{tool: "search_files", what: "files of the folder", args: []any{"pattern", "x"}},
		{tool: "write_file", what: "a file of the folder", args: []any{"path", "a", "content", "x"}},
		{tool: "write_file", what: "a hook of git", args: []any{"path", ".git/hooks/pre-commit", "content", "x"}},
		{tool: "edit_file", what: "a file of the folder", args: []any{"path", "a", "old", "x", "new", "y"}},
		{tool: "terminal_open", what: "a shell of the goal"},
		{tool: "terminal_run", what: "any line, in a terminal of the goal", args: []any{"pane", "t1", "command", "make"}},
		{tool: "terminal_run", what: "any line, in a terminal that is not confined", args: []any{"pane", "t1", "command", "make"}, own: true},
		{tool: "terminal_type", what: "text, in a terminal of the goal", args: []any{"pane", "t1", "text", "yes"}},
		{tool: "terminal_type", what: "text, in a terminal that is not confined", args: []any{"pane", "t1", "text", "yes"}, own: true},
		{tool: "terminal_keys", what: "keys, in a terminal of the goal", args: []any{"pane", "t1", "keys", []string{"Ctrl+C"}}},
		{tool: "terminal_wait", what: "what a terminal prints next", args: []any{"pane", "t1", "for", "prompt"}},
		{tool: "terminal_list", what: "the terminals of the goal"},
		{tool: "terminal_read", what: "what a terminal shows", args: []any{"pane", "t1"}},
		{tool: "list_panes", what: "the panes of the goal"},
		{tool: "open_pane", what: "a terminal", args: []any{"kind", "terminal"}},
		{tool: "open_pane", what: "a browser at a public page", args: []any{"kind", "browser", "url", shop}},
		{tool: "close_pane", what: "a pane of the goal", args: []any{"pane", "t1"}},
		{tool: "focus_pane", what: "a pane of the goal", args: []any{"pane", "t1"}},
		{tool: "name_pane", what: "a pane of the goal", args: []any{"pane", "t1", "title", "x"}},
		{tool: "save_recipe", what: "steps that were made", args: []any{"name", "x", "description", "x", "from_step", 1, "to_step", 2}},
		{tool: "run_recipe", what: "steps, of which each is judged by itself", args: []any{"name", "known"}},
		{tool: "look", what: "what a pane looks like", args: []any{"pane", "b1"}},
		{tool: "verify_visual", what: "what a page looks like", args: []any{"pane", "b1", "expected", "x"}},
		{tool: "start_goal", what: "a goal that may do no more than this one", args: []any{"objective", "x", "checks", []map[string]any{{"type": "file", "path": "a"}}}},
		{tool: "goal_status", what: "the goals that it started"},
		{tool: "wait_for_goal", what: "a goal that it started", args: []any{"goal", "abcdefgh"}},
		{tool: "share_note", what: "a goal that it started, or its parent", args: []any{"to", "parent", "text", "x"}},
		{tool: "browser_open", what: "a page of the goal's own loopback", args: []any{"url", local}},
		{tool: "browser_open", what: "a public page", args: []any{"url", shop}},
		{tool: "browser_snapshot", what: "what a page says", args: []any{"pane", "b1"}},
		{tool: "browser_find", what: "what a page says", args: []any{"pane", "b1", "text", "x"}},
		{tool: "browser_read", what: "what a page says", args: []any{"pane", "b1"}},
		{tool: "browser_screenshot", what: "what a page looks like", args: []any{"pane", "b1"}},
		{tool: "browser_tabs", what: "the goal's own panes"},
		{tool: "browser_wait", what: "what a page says", args: []any{"pane", "b1", "text", "x"}},
		{tool: "browser_console", what: "what a page wrote", args: []any{"pane", "b1"}},
		{tool: "browser_network", what: "what a page fetched", args: []any{"pane", "b1"}},
		{tool: "browser_download", what: "what a page sent", args: []any{"pane", "b1"}},
		{tool: "browser_scroll", what: "a page of the own loopback", args: []any{"pane", "b1", "down", 100}, at: local},
		{tool: "browser_scroll", what: "a public page, which may load more of itself", args: []any{"pane", "b1", "down", 100}, at: shop},
		{tool: "browser_hover", what: "something on a public page", args: click, at: shop},
		{tool: "browser_click", what: "anything on a page of the own loopback", args: click, at: local},
		{tool: "browser_click", what: "a link to a public host", args: click, at: shop, touch: tools.Touch{Link: "https://docs.example/a"}},
		{tool: "browser_click", what: "a link from the own loopback to a public host", args: click, at: local, touch: tools.Touch{Link: "https://docs.example/a"}},
		{tool: "browser_click", what: "a button of a form with GET on a public host", args: click, at: shop, touch: form("GET", shop)},
		{tool: "browser_click", what: "a button of a form with POST on a public host", args: click, at: shop, touch: form("POST", shop)},
		{tool: "browser_click", what: "a button of a form on the own loopback", args: click, at: local, touch: form("POST", local)},
		{tool: "browser_click", what: "a form on the own loopback that goes to a public host", args: click, at: local, touch: form("POST", shop)},
		{tool: "browser_click", what: "anything else on a public page", args: click, at: shop},
		{tool: "browser_click", what: "a button of a public page that asks for a card", args: click, at: shop, touch: tools.Touch{Method: "POST", Action: shop, Payment: true}},
		{tool: "browser_click", what: "a page that cannot be told", args: click, at: "chrome-error://chromewebdata/"},
		{tool: "browser_type", what: "a field of the own loopback", args: typing, at: local},
		{tool: "browser_type", what: "a field of a public page", args: typing, at: shop},
		{tool: "browser_type", what: "Enter in a form with POST on a public host", args: enter, at: shop, touch: form("POST", shop)},
		{tool: "browser_press", what: "Enter in a form with POST on a public host", args: []any{"pane", "b1", "keys", "Enter"}, at: shop, touch: form("POST", shop)},
		{tool: "browser_press", what: "any key on a page of the own loopback", args: []any{"pane", "b1", "keys", "Escape"}, at: local},
		{tool: "browser_select", what: "a list of a public page", args: []any{"pane", "b1", "target", "e1", "options", []string{"x"}}, at: shop},
		{tool: "browser_check", what: "a box of a public page", args: click, at: shop},
		{tool: "browser_drag", what: "something on a public page", args: []any{"pane", "b1", "from", "e1", "to", "e2"}, at: shop},
		{tool: "browser_drag", what: "something on a page of the own loopback", args: []any{"pane", "b1", "from", "e1", "to", "e2"}, at: local},
		{tool: "browser_click_at", what: "a point of a public page", args: []any{"pane", "b1", "x", 1, "y", 1}, at: shop},
		{tool: "browser_dialog", what: "OK on a public page", args: []any{"pane", "b1", "accept", true}, at: shop},
		{tool: "browser_dialog", what: "Cancel, as any other call would answer", args: []any{"pane", "b1", "accept", false}, at: local},
		{tool: "browser_history", what: "back to a public page", args: []any{"pane", "b1", "go", "back"}, at: shop},
		{tool: "browser_history", what: "loading a public page again that answered a form", args: []any{"pane", "b1", "go", "reload"}, at: shop, touch: form("POST", shop)},
		{tool: "browser_eval", what: "a script in a public page", args: []any{"pane", "b1", "script", "1"}, at: shop},
		{tool: "browser_eval", what: "a script in a page of the own loopback", args: []any{"pane", "b1", "script", "1"}, at: local},
		{tool: "browser_upload", what: "a file of the folder to a public page", args: []any{"pane", "b1", "files", []string{"a"}}, at: shop},
		{tool: "browser_save", what: "a page into a file of the folder", args: []any{"pane", "b1", "path", "a.pdf", "as", "pdf"}, at: shop},
		{tool: "browser_login", what: "a saved login, which the goal was not given", args: []any{"pane", "b1"}, at: shop, touch: form("POST", shop)},
		{tool: "browser_cookies", what: "reading or setting cookies, wherever", args: []any{"pane", "b1"}, at: local},
	}
}

// TestEffectsPage holds docs/effects.md to what the tools compute, and every tool
// to a line in it.
func TestEffectsPage(t *testing.T) {
	h := newHouse(t)
	law, err := policy.Standard("/home/anna")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(`# What each call does

Computed by the tools themselves; ` + "`go test ./backend/tools -run EffectsPage -update`" + ` writes this page. The policy judges the effect and not
the tool's name (` + "`backend/policy`" + `). What a tool cannot foresee is held below it: by the kernel for programs, by the egress proxy for programs and pages.

| tool | call | effect | at the default ceiling (write_local) |
|---|---|---|---|
`)
	told := map[string]bool{}
	for _, s := range samples() {
		h.panes.at, h.panes.touch, h.panes.person = s.at, s.touch, s.own
		e, err := h.effect(s.tool, s.args...)
		if err != nil {
			t.Fatalf("%s %v: %v", s.tool, s.args, err)
		}
		d := law.Decide(policy.Call{Tool: s.tool, Key: "k", Effect: e}, policy.Policy{Risk: policy.WriteLocal, Dir: h.dir}, nil)
		answer := string(d.Answer)
		if d.Always {
			answer = "asks, at every level"
		} else if d.Answer == policy.Ask {
			answer = "asks"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.tool, s.what, e.Risk, answer)
		told[s.tool] = true
	}
	control := []string{}
	for _, one := range h.box.Tools() {
		name := one.Spec().Name
		if told[name] {
			continue
		}
		if _, known := withoutEffect[name]; !known {
			t.Errorf("docs/effects.md has no line for the tool %s: add a sample", name)
		}
		control = append(control, "`"+name+"`")
	}
	slices.Sort(control)
	fmt.Fprintf(&b, "\nControl tools, to which no risk applies: %s.\n\n## What always asks, and what is never written\n\n| rule | answer | why | for example |\n|---|---|---|---|\n", strings.Join(control, ", "))
	for _, r := range law.Rules() {
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` |\n", r.Name, r.Answer, r.Why, r.Match[0])
	}
	b.WriteString("\nPaying, deleting outside the folder and typing into a pane that is not confined always ask, too.\n")
	page := filepath.Join("..", "..", "docs", "effects.md")
	if *updateDocs {
		if err := os.WriteFile(page, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(page)
	if err != nil || string(have) != b.String() {
		t.Errorf("docs/effects.md is stale (%v): write it with -update", err)
	}
}

// withoutEffect are the tools without an effect.
var withoutEffect = map[string]bool{
	"claim_complete": true, "abort_with_report": true, "ask_operator": true, "declare_step": true, "verify_step": true,
	"write_todos": true, "complete_todo": true, "read_evidence": true, "wait": true,
}

// TestShellLines: what is found in a line, and that nothing else is.
func TestShellLines(t *testing.T) {
	h := newHouse(t)
	for _, c := range []struct{ line, deletes, commands string }{
		{"rm -rf build", "build", "rm"},
		{"rm -rf -- /srv/photos", "/srv/photos", "rm"},
		{"rm -rf ../other", "../other", "rm"},
		{"cd /srv && rm a b", "/srv/a /srv/b", "cd rm"},
		{"cd && rm -r Documents", "/~/Documents", "cd rm"},
		{`rm "$HOME/notes" ~/x`, "/~/notes /~/x", "rm"},
		{`rm -rf "$BUILD"`, "", "rm"},
		{"find /srv -name '*.log' -delete", "/srv", "find"},
		{"find . -exec rm {} +", ".", "find"},
		{"mv /srv/a .", "/srv/a", "mv"},
		{"sudo -n rm /srv/a", "/srv/a", "sudo rm"},
		{`bash -lc "sh -c 'git push -f'"`, "", "bash sh git"},
		{"echo rm -rf /", "", "echo"},
		{"true; (git push -f) | cat", "", "true git cat"},
		{"timeout 5 env A=1 git push -f", "", "timeout env git"},
		{"x=$(rm /srv/a)", "/srv/a", "rm"},
		{"if then", "", ""},
	} {
		e, err := h.effect("run_command", "command", c.line)
		if err != nil {
			t.Fatal(err)
		}
		var deletes, commands []string
		for _, d := range strings.Fields(c.deletes) {
			if !filepath.IsAbs(d) {
				d = filepath.Join(h.dir, d)
			}
			deletes = append(deletes, d)
		}
		for _, argv := range e.Commands {
			commands = append(commands, argv[0])
		}
		if !slices.Equal(e.Deletes, deletes) || strings.Join(commands, " ") != c.commands || e.Line != c.line {
			t.Errorf("%s: deletes %q, commands %q", c.line, e.Deletes, e.Commands)
		}
	}
}

// TestShow: a person is shown the change of a file and the fields of a form.
func TestShow(t *testing.T) {
	h := newHouse(t)
	h.put("a", "far\naway\none\none\ntwo\nthree\nthree\nfar\naway\n")
	h.panes.at = shop
	h.panes.touch = tools.Touch{Method: "post", Action: shop, Fields: []pane.TouchField{{Name: "name", Value: "Ada"}, {Name: "card", Value: "••••"}}}
	for tool, c := range map[string]struct {
		args  []any
		words []string
	}{
		"write_file":    {[]any{"path", "a", "content", "far\naway\none\none\n2\nthree\nthree\nfar\naway\n"}, []string{"@@ line 5 @@", "-two", "+2"}},
		"edit_file":     {[]any{"path", "a", "old", "two", "new", "2"}, []string{"-two", "+2"}},
		"browser_click": {[]any{"pane", "b1", "target", "e1"}, []string{"POST " + shop, "name = Ada", "card = ••••"}},
	} {
		shower, ok := h.tool(tool).(interface {
			Show(ctx context.Context, c goal.Call) string
		})
		if !ok {
			t.Fatalf("%s shows nothing", tool)
		}
		text := shower.Show(t.Context(), goal.Call{Tool: tool, Arguments: string(arguments(t, c.args...))})
		for _, w := range c.words {
			if !strings.Contains(text, w) {
				t.Errorf("%s shows %q, without %q", tool, text, w)
			}
		}
		if strings.Contains(text, "far") {
			t.Errorf("%s shows what is far from the change: %q", tool, text)
		}
	}
}
