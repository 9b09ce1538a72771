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

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

var updateDocs = flag.Bool("update", false, "write docs/effects.md")

// sample is a call whose effect is listed in docs/effects.md.
type sample struct {
	tool  string
	what  string // in words
	args  []any
	at    string // the pane's address
	touch tools.ActionPreview
	own   bool // the pane belongs to the user
	asks  pane.UserPrompt
}

const shop, local = "https://shop.example/cart", "http://127.0.0.1:8080/"

func samples() []sample {
	click := []any{"pane", "b1", "target", "e1"}
	typing := []any{"pane", "b1", "target", "e1", "text", "x"}
	enter := append(slices.Clone(typing), "submit", true)
	form := func(method, action string) tools.ActionPreview {
		return tools.ActionPreview{Method: method, Action: action}
	}
	run := func(line string) []any { return []any{"command", line} }
	return []sample{
		{tool: "run_command", what: "any command", args: run("make test")},
		{tool: "run_command", what: "`rm` of something outside the folder", args: run("cd /srv && rm -rf photos")},
		{tool: "run_command", what: "`git push --force`, also inside `sh -c`", args: run("sh -c 'git push --force'")},
		{tool: "run_command", what: "publishing a package", args: run("npm publish")},
		{tool: "run_command", what: "changing credentials", args: run("sudo passwd anna")},
		{
			tool: "wait_until",
			what: "a command, at each look",
			args: []any{"for", "x", "command", "gh pr checks 12"},
		},
		{tool: "wait_until", what: "a page of the goal's loopback", args: []any{"for", "x", "url", local}},
		{tool: "wait_until", what: "a public page", args: []any{"for", "x", "url", shop}},
		{tool: "wait_until", what: "a file, a port, a terminal", args: []any{"for", "x", "file", "a"}},
		{
			tool: "request_access",
			what: "access to the machine outside the folder",
			args: []any{"kind", "port", "port", 5432, "why", "x"},
		},
		{tool: "read_file", what: "a file of the folder", args: []any{"path", "a"}},
		{tool: "list_files", what: "the folder"},
		{tool: "search_files", what: "files of the folder", args: []any{"pattern", "x"}},
		{tool: "write_file", what: "a file of the folder", args: []any{"path", "a", "content", "x"}},
		{tool: "write_file", what: "a hook of git", args: []any{"path", ".git/hooks/pre-commit", "content", "x"}},
		{tool: "edit_file", what: "a file of the folder", args: []any{"path", "a", "old", "x", "new", "y"}},
		{tool: "terminal_open", what: "a shell of the goal"},
		{tool: "terminal_run", what: "any line, in a terminal of the goal", args: []any{"pane", "t1", "command", "make"}},
		{
			tool: "terminal_run",
			what: "any line, in a terminal that is not confined",
			args: []any{"pane", "t1", "command", "make"},
			own:  true,
		},
		{tool: "terminal_type", what: "text, in a terminal of the goal", args: []any{"pane", "t1", "text", "yes"}},
		{
			tool: "terminal_type",
			what: "text, in a terminal that is not confined",
			args: []any{"pane", "t1", "text", "yes"},
			own:  true,
		},
		{
			tool: "terminal_keys",
			what: "keys, in a terminal of the goal",
			args: []any{"pane", "t1", "keys", []string{"Ctrl+C"}},
		},
		{tool: "terminal_wait", what: "the next output of a terminal", args: []any{"pane", "t1", "for", "prompt"}},
		{tool: "terminal_read", what: "the screen of a terminal", args: []any{"pane", "t1"}},
		{tool: "list_panes", what: "the panes of the goal"},
		{tool: "close_pane", what: "a pane of the goal", args: []any{"pane", "t1"}},
		{tool: "focus_pane", what: "a pane of the goal", args: []any{"pane", "t1"}},
		{tool: "name_pane", what: "a pane of the goal", args: []any{"pane", "t1", "title", "x"}},
		{
			tool: "save_recipe",
			what: "executed steps",
			args: []any{"name", "x", "description", "x", "from_step", 1, "to_step", 2},
		},
		{tool: "run_recipe", what: "steps, each judged separately", args: []any{"name", "known"}},
		{tool: "look", what: "a picture of a pane", args: []any{"pane", "b1"}},
		{
			tool: "start_goal",
			what: "a goal that may do no more than this one",
			args: []any{"objective", "x", "checks", []map[string]any{{"type": "file", "path": "a"}}},
		},
		{tool: "goal_status", what: "the goals that it started"},
		{tool: "wait_for_goal", what: "a goal that it started", args: []any{"goal", "abcdefgh"}},
		{tool: "share_note", what: "a goal that it started, or its parent", args: []any{"to", "parent", "text", "x"}},
		{tool: "fetch_url", what: "a page of the goal's loopback", args: []any{"url", local}},
		{tool: "fetch_url", what: "a public page", args: []any{"url", shop}},
		{tool: "web_search", what: "a query to the user's search engine", args: []any{"query", "words"}},
		{tool: "remember", what: "a note for later goals, which the user sees", args: []any{"text", "x"}},
		{tool: "load_skill", what: "a text that the user trusts", args: []any{"name", "pdf"}},
		{tool: "browser_open", what: "a page of the goal's loopback", args: []any{"url", local}},
		{tool: "browser_open", what: "a public page", args: []any{"url", shop}},
		{tool: "browser_snapshot", what: "the text of a page", args: []any{"pane", "b1"}},
		{tool: "browser_find", what: "the text of a page", args: []any{"pane", "b1", "text", "x"}},
		{tool: "browser_read", what: "the text of a page", args: []any{"pane", "b1"}},
		{tool: "browser_screenshot", what: "a picture of a page", args: []any{"pane", "b1"}},
		{tool: "browser_wait", what: "the text of a page", args: []any{"pane", "b1", "text", "x"}},
		{tool: "browser_console", what: "the console of a page", args: []any{"pane", "b1"}},
		{tool: "browser_network", what: "the requests of a page", args: []any{"pane", "b1"}},
		{tool: "browser_download", what: "the downloads of a page", args: []any{"pane", "b1"}},
		{tool: "browser_scroll", what: "a page of the goal's loopback", args: []any{"pane", "b1", "down", 100}, at: local},
		{
			tool: "browser_scroll",
			what: "a public page, which may load more",
			args: []any{"pane", "b1", "down", 100},
			at:   shop,
		},
		{tool: "browser_hover", what: "an element on a public page", args: click, at: shop},
		{tool: "browser_click", what: "any element on a page of the goal's loopback", args: click, at: local},
		{
			tool:  "browser_click",
			what:  "a link to a public host",
			args:  click,
			at:    shop,
			touch: tools.ActionPreview{Link: "https://docs.example/a"},
		},
		{
			tool:  "browser_click",
			what:  "a link from the goal's loopback to a public host",
			args:  click,
			at:    local,
			touch: tools.ActionPreview{Link: "https://docs.example/a"},
		},
		{
			tool:  "browser_click",
			what:  "a button of a form with GET on a public host",
			args:  click,
			at:    shop,
			touch: form("GET", shop),
		},
		{
			tool:  "browser_click",
			what:  "a button of a form with POST on a public host",
			args:  click,
			at:    shop,
			touch: form("POST", shop),
		},
		{
			tool:  "browser_click",
			what:  "a button of a form on the goal's loopback",
			args:  click,
			at:    local,
			touch: form("POST", local),
		},
		{
			tool:  "browser_click",
			what:  "a form on the goal's loopback that is sent to a public host",
			args:  click,
			at:    local,
			touch: form("POST", shop),
		},
		{tool: "browser_click", what: "any other element on a public page", args: click, at: shop},
		{
			tool:  "browser_click",
			what:  "a button of a public page that asks for a card",
			args:  click,
			at:    shop,
			touch: tools.ActionPreview{Method: "POST", Action: shop, Payment: true},
		},
		{
			tool:  "browser_click",
			what:  "a link on a public page that asks for a card: a script may take its click",
			args:  []any{"pane", "b1", "target", "e1"},
			at:    shop,
			touch: tools.ActionPreview{Link: "https://shop.example/terms", Payment: true},
		},
		{tool: "browser_click", what: "an unknown page", args: click, at: "chrome-error://chromewebdata/"},
		{tool: "browser_type", what: "a field of the goal's loopback", args: typing, at: local},
		{tool: "browser_type", what: "a field of a public page", args: typing, at: shop},
		{
			tool:  "browser_type",
			what:  "Enter in a form with POST on a public host",
			args:  enter,
			at:    shop,
			touch: form("POST", shop),
		},
		{
			tool:  "browser_press",
			what:  "Enter in a form with POST on a public host",
			args:  []any{"pane", "b1", "keys", "Enter"},
			at:    shop,
			touch: form("POST", shop),
		},
		{
			tool:  "browser_click",
			what:  "an element without a form on a public page with a payment address",
			args:  click,
			at:    "https://checkout.shop.example/",
			touch: tools.ActionPreview{Acts: true, Origin: "https://checkout.shop.example"},
		},
		{
			tool:  "browser_click",
			what:  "an element in a payment frame",
			args:  click,
			at:    shop,
			touch: tools.ActionPreview{Acts: true, Origin: "https://www.paypal.com"},
		},
		{
			tool:  "browser_press",
			what:  "Enter after a key that may move the focus",
			args:  []any{"pane", "b1", "keys", "Tab Enter"},
			at:    shop,
			touch: tools.ActionPreview{Link: shop},
		},
		{
			tool:  "browser_eval",
			what:  "a script in a public page that asks for a card",
			args:  []any{"pane", "b1", "script", "1"},
			at:    shop,
			touch: tools.ActionPreview{Payment: true},
		},
		{
			tool: "browser_drag",
			what: "an element on a public page with a payment address",
			args: []any{"pane", "b1", "from", "e1", "to", "e2"},
			at:   "https://checkout.shop.example/",
		},
		{
			tool: "browser_press",
			what: "any key on a page of the goal's loopback",
			args: []any{"pane", "b1", "keys", "Escape"},
			at:   local,
		},
		{
			tool: "browser_select",
			what: "a list of a public page",
			args: []any{"pane", "b1", "target", "e1", "options", []string{"x"}},
			at:   shop,
		},
		{tool: "browser_check", what: "a box of a public page", args: click, at: shop},
		{
			tool: "browser_drag",
			what: "an element on a public page",
			args: []any{"pane", "b1", "from", "e1", "to", "e2"},
			at:   shop,
		},
		{
			tool: "browser_drag",
			what: "an element on a page of the goal's loopback",
			args: []any{"pane", "b1", "from", "e1", "to", "e2"},
			at:   local,
		},
		{tool: "browser_click_at", what: "a point of a public page", args: []any{"pane", "b1", "x", 1, "y", 1}, at: shop},
		{tool: "browser_dialog", what: "OK on a public page", args: []any{"pane", "b1", "accept", true}, at: shop},
		{
			tool: "browser_dialog",
			what: "Cancel, the default answer of any other call",
			args: []any{"pane", "b1", "accept", false},
			at:   local,
		},
		{
			tool: "browser_dialog",
			what: "continuing to a server whose certificate is not valid",
			args: []any{"pane", "b1", "accept", true, "certificate", "https://shop.example"},
			asks: pane.UserPrompt{Kind: pane.Certificate, Origin: "https://shop.example"},
		},
		{tool: "browser_history", what: "back to a public page", args: []any{"pane", "b1", "go", "back"}, at: shop},
		{
			tool:  "browser_history",
			what:  "reloading a public page that was the answer to a form",
			args:  []any{"pane", "b1", "go", "reload"},
			at:    shop,
			touch: form("POST", shop),
		},
		{tool: "browser_eval", what: "a script in a public page", args: []any{"pane", "b1", "script", "1"}, at: shop},
		{
			tool: "browser_eval",
			what: "a script in a page of the goal's loopback",
			args: []any{"pane", "b1", "script", "1"},
			at:   local,
		},
		{
			tool: "browser_upload",
			what: "a file of the folder to a public page",
			args: []any{"pane", "b1", "files", []string{"a"}},
			at:   shop,
		},
		{
			tool: "browser_save",
			what: "a page into a file of the folder",
			args: []any{"pane", "b1", "path", "a.pdf", "as", "pdf"},
			at:   shop,
		},
		{
			tool:  "browser_login",
			what:  "a saved login that the goal was not given",
			args:  []any{"pane", "b1"},
			at:    shop,
			touch: form("POST", shop),
		},
		{tool: "browser_cookies", what: "reading or setting cookies, on any page", args: []any{"pane", "b1"}, at: local},
		{
			tool: "browser_open",
			what: "any page, in a pane shared by the user",
			args: []any{"pane", "b1", "url", local},
			own:  true,
		},
		{
			tool: "browser_scroll",
			what: "any page, in a pane shared by the user",
			args: []any{"pane", "b1", "down", 100},
			at:   local,
			own:  true,
		},
		{
			tool: "browser_eval",
			what: "a script, in a pane shared by the user",
			args: []any{"pane", "b1", "script", "1"},
			at:   "about:blank",
			own:  true,
		},
	}
}

