package browser

import (
	"fmt"
	"strings"
	"testing"

	"goalpost/backend/pane"
)

// TestLongPage_IsDescribedInParts: every line of a page of 6,000 elements is returned once, 16 KB at a
// time.
func TestLongPage_IsDescribedInParts(t *testing.T) {
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
		s, err = p.SnapshotPart(b.ctx, pane.SnapshotOptions{From: s.Next})
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
	b.ok(p.Navigate(b.ctx, b.url("one.html")))
	if _, err := p.SnapshotPart(b.ctx, pane.SnapshotOptions{From: 100}); err == nil ||
		!strings.Contains(err.Error(), "take a new snapshot") {
		t.Errorf("going on with a page that is gone: %v", err)
	}
}

// TestDiff: only the differences since the last snapshot are returned.
func TestDiff(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "big.html")
	b.look(p)
	diff := func() string {
		s, err := p.SnapshotPart(b.ctx, pane.SnapshotOptions{Diff: true})
		b.ok(err)
		return s.Text
	}
	has(t, diff(), "nothing is different")
	b.eval(p, `document.querySelectorAll('button')[7].textContent = 'other 7'; document.querySelectorAll('tr')[300].remove()`)
	reported := diff()
	has(t, reported, `+ `, `button "other 7"`, `- `, `button "button 7"`, `link "link 300"`)
	if n := strings.Count(reported, "\n"); n > 12 {
		t.Errorf("%d lines:\n%s", n, reported)
	}
	b.ok(p.Navigate(b.ctx, b.url("one.html")))
	has(t, diff(), `page "One"`)
}

// TestAnAmbushIsNotClicked: an element that moves over the target when the pointer arrives does
// not get the click.
func TestAnAmbushIsNotClicked(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "ambush.html")
	_, err := p.Click(b.ctx, "Target")
	if err == nil || !strings.Contains(err.Error(), "Buy now") {
		t.Errorf("the click: %v", err)
	}
	if got := b.eval(p, "said.textContent"); got != `"nothing yet"` {
		t.Errorf("the page says %s", got)
	}
}

// TestALostRefIsFoundAgain: a page that renders again has the same elements under other refs; an
// ambiguous one is not guessed.
func TestALostRefIsFoundAgain(t *testing.T) {
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
	has(t, b.act(p.Click(b.ctx, save)).Changed, save+" was gone", "did Save")
	for ref, want := range map[string]string{
		drop: `2 things on the page are a button "Drop" now`,
		send: `no button "Send" is on the page any more`,
	} {
		if _, err := p.Click(b.ctx, ref); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", ref, err, want)
		}
	}
}
