package browser

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"goalpost/backend/domain/pane"
)

// TestRemoteFrame_IsReadAndClicked: a frame in another process is listed, searched, read and clicked like a
// part of the page.
func TestRemoteFrame_IsReadAndClicked(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "outer.html")
	s := b.look(p)
	has(t, s.Text, `iframe "Elsewhere"`, `textbox "Word" value=""`, `button "Say"`, `button "Low"`, `iframe "Next door"`,
		`button "Inside"`)
	word := b.refOf(s, `textbox "Word"`)
	if !regexp.MustCompile(`^f\d+e\d+$`).MatchString(word) {
		t.Fatalf("the field in the frame has ref %s", word)
	}
	has(t, b.act(p.Forms.Type(b.ctx, word, "hello", false, false)).Changed, `value="hello"`)
	has(t, b.act(p.Mouse.Click(b.ctx, "Say")).Changed, `"said hello true"`)
	has(t, b.act(p.Mouse.Click(b.ctx, b.refOf(s, `button "Low"`))).Changed, `"low clicked"`)
	has(t, b.act(p.Actions.Wait(b.ctx, Condition{Text: "low clicked"}, patience)).URL, "outer.html")
	read, err := p.Reader.Read(b.ctx, pane.ReadOptions{})
	b.ok(err)
	has(t, read.Text, "1 frames of other sites are not in this text")
	read, err = p.Reader.Read(b.ctx, pane.ReadOptions{Target: b.refOf(s, `button "Say"`)})
	b.ok(err)
	found, err := p.Reader.FindElements(b.ctx, pane.FindOptions{Role: "button"})
	b.ok(err)
	has(t, found, `button "Say"`, `button "Inside"`, `button "Closed one"`)
	b.eval(p, `document.querySelector('[title=Elsewhere]').style.visibility = 'hidden'`)
	b.eval(p, `document.body.insertAdjacentHTML('beforeend',
		'<div id=over style="position:fixed;inset:0;background:#fff">Over</div>')`)
	if _, err := p.Mouse.Click(b.ctx, word); err == nil || !strings.Contains(err.Error(), "covered by") {
		t.Errorf("a field under something of the page around it: %v", err)
	}
	b.eval(p, `over.remove(); document.querySelector('[title=Elsewhere]').remove()`)
	if text := b.look(p).Text; strings.Contains(text, "Say") {
		t.Errorf("a frame that went is still told of:\n%s", text)
	}
	if _, err := p.Mouse.Click(b.ctx, word); err == nil {
		t.Error("a field of a frame that went was clicked")
	}
}

// TestClosedShadowRoots_AreReadAndUsed: what pages hide from scripts is listed and can be used.
func TestClosedShadowRoots_AreReadAndUsed(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "outer.html")
	s := b.look(p)
	has(t, s.Text, `button "Closed one"`, `textbox "Deep field"`, `checkbox "In a box"`)
	has(t, b.act(p.Mouse.Click(b.ctx, b.refOf(s, `button "Closed one"`))).Changed, "closed one clicked true")
	has(t, b.act(p.Forms.Type(b.ctx, "Deep field", "down", false, false)).Changed, `value="down"`)
	has(t, b.act(p.Forms.Check(b.ctx, "In a box", true)).Changed, `checked`)
	// In that case the children of the element itself are not rendered.
	has(t, s.Text, `button "Beside its children"`, `button "Instead of words"`)
	if strings.Contains(s.Text, "Not shown") || strings.Contains(s.Text, "Nor is this") {
		t.Errorf("the snapshot contains what the roots hide:\n%s", s.Text)
	}
	// If the element's children are rendered in a slot, a script cannot detect that the element has a root.
	has(t, s.Text, `button "Beside a slot"`, `"Given to it"`)
	b.eval(p, `late.attachShadow({ mode: 'closed' }).innerHTML = '<button>Come later</button><slot></slot>'`)
	has(t, b.look(p).Text, `button "Come later"`, `"Given later"`)
}

// TestRemoteFrame_Hangs_PageStillWorks: a frame that hangs before it was read for the first time does not affect the
// page around it.
func TestRemoteFrame_Hangs_PageStillWorks(t *testing.T) {
	b := newFixture(t, func(c *Config) {
		c.limits.remoteFrame, c.limits.call = time.Second, time.Hour // no call waits longer for the frame
	})
	p := b.open("b1", "form.html")
	b.eval(p, `new Promise((done) => {
		const f = document.createElement('iframe');
		f.title = 'Busy';
		f.onload = () => done(true);
		f.src = location.protocol + '//localhost:' + location.port + '/busy.html';
		document.body.prepend(f);
	})`)
	b.awaitSignal("hangs")
	has(t, b.look(p).Text, "the frame does not answer", `button "Add"`)
	has(t, b.act(p.Mouse.Click(b.ctx, "Add")).Changed, "Added line", unresponsiveFrameText)
	found, err := p.Reader.FindElements(b.ctx, pane.FindOptions{Text: "No such words"})
	b.ok(err)
	has(t, found, "nothing on the page matches", unresponsiveFrameText)
	_, err = p.Mouse.Click(b.ctx, "No such words")
	if err == nil || !strings.Contains(err.Error(), unresponsiveFrameText) {
		t.Errorf("a click on what could be in the frame: %v", err)
	}
}

// TestRemoteFrame_LastPageHung_Loads: Chromium gives a new frame the process of another page's frame of the same site,
// and the process of a page that hangs lives for half a second after the request to close it.
func TestRemoteFrame_LastPageHung_Loads(t *testing.T) {
	b := newFixture(t)
	hung := b.open("b1", "outer.html")
	b.refOf(b.look(hung), `button "Say"`)
	_, err := evaluate(b.ctx, b.parts1(hung), 0, hangSoon)
	b.ok(err)
	b.eval(hung, hangSoon)
	b.ok(b.ClosePane(b.ctx, "b1"))
	b.refOf(b.look(b.open("b2", "outer.html")), `button "Say"`)
}