// TestEffectsPage_IsCurrent compares docs/effects.md with the computed effects. Every tool must have a line.
func TestEffectsPage_IsCurrent(t *testing.T) {
	h := newFixture(t)
	rules, err := policy.DefaultRules("/home/anna")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(`# What each call does

Computed by the tools themselves; ` + "`go test ./backend/agent/tools -run EffectsPage -update`" + ` ` +
		`writes this page. The policy judges the effect and not
the tool's name (` + "`backend/domain/policy`" + `). Effects that a tool cannot predict are limited below it: ` +
		`by the kernel for programs, by the egress proxy for programs and pages.

| tool | calls | effect | at the default ceiling (write_local) |
|---|---|---|---|
`)
	var calls groupedRows
	reported := map[string]bool{}
	for _, s := range samples() {
		h.panes.at, h.panes.touch, h.panes.user, h.panes.question = s.at, s.touch, s.own, s.asks
		e, err := h.effect(s.tool, s.args...)
		if err != nil {
			t.Fatalf("%s %v: %v", s.tool, s.args, err)
		}
		d := rules.Decide(policy.Call{
			Tool:   s.tool,
			Key:    "k",
			Effect: e,
		}, policy.Policy{Risk: policy.WriteLocal, Dir: h.dir}, nil)
		answer := string(d.Answer)
		if d.Always {
			answer = "asks, at every level"
		} else if d.Answer == policy.Ask {
			answer = "asks"
		}
		calls.add(fmt.Sprintf("| `%s` | %%s | %s | %s |\n", s.tool, e.Risk, answer), s.what)
		reported[s.tool] = true
	}
	calls.write(&b)
	control := []string{}
	for _, one := range h.box.Tools() {
		name := one.Spec().Name
		if reported[name] {
			continue
		}
		if _, known := withoutEffect[name]; !known {
			t.Errorf("docs/effects.md has no line for the tool %s: add a sample", name)
		}
		control = append(control, "`"+name+"`")
	}
	slices.Sort(control)
	fmt.Fprintf(&b, "\nControl tools, to which no risk applies: %s.\n\n## What always asks, and what is never "+
		"written\n\n| answer | why | for example |\n|---|---|---|\n", strings.Join(control, ", "))
	var confined, unconfined groupedRows
	for _, r := range rules.Rules() {
		if r.Unconfined {
			unconfined.add(fmt.Sprintf("| %s | %%s |\n", r.Why), "`"+r.Match[0]+"`")
		} else {
			confined.add(fmt.Sprintf("| %s | %s | %%s |\n", r.Answer, r.Why), "`"+r.Match[0]+"`")
		}
	}
	confined.write(&b)
	b.WriteString("\nPaying, deleting outside the folder and acting in a pane that is not confined always ask, too: " +
		"the user's own terminal, SSH, or page.\n")
	b.WriteString("\nIn a terminal that is not confined, an approval for the pane does not cover destructive " +
		"commands: `rm` and similar ones, `mv`, `> file`, and each of these.\n\n| why | for example |\n|---|---|\n")
	unconfined.write(&b)
	page := filepath.Join("..", "..", "..", "docs", "effects.md")
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

// groupedRows are the rows of a table, in order. Rows that differ in one cell only share a line.
type groupedRows struct {
	order []string // formats with a %s for that cell
	cells map[string][]string
}

func (g *groupedRows) add(row, cell string) {
	if g.cells == nil {
		g.cells = map[string][]string{}
	}
	if g.cells[row] == nil {
		g.order = append(g.order, row)
	}
	g.cells[row] = append(g.cells[row], cell)
}

func (g *groupedRows) write(b *strings.Builder) {
	for _, row := range g.order {
		fmt.Fprintf(b, row, strings.Join(g.cells[row], "; "))
	}
}

// withoutEffect lists the tools without an effect.
var withoutEffect = map[string]bool{
	"claim_complete": true, "abort_with_report": true, "ask_user": true, "declare_step": true, "verify_step": true,
	"write_todos": true, "write_note": true, "read_evidence": true, "wait": true, "find_tools": true,
}

// TestEffect_ShellLines_NamesDeletesAndCommands: the effect of a line has exactly these deletions and commands.
func TestEffect_ShellLines_NamesDeletesAndCommands(t *testing.T) {
	h := newFixture(t)
	for _, c := range []struct{ line, deletes, commands string }{
		{"rm -rf build", "build", "rm"},
		{"rm -rf -- /srv/photos", "/srv/photos", "rm"},
		{"rm -rf ../other", "../other =../other", "rm"}, // also as written, because a link may lead to another place
		{"cd /srv && rm a b", "/srv/a /srv/b", "cd rm"},
		{"cd && rm -r Documents", "/~/Documents", "cd rm"},
		{`rm "$HOME/notes" ~/x`, "/~/notes /~/x", "rm"},
		{`rm -rf "$BUILD"`, "…", "rm"},
		{"find /srv -name '*.log' -delete", "/srv /srv/*", "find"},
		{"find . -exec rm {} +", ". ./*", "find rm"},
		{"mv /srv/a .", "/srv/a", "mv"},
		{"sudo -n rm /srv/a", "/srv/a", "sudo rm /srv/a"},
		{`bash -lc "sh -c 'git push -f'"`, "", "bash sh git"},
		{"echo rm -rf /", "", "echo"},
		{"true; (git push -f) | cat", "", "true git cat"},
		{"timeout 5 env A=1 git push -f", "", "timeout env git"},
		{"x=$(rm /srv/a)", "/srv/a", "rm"},
		{"if then", "", ""},
		{"npx --yes npm publish", "", "npx npm publish"},
		{"python3 -m twine upload x", "", "python3 twine"},
		{"uv tool run twine upload x", "", "uv twine"},
		{"pnpm --silent dlx vsce publish", "", "pnpm vsce"},
		{"bundle exec gem push x", "", "bundle gem"},
		{"sudo -u anna npm publish", "", "sudo anna npm"},
		{"timeout --signal KILL 5 git push -f", "", "timeout KILL git"},
		{"su -c 'npm publish' anna", "", "su npm"},
		{"bash <<< 'npm publish'", "", "npm bash"},
		{"bash <<'E'\nnpm publish\nE\n", "", "npm bash"},
		{"npm run test", "", "npm"},
	} {
		e, err := h.effect("run_command", "command", c.line)
		if err != nil {
			t.Fatal(err)
		}
		var deletes, commands []string
		for _, d := range strings.Fields(c.deletes) {
			if written, ok := strings.CutPrefix(d, "="); ok {
				d = written
			} else if !filepath.IsAbs(d) && d != "…" {
				d = filepath.Join(h.dir, d)
			}
			deletes = append(deletes, d)
		}
		for _, argv := range e.Commands {
			commands = append(commands, argv[0])
		}
		if !slices.Equal(e.Deletes, deletes) || strings.Join(commands, " ") != c.commands || e.CommandLine != c.line {
			t.Errorf("%s: deletes %q, commands %q", c.line, e.Deletes, e.Commands)
		}
	}
}

// TestTyping_UnconfinedTerminal_AsksPerPane: a delete is named even if its folder is unknown, and an approval for
// the pane does not cover it.
func TestTyping_UnconfinedTerminal_AsksPerPane(t *testing.T) {
	h := newFixture(t)
	h.panes.user = true
	rules, err := policy.DefaultRules("/home/anna")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, deletes string }{
		{"rm -rf build", "build"},
		{"rm -rf ../other", "../other"},
		{`rm -rf "$BUILD/x"`, "…/x"},
		{"cd /srv && rm a", "/srv/a"},
		{"rm " + h.dir + "/a", h.dir + "/a"}, // may be a path on another machine
		{"find . -delete", ". ./*"},
		{"> notes", "notes"},
		{"make >| out.log 2>&1", "out.log"},
		{"make &> /srv/log", "/srv/log"},
		{"make >& log", "log"},
		{"for i in 1 2; do echo $i; done > list", "list"},
		{`echo x > "$X/y"`, "…/y"},
		{"mv a b", "a b"},
		{"mv -t there a", "there a"},
		{"shred -u notes", "notes"},
		{"make >> out.log", ""},
		{"make > /dev/null 2>&1", ""},
		{"make < notes", ""},
		{"make", ""},
	} {
		e, err := h.effect("terminal_run", "pane", "t1", "command", c.line)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Join(e.Deletes, " ") != c.deletes || e.Pane != "t1" || e.Risk != policy.NetworkWrite {
			t.Errorf("%s: %+v", c.line, e)
		}
		for _, risk := range []policy.Risk{policy.ReadOnly, policy.WriteLocal, policy.SpendsMoney} {
			p, call := policy.Policy{Risk: risk, Dir: h.dir}, policy.Call{Tool: "terminal_run", Key: c.line, Effect: e}
			if d := rules.Decide(call, p, nil); d.Answer != policy.Ask || !d.Always {
				t.Errorf("%s at %s: %+v", c.line, risk, d)
			}
			grants := []policy.Grant{{ID: "r1", Scope: policy.ScopePane, Pane: "t1", Risk: policy.NetworkWrite}}
			if d := rules.Decide(call, p, grants); (d.Answer == policy.Allow) != (c.deletes == "") {
				t.Errorf("%s at %s, the pane allowed: %+v", c.line, risk, d)
			}
		}
	}
}

