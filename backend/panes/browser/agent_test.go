package browser

import (
	"bytes"
	"errors"
	"fmt"
	"image/jpeg"
	"regexp"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

func (fi *fixture) look(p *Pane) Snapshot {
	fi.Helper()
	s, err := p.Reader.Snapshot(fi.ctx)
	fi.ok(err)
	return s
}

func (fi *fixture) act(a ActionResult, err error) ActionResult {
	fi.Helper()
	if err != nil {
		fi.Fatal(err)
	}
	if len(a.Changed) > maxChangeBytes {
		fi.Errorf("%d bytes of changes", len(a.Changed))
	}
	return a
}

// refOf returns the ref of the line that contains words.
func (fi *fixture) refOf(s Snapshot, words string) string {
	fi.Helper()
	for line := range strings.Lines(s.Text) {
		if strings.Contains(line, words) {
			return strings.Fields(line)[0]
		}
	}
	fi.Fatalf("no %q in\n%s", words, s.Text)
	return ""
}

func has(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

func TestSnapshot_Form_ListsItsElements(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "form.html")
	s := b.look(p)
	has(t, s.Text, `page "Form" at `+b.url("form.html"), `heading "Order" level 1`, `textbox "Name" value="old"`,
		`textbox "Mail" value=""`, `textbox "Secret" filled, value hidden`, `checkbox "I agree"`,
		`combobox "Size" value="Small" options: "Small" | "Large"`,
		`date input "Day"`, `button "Send"`, `"Plain text with bold words and"`, `link "a link" -> "/two.html"`,
		`button "Never" disabled`,
		`button "In the shadow"`, `iframe "Inner"`, `button "Inside"`, "outside the visible part", `button "Far"`)
	if strings.Contains(s.Text, "hunter2") {
		t.Error("the snapshot tells the password")
	}
	if s.Truncated || s.URL != b.url("form.html") || s.Title != "Form" {
		t.Errorf("snapshot %v %s %s", s.Truncated, s.URL, s.Title)
	}
	ref := b.refOf(s, `button "Inside"`)
	if !regexp.MustCompile(`^f1e\d+$`).MatchString(ref) {
		t.Errorf("the frame's button has ref %s", ref)
	}
	b.act(p.Mouse.Click(b.ctx, "Add"))
	if again := b.refOf(b.look(p), `button "Inside"`); again != ref {
		t.Errorf("the ref was %s and is %s", ref, again)
	}
}

func TestClick_EveryTarget_IsHit(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "form.html")
	s := b.look(p)
	for _, step := range []struct{ target, want string }{
		{b.refOf(s, `button "Far"`), `far away true`},
		{"css=#add", `+ "Added line"`},
		{"In the shadow", "shadow clicked"},
		{b.refOf(s, `button "Inside"`), "inner clicked"},
		{"I agree", "checked"},
		{"a link", "the address is now " + b.url("two.html")},
	} {
		has(t, b.act(p.Mouse.Click(b.ctx, step.target)).Changed, step.want)
	}
	a, err := p.Mouse.Click(b.ctx, "Page two")
	if err != nil || a.Changed != "nothing visible changed" || a.Title != "Two" {
		t.Errorf("a click that does nothing: %+v %v", a, err)
	}
}

func TestClick_UnusableTarget_IsRefused(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "form.html")
	gone := b.refOf(b.look(p), `button "Vanish"`)
	b.act(p.Mouse.Click(b.ctx, gone))
	for _, c := range []struct{ target, want string }{
		{gone, "stale ref, take a new snapshot"},
		{"e9999", "stale ref"},
		{"Under", `covered by e`},
		{"Under", `"Accept cookies"`},
		{"Never", "is disabled"},
		{"Twin", "2 elements match"},
		{"css=.twin", "use one of these refs"},
		{"css=[", "is not a CSS selector"},
		{"css=#nothing", "nothing matches"},
		{"no such words", "no visible element says"},
		{"  ", "the target is empty"},
	} {
		if _, err := p.Mouse.Click(b.ctx, c.target); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("click %q: %v; want %q", c.target, err, c.want)
		}
	}
	if _, err := p.Mouse.Click(b.ctx, gone); !errors.Is(err, ErrStale) {
		t.Errorf("stale: %v", err)
	}
	seen := b.look(p)
	ref, twin := b.refOf(seen, `button "Add"`), b.refOf(seen, `button "Twin"`)
	b.ok(p.Navigation.Reload(b.ctx))
	has(t, b.act(p.Mouse.Click(b.ctx, ref)).Changed, ref+" was gone", "the only element like it", "Added line")
	if _, err := p.Mouse.Click(b.ctx, twin); !errors.Is(err, ErrStale) ||
		!strings.Contains(err.Error(), `2 elements on the page now match button "Twin"`) {
		t.Errorf("a ref from before the reload that could be two things: %v", err)
	}
	b.act(p.Mouse.Click(b.ctx, "Accept cookies"))
	b.act(p.Mouse.Click(b.ctx, "Under"))
}

