package browser

import (
	"fmt"
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

// TestSnapshot_LongPage_ComesInParts: every line of a page of 6,000 elements is returned once, 16 KB at a
// time.
func TestSnapshot_LongPage_ComesInParts(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "big.html")
	s := b.look(p)
	seen := map[string]int{}
	parts := 0
	for {
		parts++
		if len(s.Text) > maxSnapshotBytes+600 {
			t.Fatalf("%d bytes at once", len(s.Text))
		}
		for line := range strings.Lines(s.Text) {
			seen[strings.TrimSpace(line)]++
		}
		if s.Next == 0 {
			break
		}
		var err error
		s, err = p.Reader.SnapshotPart(b.ctx, pane.SnapshotOptions{From: s.Next})
		b.ok(err)
	}
	buttons := 0
	for line, n := range seen {
		if strings.Contains(line, ` button "button `) {
			buttons++
			if n != 1 {
				t.Errorf("%q is listed %d times", line, n)
			}
		}
	}
	if buttons != 600 || parts < 4 {
		t.Errorf("%d of 600 buttons in %d parts", buttons, parts)
	}
	b.ok(p.Navigation.Navigate(b.ctx, b.url("one.html")))
	if _, err := p.Reader.SnapshotPart(b.ctx, pane.SnapshotOptions{From: 100}); err == nil ||
		!strings.Contains(err.Error(), "take a new snapshot") {
		t.Errorf("going on with a page that is gone: %v", err)
	}
}

// TestSnapshotDiff_ListsOnlyChanges: the difference lists only what changed since the last snapshot.
func TestSnapshotDiff_ListsOnlyChanges(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "big.html")
	b.look(p)
	diff := func() string {
		s, err := p.Reader.SnapshotPart(b.ctx, pane.SnapshotOptions{Diff: true})
		b.ok(err)
		return s.Text
	}
	has(t, diff(), "nothing has changed")
	b.eval(p, `document.querySelectorAll('button')[7].textContent = 'other 7';
		document.querySelectorAll('tr')[300].remove()`)
	reported := diff()
	has(t, reported, `+ `, `button "other 7"`, `- `, `button "button 7"`, `link "link 300"`)
	if n := strings.Count(reported, "\n"); n > 12 {
		t.Errorf("%d lines:\n%s", n, reported)
	}
	b.ok(p.Navigation.Navigate(b.ctx, b.url("one.html")))
	has(t, diff(), `page "One"`)
}

// TestClick_ElementMovesOverTarget_IsNotClicked: an element that moves over the target when the pointer arrives does
// not get the click.
func TestClick_ElementMovesOverTarget_IsNotClicked(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "ambush.html")
	_, err := p.Mouse.Click(b.ctx, "Target")
	if err == nil || !strings.Contains(err.Error(), "Buy now") {
		t.Errorf("the click: %v", err)
	}
	if got := b.eval(p, "said.textContent"); got != `"nothing yet"` {
		t.Errorf("the page says %s", got)
	}
}

// TestStaleRef_OneSimilarElement_IsReplaced: a page that renders again has the same elements under other refs. A lost
// ref leads to the only similar element; if several are similar, none is guessed.
func TestStaleRef_OneSimilarElement_IsReplaced(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "one.html")
	draw := func(words ...string) {
		html := ""
		for _, w := range words {
			html += fmt.Sprintf("<button onclick=\"this.after(' did %s')\">%s</button>", w, w)
		}
		b.eval(p, fmt.Sprintf("document.body.innerHTML = %q", html))
	}
	draw("Save", "Drop", "Send")
	s := b.look(p)
	save, drop, send := b.refOf(s, `"Save"`), b.refOf(s, `"Drop"`), b.refOf(s, `"Send"`)
	draw("Save", "Drop", "Drop")
	has(t, b.act(p.Mouse.Click(b.ctx, save)).Changed, save+" was gone", "did Save")
	for ref, want := range map[string]string{
		drop: `2 elements on the page now match button "Drop"`,
		send: `the page no longer has a button "Send"`,
	} {
		if _, err := p.Mouse.Click(b.ctx, ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", ref, err, want)
		}
	}
}