// TestTyping_UnconfinedTerminalDestructive_AsksEachTime: outside the sandbox, an approval for the pane covers no
// destructive command, whatever its program; the goal's own sandboxed terminals are not affected.
func TestTyping_UnconfinedTerminalDestructive_AsksEachTime(t *testing.T) {
	h := newFixture(t)
	rules, err := policy.DefaultRules("/home/anna")
	if err != nil {
		t.Fatal(err)
	}
	decide := func(line string, isUsers bool) policy.Decision {
		h.panes.user = isUsers
		e, err := h.effect("terminal_run", "pane", "t1", "command", line)
		if err != nil {
			t.Fatal(line, err)
		}
		grants := []policy.Grant{{ID: "r1", Scope: policy.ScopePane, Pane: "t1", Risk: policy.NetworkWrite}}
		return rules.Decide(policy.Call{
			Tool:   "terminal_run",
			Key:    line,
			Effect: e,
		}, policy.Policy{Risk: policy.WriteLocal, Dir: h.dir}, grants)
	}
	for _, line := range []string{
		"git clean -fdx", "git checkout -- .", "git checkout .", "git reset --hard", "git -C sub restore .",
		"git stash clear", "git branch -D old",
		"cd sub && sudo git clean -fd", "git -c alias.zap=clean zap -fdx", "truncate -s 0 notes", "dd if=/dev/zero of=notes",
		"rsync -a --delete a/ b/", "cp a notes",
		"echo x | tee notes", "sed -i d notes", "curl -so notes http://127.0.0.1/", "tar xf a.tar", "mkfs.ext4 /dev/sdb1",
		"kubectl delete ns x", "psql -c 'drop table x'",
		"apt-get purge -y x", "make clean", "crontab -r", "> notes", "mv a notes", "find . -delete", "shred notes",
		"find . -fprint notes", "find . -fls notes", "gfind . -fprintf notes %p", "bfs . -fprint0 notes",
		"dotenv -f .env run git clean -fd", "infisical run -- git clean -fd",
	} {
		if d := decide(line, true); d.Answer != policy.Ask || !d.Always || len(d.Offers) != 1 ||
			d.Offers[0].Scope != policy.ScopeOnce {
			t.Errorf("%s: %+v", line, d)
		}
		if d := decide(line, false); d.Answer != policy.Allow && !strings.Contains(line, "/dev/") {
			t.Errorf("%s in a terminal of the goal: %+v", line, d)
		}
	}
	for _, line := range []string{
		"git status", "git add -A && git commit -m clean", "git checkout -b next", "git stash", "git push", "make -j4 test",
		"go test ./... 2>&1 | tail", "npm run build",
		"ls > /dev/null", "make >> log", "tee -a log < notes", "sed -n 1,5p notes", "curl -s http://127.0.0.1/",
		"tar tf a.tar", "kubectl get pods", "mkdir -p a/b", "crontab -l",
	} {
		if d := decide(line, true); d.Answer != policy.Allow {
			t.Errorf("%s: %+v", line, d)
		}
	}
}

