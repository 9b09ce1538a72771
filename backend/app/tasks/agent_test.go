package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/host/sandbox"
	"goalpost/backend/host/sandbox/sandboxtest"
	"goalpost/backend/lib/waittest"
	"goalpost/backend/panes/browser"
)

// args are the arguments of a call.
type args map[string]any

// agent does what a model could do: it calls tools by name with JSON, and knows about a page only what the tools
// answered.
type agent struct {
	*testing.T
	ctx   context.Context
	tools map[string]tools.Tool
	site  *site
	pane  string
	task  string // the name of the task
	seen  string // the last snapshot, including the further pages of it that were read

	calls, bytes int
	spent        time.Duration
}

var paneNamed = regexp.MustCompile(`pane (b\d+)`)

// try calls a tool for the open pane.
func (a *agent) try(tool string, with args) goal.Result {
	a.Helper()
	if _, named := with["pane"]; !named && a.pane != "" && strings.HasPrefix(tool, "browser_") {
		with["pane"] = a.pane
	}
	raw, err := json.Marshal(with)
	if err != nil {
		a.Fatal(err)
	}
	a.checkTargets(tool, with)
	t, ok := a.tools[tool]
	if !ok {
		a.Fatalf("there is no tool %s", tool)
	}
	began := time.Now()
	if _, err := t.Effect(a.ctx, raw); err != nil {
		return goal.Result{Text: err.Error()}
	}
	r := t.Do(a.ctx, raw)
	a.spent += time.Since(began)
	a.calls++
	a.bytes += len(raw) + len(r.Text)
	return r
}

// checkTargets fails unless each target is a ref or a text, because a model should not need more. Only a canvas needs
// coordinates.
func (a *agent) checkTargets(tool string, with args) {
	a.Helper()
	isCanvas := a.task == "canvas" || a.task == "drawing" || a.task == "drawpad"
	for _, field := range []string{"target", "from", "to"} {
		target, _ := with[field].(string)
		if strings.HasPrefix(target, "css=") || strings.HasPrefix(target, "at=") && !isCanvas {
			a.Fatalf("%s is given %q; use a ref or a text", tool, target)
		}
	}
	if _, byPlace := with["x"]; byPlace && !isCanvas {
		a.Fatalf("%s is given coordinates on a page that is no canvas", tool)
	}
}

// do makes a call that must succeed, and returns its text.
func (a *agent) do(tool string, with args) string {
	a.Helper()
	r := a.try(tool, with)
	if !r.OK {
		a.Fatalf("%s %v: %s\nthe last snapshot:\n%s", tool, with, r.Text, a.seen)
	}
	return r.Text
}

// open opens the page of a task, and stores the snapshot in the result.
func (a *agent) open(task string) {
	a.Helper()
	a.openAt(a.site.URL, task)
}

// openAt opens the page at another address of the site.
func (a *agent) openAt(origin, task string) {
	a.Helper()
	text := a.do("browser_open", args{"url": origin + "/tasks/" + task + ".html"})
	if m := paneNamed.FindStringSubmatch(text); m != nil {
		a.pane = m[1]
	}
	a.seen = text
}

func (a *agent) look() {
	a.Helper()
	a.seen = a.do("browser_snapshot", args{})
}

// ref returns the ref of the element in the snapshot whose line contains the words.
func (a *agent) ref(words string) string {
	a.Helper()
	ref := refIn(a.seen, words)
	if ref == "" {
		a.Fatalf("nothing of what was seen is %q:\n%s", words, a.seen)
	}
	return ref
}

var atStart = regexp.MustCompile(`^\s*(?:[-+] )?((?:f\d+)?e\d+) (.*)$`)

func refIn(text, words string) string {
	for line := range strings.Lines(text) {
		if m := atStart.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil && strings.Contains(m[2], words) {
			return m[1]
		}
	}
	return ""
}

// click clicks an element of the snapshot. If its ref is stale, click takes a new snapshot and tries again.
func (a *agent) click(words string) string {
	a.Helper()
	r := a.try("browser_click", args{"target": a.ref(words)})
	if !r.OK && strings.Contains(r.Text, "stale ref") {
		a.look()
		r = a.try("browser_click", args{"target": a.ref(words)})
	}
	if !r.OK {
		a.Fatalf("clicking %s: %s\nthe last snapshot:\n%s", words, r.Text, a.seen)
	}
	return r.Text
}

func (a *agent) write(words, text string) {
	a.Helper()
	a.do("browser_type", args{"target": a.ref(words), "text": text, "clear": true})
}

// read returns what the group of a pattern matches in a tool's answer.
func (a *agent) read(text, pattern string) string {
	a.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		a.Fatalf("no %q in\n%s", pattern, text)
	}
	return m[1]
}

// place returns the position of something in the viewport, according to browser_find.
func (a *agent) place(with args) (x, y int) {
	a.Helper()
	text := a.do("browser_find", with)
	m := regexp.MustCompile(`(-?\d+),(-?\d+) (\d+)x(\d+)`).FindStringSubmatch(text)
	if m == nil {
		a.Fatalf("no place in\n%s", text)
	}
	var width, height int
	_, _ = fmt.Sscan(strings.Join(m[1:], " "), &x, &y, &width, &height)
	return x - width/2, y - height/2
}

// workshop is what all tasks share: a Chromium, the tools and the pages.
type workshop struct {
	site  *site
	tools map[string]tools.Tool
	panes *panes
	dir   string
}

func open(t *testing.T) *workshop {
	t.Helper()
	if _, err := browser.Find(); errors.Is(err, browser.ErrMissing) {
		t.Skipf("needs Chromium: %v", err)
	}
	dir := t.TempDir()
	userSandbox, err := sandbox.Open(t.Context(), sandbox.Options{Helper: sandboxtest.Helper(t), Name: "tasks"})
	if err != nil {
		t.Fatal(err)
	}
	w := &workshop{site: newSite(t), tools: map[string]tools.Tool{}, dir: dir, panes: &panes{}}
	w.panes.all = browser.New(browser.Config{
		Launcher: userSandbox, Dir: filepath.Join(t.TempDir(), "b"),
		GoalFolder: func(string) string { return dir },
		OnPopup:    func(pane.Info, string) (browser.Options, bool) { return browser.Options{ID: w.panes.name()}, true },
	}.WithTestLimits(waittest.Slowness()))
	box, err := tools.New(tools.Deps{
		Dir:      dir,
		Launcher: userSandbox,
		Env:      os.Environ(),
		Browsers: w.panes,
		Panes:    w.panes,
		Logins:   logins{w.site},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range box.Tools() {
		w.tools[tool.Spec().Name] = tool
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := errors.Join(box.Close(), w.panes.all.Close(ctx), userSandbox.Close(ctx)); err != nil {
			t.Error(err)
		}
	})
	return w
}