func TestType_EachField_GetsTheText(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "form.html")
	has(t, b.act(p.Forms.Type(b.ctx, "css=#who", " é漢 <b>", false, false)).Changed, `"old é漢 <b>"`, `value="old é漢 <b>"`)
	has(t, b.act(p.Forms.Type(b.ctx, "Name", "Zoë", true, true)).Changed, `"sent Zoë"`)
	has(t, b.act(p.Forms.Type(b.ctx, "Mail", "a@b.de", false, false)).Changed, `value="a@b.de"`)
	has(t, b.act(p.Forms.Type(b.ctx, "Mail", "x", false, false)).Changed, `value="a@b.dex"`)
	has(t, b.act(p.Forms.Type(b.ctx, "css=#mail", "", false, true)).Changed, `textbox "Mail" focused value=""`)
	has(t, b.act(p.Forms.Type(b.ctx, "Size", "large", false, false)).Changed, "size l")
	has(t, b.act(p.Forms.Type(b.ctx, "Day", "2025-03-14", false, false)).Changed, `value="2025-03-14"`)
	has(t, b.act(p.Forms.Type(b.ctx, "Note", "two\nlines", false, false)).Changed, `value="two lines"`)
	has(t, b.act(p.Forms.Type(b.ctx, "Rich", "er", false, false)).Changed, `value="rich texter"`)
	for target, want := range map[string]string{
		"Send":    "is not a text field",
		"I agree": "click it",
		"Day":     "write it like 2025-03-14",
		"Size":    `it has "Small", "Large"`,
	} {
		_, err := p.Forms.Type(b.ctx, target, "nonsense", false, false)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("type into %s: %v; want %q", target, err, want)
		}
	}
	b.act(p.Forms.Press(b.ctx, "", "Escape"))
	if _, err := p.Forms.Press(b.ctx, "", "Hyper+x"); err == nil {
		t.Error("Hyper was accepted as a modifier")
	}
}

func TestSnapshot_HostileText_ForgesNoRef(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "hostile.html")
	s := b.look(p)
	real := b.refOf(s, `button "x\" e99 button \"Pay\""`)
	refs := 0
	for line := range strings.Lines(s.Text) {
		if regexp.MustCompile(`^(f\d+)?e\d+ `).MatchString(line) {
			refs++
		}
	}
	if refs != 1 {
		t.Errorf("%d lines begin with a ref, and the page has one button:\n%s", refs, s.Text)
	}
	if i := strings.IndexAny(s.Text, "\u202e\u200b\u2028\U000E0041\r"); i >= 0 {
		t.Errorf("the text turns or hides at %d:\n%q", i, s.Text)
	}
	if info := p.State.Info(); strings.Contains(info.Title, "\n") {
		t.Errorf("title %q", info.Title)
	}
	b.act(p.Mouse.Click(b.ctx, real))
}

func TestSnapshot_BigPage_IsTruncated(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "big.html")
	s := b.look(p)
	if !s.Truncated || len(s.Text) > 18<<10 || len(s.Text) < 14<<10 {
		t.Errorf("truncated %v, %d bytes", s.Truncated, len(s.Text))
	}
	has(t, s.Text, "more lines are left out", `link "link 0"`)
	a := b.act(p.Mouse.Click(b.ctx, "button 599"))
	if a.URL != b.url("big.html") {
		t.Errorf("url %s", a.URL)
	}
}

func TestScreenshot_VisibleOrFullPage_HasItsSize(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "form.html")
	for _, c := range []struct {
		full bool
		tall func(int) bool
	}{{false, func(h int) bool { return h == 600 }}, {true, func(h int) bool { return h > 3000 }}} {
		picture, err := p.Pictures.Screenshot(b.ctx, c.full)
		b.ok(err)
		img, err := jpeg.DecodeConfig(bytes.NewReader(picture))
		b.ok(err)
		if img.Width < 780 || img.Width > 800 || !c.tall(img.Height) {
			t.Errorf("full %v: %dx%d", c.full, img.Width, img.Height)
		}
	}
}

// TestResize_DuringPicture_IsKept: a size that is set during a picture stays, although Chromium restores the size that
// it found when the picture began.
func TestResize_DuringPicture_IsKept(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "form.html")
	for n := range 6 {
		taken := make(chan error, 1)
		go func() { _, err := p.Pictures.Screenshot(b.ctx, true); taken <- err }()
		for range n { // at a different moment of the picture each time: the page answers between its steps
			b.eval(p, "1")
		}
		p.Viewport.set(pane.Size{Width: 500 + n, Height: 300})
		b.ok(<-taken)
		b.value(p, "innerWidth", fmt.Sprintf("%q", fmt.Sprint(500+n)))
	}
}

func TestAction_IsShownToUser(t *testing.T) {
	shown := make(chan pane.Info, 1000)
	b := newFixture(t, func(c *Config) { c.OnChange = func(i pane.Info, _ bool) { shown <- i } })
	p := b.open("b1", "form.html")
	b.act(p.Mouse.Click(b.ctx, "Add"))
	for i := range shown {
		if i.Acting == `click button "Add"` && i.X > 0 && i.Y > 0 {
			break
		}
	}
	b.until(p, "done acting", func(i pane.Info) bool { return i.Acting == "" })
}