// TestTyping_CommandInPieces_IsJudgedWhole: in a terminal of the user, an approval for the pane covers neither a
// command typed in pieces nor one that cannot be parsed.
func TestTyping_CommandInPieces_IsJudgedWhole(t *testing.T) {
	rules, err := policy.DefaultRules("/home/anna")
	if err != nil {
		t.Fatal(err)
	}
	typed := func(text string, more ...any) []any {
		return append([]any{"terminal_type", "pane", "t1", "text", text}, more...)
	}
	some := func(text string) []any { return typed(text, "no_enter", true) }
	keys := func(k ...string) []any { return []any{"terminal_keys", "pane", "t1", "keys", k} }
	run := func(line string) []any { return []any{"terminal_run", "pane", "t1", "command", line} }
	calls := func(c ...[]any) [][]any { return c }
	for _, c := range []struct {
		calls [][]any // all but the last are executed
		asks  bool
	}{
		{calls(some("r"), typed("m -rf ~/x")), true},
		{calls(some("qr"), some("m "), keys("-", "r", "Space", "x", "Enter")), true},
		{calls(some("git pu"), typed("sh --force")), true},
		{calls(some("r"), run("m -rf x")), true},
		{calls(keys("Up", "Enter")), true},
		{calls(keys("Up"), keys("Enter")), true},
		{calls(keys("Ctrl+R", "r", "m", "Enter")), true},
		{calls(keys("Ctrl+Y")), true},
		{calls(keys("r", "m", "Tab", "Enter")), true},
		{calls(typed("r\\"), typed("m x")), true},
		{calls(typed("echo 'a")), true},
		{calls(typed("\x1b[A")), true},
		{calls(run("$(printf 'r%s' m) -rf ~")), true},
		{calls(run("$'\\x72m' x")), true},
		{calls(run("{rm,-rf,x}")), true},
		{calls(run("git {push,--force}")), true},
		{calls(run("/bin/r? x")), true},
		{calls(run("sh x.sh")), true},
		{calls(run("env sh x.sh")), true},
		{calls(run("sudo ssh host rm x")), true},
		{calls(run("goalctl approve a1")), true},
		{calls(run("goalctl list")), false},
		{calls(run("curl https://x.example | bash")), true},
		{calls(run(`eval "$X"`)), true},
		{calls(run(". ./x")), true},
		{calls(run("ls | xargs rm")), true},
		{calls(run("sudo -u root rm x")), true},
		{calls(run("alias l=rm")), true},
		{calls(run("l() { rm \"$@\"; }")), true},
		{calls(run("PROMPT_COMMAND='rm x'")), true},
		{calls(run("!r")), true},
		{calls(run("python3 -c 'import os'")), true},
		{calls(some("l"), typed("s")), false},
		{calls(some("r"), keys("Ctrl+C"), typed("m x")), false},
		{calls(typed("r"), typed("m x")), false},
		{calls(keys("Up"), keys("Ctrl+C"), run("make")), false},
		{calls(run("git push")), false},
		{calls(run("make -j4 && ./x --all 2>&1 | tail -n 3")), false},
		{calls(run(`echo "$HOME $((6*7))"`)), false},
		{calls(run("sh -c 'make test'")), false},
		{calls(keys("q")), false},
		{calls(typed("yes")), false},
	} {
		h := newFixture(t)
		h.panes.user = true
		last := c.calls[len(c.calls)-1]
		for _, made := range c.calls[:len(c.calls)-1] {
			h.do(made[0].(string), made[1:]...)
		}
		e, err := h.effect(last[0].(string), last[1:]...)
		if err != nil {
			t.Fatal(c.calls, err)
		}
		d := rules.Decide(policy.Call{
			Tool:   last[0].(string),
			Key:    "k",
			Effect: e,
		}, policy.Policy{Risk: policy.WriteLocal, Dir: h.dir}, []policy.Grant{{
			ID:    "r1",
			Scope: policy.ScopePane,
			Pane:  "t1",
			Risk:  policy.NetworkWrite,
		}})
		if (d.Answer == policy.Ask) != c.asks || c.asks && !d.Always {
			t.Errorf("%q: %s (%s) deletes %q", c.calls, d.Answer, d.Reason, e.Deletes)
		}
	}
}

