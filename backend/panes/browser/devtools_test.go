package browser

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/waittest"
)

// toolsText collects what developer tools show, also inside of their components.
const toolsText = `(() => {
	const texts = [];
	const walk = (node) => {
		if (node.nodeType === 3) texts.push(node.data);
		if (["STYLE", "SCRIPT", "TEMPLATE"].includes(node.nodeName)) return;
		if (node.shadowRoot) walk(node.shadowRoot);
		for (const child of node.childNodes) walk(child);
	};
	walk(document);
	return texts.join(" ").replace(/\s+/g, " ");
})()`

// show waits until developer tools show a text.
func (fi *fixture) show(tools *Pane, want string) {
	fi.Helper()
	fi.until(tools, "loaded", func(i pane.Info) bool { return strings.HasPrefix(i.URL, "devtools:") && !i.Loading })
	text := ""
	if !waittest.Reached(fi.ctx, patience, func() bool {
		text = fi.eval(tools, toolsText)
		return strings.Contains(text, want)
	}) {
		fi.Fatalf("the tools do not show %q, but %q", want, text)
	}
}

// scheme waits until developer tools are drawn on a background of a color scheme.
func (fi *fixture) scheme(tools *Pane, want string) {
	fi.Helper()
	fi.value(tools, `(() => {
		const canvas = document.createElement("canvas").getContext("2d");
		canvas.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--sys-color-cdt-base-container");
		canvas.fillRect(0, 0, 1, 1);
		const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data;
		return r + g + b > 384 ? "light" : "dark";
	})()`, fmt.Sprintf("%q", want))
}

// TestDevTools_ForUser_ShowThePage: the console has what the page logged before and evaluates what is
// typed, and an element of the page is found by its place.
func TestDevTools_ForUser_ShowThePage(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "one.html")
	b.eval(p, `console.log("greetings of the page")`)
	tools, err := b.OpenDevTools(b.ctx, DevToolsOptions{ID: "b2", Inspects: "b1", Width: 900, Height: 600})
	b.ok(err)
	if info := tools.State.Info(); info.Inspects != "b1" || info.GoalID != "" || info.Driver != pane.DriverUser {
		t.Errorf("the tools are %+v", info)
	}
	b.show(tools, "greetings of the page")
	v := tools.Attach()
	defer v.Close()
	v.Resize(900, 600, 1, false)
	b.sized(v, 900, 600)
	b.click(v, 400, 400) // below the messages: the prompt gets the focus
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.Text, Text: "document.title = 'typed ' + 6 * 7"}))
	b.tap(v, "Enter", "Enter", 0)
	b.until(p, "renamed from the console", func(i pane.Info) bool { return i.Title == "typed 42" })

	b.scheme(tools, "light")
	b.ok(tools.SetDark(true))
	b.scheme(tools, "dark")
	if err := p.SetDark(true); err == nil {
		t.Error("the colors of the page itself were set")
	}

	b.eval(p, `document.body.innerHTML = '<p id=target style="position:fixed;inset:0;margin:0">find me</p>'`)
	again, err := b.OpenDevTools(b.ctx, DevToolsOptions{ID: "b3", Inspects: "b1", Element: &Point{X: 50, Y: 50}})
	b.ok(err)
	if again != tools {
		t.Error("a second pane has opened")
	}
	b.show(tools, "html body p # target") // the path to the selected element

	if err := tools.Navigation.Navigate(b.ctx, b.url("two.html")); !errors.Is(err, ErrRefused) {
		t.Errorf("the tools go elsewhere: %v", err)
	}
	if _, err := b.OpenDevTools(b.ctx, DevToolsOptions{ID: "b4", Inspects: "b2"}); err == nil {
		t.Error("developer tools of developer tools have opened")
	}
	b.ok(b.ClosePane(b.ctx, "b1"))
	waittest.Until(t, "end of the tools with their page", func() bool { _, open := b.Get("b2"); return !open })
}

// TestDevTools_OfAGoal_AreTheUsersAlone: an agent cannot open or use developer tools, and they close
// when it drives again.
func TestDevTools_OfAGoal_AreTheUsersAlone(t *testing.T) {
	b := newFixture(t)
	p, err := b.Open(b.ctx, Options{ID: "b1", URL: b.url("one.html"), GoalID: "g1"})
	b.ok(err)
	o := DevToolsOptions{ID: "b2", Inspects: "b1"}
	if _, err := b.OpenDevTools(b.ctx, o); !errors.Is(err, ErrAgentInControl) {
		t.Errorf("the agent drives, and the tools open: %v", err)
	}
	b.ok(p.Driver.TakeOver())
	if _, err := b.OpenDevTools(b.agent("g1"), o); err == nil {
		t.Error("the agent has opened developer tools")
	}
	tools, err := b.OpenDevTools(b.ctx, o)
	b.ok(err)
	b.show(tools, "Console")
	if _, err := tools.Reader.Snapshot(b.agent("g1")); err == nil {
		t.Error("the agent reads developer tools")
	}
	if err := tools.Share("g1"); err == nil {
		t.Error("developer tools can be shared with a goal")
	}
	b.ok(p.Driver.HandBack())
	waittest.Until(t, "end of the tools when the agent drives", func() bool { _, open := b.Get("b2"); return !open })
	b.ok(b.CloseGoal(b.ctx, "g1"))
}