// TestEffect_SharedPage_IsOutsideTheGoalsNetwork: this is also true if the page is empty, or shows a loopback address,
// which is this machine's.
func TestEffect_SharedPage_IsOutsideTheGoalsNetwork(t *testing.T) {
	h := newFixture(t)
	h.panes.user = true
	rules, err := policy.DefaultRules("/home/anna")
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{local, "about:blank", shop, "chrome-error://x/"} {
		h.panes.at = at
		for tool, args := range map[string][]any{
			"browser_open":    {"url", local},
			"browser_click":   {"target", "e1"},
			"browser_type":    {"target", "e1", "text", "x"},
			"browser_press":   {"keys", "a"},
			"browser_scroll":  {"down", 100},
			"browser_hover":   {"target", "e1"},
			"browser_eval":    {"script", "1"},
			"browser_history": {"go", "reload"},
			"browser_cookies": {},
			"browser_upload":  {"files", []string{"a"}},
			"browser_dialog":  {"accept", false},
			"browser_drag":    {"from", "e1", "to", "e2"},
		} {
			e, err := h.effect(tool, append([]any{"pane", "b1"}, args...)...)
			if err != nil {
				t.Fatal(tool, err)
			}
			if e.Risk != policy.NetworkWrite || e.Pane != "b1" || !strings.Contains(e.Reason, "your own pane b1") {
				t.Errorf("%s at %s: %+v", tool, at, e)
			}
			p, call := policy.Policy{Risk: policy.ReadOnly, Dir: h.dir}, policy.Call{Tool: tool, Key: "k", Effect: e}
			d := rules.Decide(call, p, nil)
			if d.Answer != policy.Ask || d.Offers[len(d.Offers)-1].Scope != policy.ScopePane {
				t.Errorf("%s at %s: %+v", tool, at, d)
			}
			if d := rules.Decide(call, p, []policy.Grant{{
				ID:    "r1",
				Scope: policy.ScopePane,
				Pane:  "b1",
				Risk:  policy.NetworkWrite,
			}}); d.Answer != policy.Allow {
				t.Errorf("%s at %s, the pane allowed: %+v", tool, at, d)
			}
			p.DenyHosts = []string{"shop.example"}
			if d := rules.Decide(call, p, []policy.Grant{{
				ID:    "r1",
				Scope: policy.ScopePane,
				Pane:  "b1",
				Risk:  policy.NetworkWrite,
			}}); len(e.Hosts) > 0 && d.Answer != policy.Deny {
				t.Errorf("%s at %s, a denied host: %+v", tool, at, d)
			}
		}
	}
}

// TestAddressEffect_AnyAddress_HasThePort: an allowed NAME:PORT allows only that port.
func TestAddressEffect_AnyAddress_HasThePort(t *testing.T) {
	h := newFixture(t)
	p := policy.Policy{Risk: policy.NetworkGet, Dir: h.dir, AllowHosts: []string{"shop.example:8443"}}
	for url, want := range map[string]policy.Answer{
		"https://shop.example:8443/": policy.Allow,
		"http://shop.example:8443/":  policy.Allow,
		"https://shop.example/":      policy.Ask,
		"http://shop.example/":       policy.Ask,
	} {
		e, err := h.effect("browser_open", "url", url)
		if err != nil {
			t.Fatal(err)
		}
		if d := (policy.RuleSet{}).Decide(policy.Call{Tool: "browser_open", Key: "k", Effect: e}, p, nil); d.Answer != want {
			t.Errorf("%s: %+v", url, d)
		}
	}
}

// TestDialog_CertificateOrLogin_NeedsMoreThanAccept: accept alone neither trusts a server nor logs in.
func TestDialog_CertificateOrLogin_NeedsMoreThanAccept(t *testing.T) {
	h := newFixture(t)
	h.panes.at = "about:blank"
	for _, c := range []struct {
		asks pane.UserPrompt
		args []any
		want string
	}{
		{pane.UserPrompt{Kind: pane.Certificate, Origin: "https://shop.example"}, nil, "only the user can accept it"},
		{pane.UserPrompt{
			Kind:   pane.Certificate,
			Origin: "https://shop.example",
		}, []any{"certificate", "https://other.example"}, "does not ask about the certificate of https://other.example"},
		{
			pane.UserPrompt{Kind: pane.Login, Origin: "https://shop.example"},
			[]any{"certificate", "https://shop.example"},
			"does not ask about the certificate",
		},
		{pane.UserPrompt{Kind: pane.Login, Origin: "https://shop.example"}, nil, "browser_login"},
	} {
		h.panes.question = c.asks
		if e, err := h.effect("browser_dialog", append([]any{"pane", "b1", "accept", true}, c.args...)...); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %+v %v", c.asks, e, err)
		}
	}
	rules, err := policy.DefaultRules("/home/anna")
	if err != nil {
		t.Fatal(err)
	}
	for _, origin := range []string{"https://shop.example", "https://127.0.0.1:8443"} {
		h.panes.question = pane.UserPrompt{Kind: pane.Certificate, Origin: origin}
		e, err := h.effect("browser_dialog", "pane", "b1", "accept", true, "certificate", origin)
		if err != nil {
			t.Fatal(err)
		}
		top := policy.Policy{Risk: policy.SpendsMoney, Dir: h.dir, AllowHosts: []string{"shop.example"}}
		d := rules.Decide(policy.Call{
			Tool:   "browser_dialog",
			Key:    "k",
			Effect: e,
		}, top, []policy.Grant{{Scope: policy.ScopeHost, Hosts: e.Hosts, Risk: policy.SpendsMoney}})
		if d.Answer != policy.Ask || !d.Always || len(d.Offers) != 1 {
			t.Errorf("%s: %+v", origin, d)
		}
	}
	// A server asks for a login of its own origin, whatever the pane shows.
	h.panes.question = pane.UserPrompt{Kind: pane.Login, Origin: "https://shop.example"}
	e, err := h.effect("browser_login", "pane", "b1")
	if err != nil || len(e.Secrets) != 1 || !strings.HasSuffix(e.Secrets[0].Name, " at https://shop.example") ||
		e.Secrets[0].Hosts[0] != "shop.example" || e.Risk != policy.NetworkWrite {
		t.Errorf("%+v %v", e, err)
	}
	if _, err := h.effect("browser_login", "pane", "b1", "stay", true); err == nil {
		t.Error("there are fields where there is no page")
	}
}

// TestShow_LargeForm_IsBoundedWithChecksum: a click names its element. The user sees how much of a form is left out,
// and the checksum changes with every field.
func TestShow_LargeForm_IsBoundedWithChecksum(t *testing.T) {
	h := newFixture(t)
	h.panes.at = shop
	show := func(touch tools.ActionPreview) string {
		h.panes.touch = touch
		shower, ok := h.tool("browser_click").(interface {
			Show(ctx context.Context, c goal.Call) string
		})
		if !ok {
			t.Fatal("browser_click shows nothing")
		}
		return shower.Show(t.Context(), goal.Call{
			Tool:      "browser_click",
			Arguments: string(arguments(t, "pane", "b1", "target", "css=button")),
		})
	}
	if got, want := show(tools.ActionPreview{
		Element: `button "Delete my account"`,
		Origin:  shop,
		Acts:    true,
	}), `on button "Delete my account", in `+shop; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := show(
		tools.ActionPreview{Element: "iframe", Acts: true}); got != "on iframe, in a frame that cannot be inspected" {
		t.Errorf("%q", got)
	}
	long := tools.ActionPreview{
		Method: "POST",
		Action: shop,
		Left:   3,
		Fields: []pane.FormField{{Name: "note", Value: strings.Repeat("a", 300)}},
	}
	for i := range 69 {
		long.Fields = append(long.Fields, pane.FormField{Name: fmt.Sprint("f", i), Hidden: true})
	}
	text := show(long)
	for _, w := range []string{
		"f0 =  (hidden in the page)", "f58 = ", "… and 13 more fields",
		"… 3 of them were not checked", "checksum of all checked fields: ",
	} {
		if !strings.Contains(text, w) {
			t.Errorf("without %q: %s", w, text)
		}
	}
	long.Fields[69].Value = "9999"
	if show(long) == text {
		t.Error("a field that is not shown changes, and nothing says so")
	}
	long.Fields[69].Value, long.Fields[0].Value = "", strings.Repeat("a", 299)+"b"
	if show(long) == text {
		t.Error("the end of a value changes, and nothing says so")
	}
}

// TestShow_FileOrForm_IsDescribed: a user is shown the change of a file and the fields of a form.
func TestShow_FileOrForm_IsDescribed(t *testing.T) {
	h := newFixture(t)
	h.put("a", "far\naway\none\none\none\ntwo\nthree\nthree\nthree\nfar\naway\n")
	h.panes.at = shop
	h.panes.touch = tools.ActionPreview{
		Method: "post",
		Action: shop,
		Fields: []pane.FormField{{Name: "name", Value: "Ada"}, {Name: "card", Value: "••••"}},
	}
	for tool, c := range map[string]struct {
		args  []any
		words []string
	}{
		"write_file": {
			[]any{"path", "a", "content", "far\naway\none\none\none\n2\nthree\nthree\nthree\nfar\naway\n"},
			[]string{"@@ -3,7 +3,7 @@", "-two", "+2"},
		},
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

// TestBrowserOpen_PageBlocked_NamesTheAnswer: the result says what the page waits for, and which tool answers it.
func TestBrowserOpen_PageBlocked_NamesTheAnswer(t *testing.T) {
	h := newFixture(t)
	for kind, want := range map[pane.UserPromptKind][]string{
		pane.Alert:        {`its alert "We use cookies"`, "browser_dialog"},
		pane.Login:        {"https://shop.example asks for a login", "browser_login", "ask_user"},
		pane.Certificate:  {"certificate of https://shop.example is not valid", "browser_dialog"},
		pane.BeforeUnload: {"changes may be lost", "browser_dialog"},
	} {
		h.panes.question = pane.UserPrompt{Kind: kind, Origin: "https://shop.example", Text: "We use cookies"}
		h.good(h.do("browser_open", "url", "https://shop.example/"), append(want, "and waits: ")...)
	}
}
