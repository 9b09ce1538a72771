package browser

import (
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

// TestFields_AreFilledWithTrustedKeys: lists, dates, times and sliders get events that a page cannot
// tell from a user's. A color has no keys, and the result says so.
func TestFields_AreFilledWithTrustedKeys(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "trusted.html")
	type fill = func(field string) (ActionResult, error)
	choose := func(options ...string) fill {
		return func(field string) (ActionResult, error) { return p.Forms.Select(b.ctx, field, options) }
	}
	enter := func(text string) fill {
		return func(field string) (ActionResult, error) { return p.Forms.Type(b.ctx, field, text, false, false) }
	}
	for _, c := range []struct {
		field, want string
		fill        fill
	}{
		{"Plan", "Plan=Large true", choose("large")},
		{"Plan", "Plan=Small true", enter("Small")},
		{"Plan", "Plan=Free true", choose("Free")},
		{"Days", "Days=Tue+Fri true", choose("Tue", "Fri")},
		{"Days", "Days=Mon true", choose("Mon")},
		{"Row", "Row=C true", choose("C")},
		{"Date", "Date=2025-03-14 true", enter("2025-03-14")},
		{"Time", "Time=00:05 true", enter("00:05")},
		{"Time", "Time=13:45 true", enter("13:45")},
		{"When", "When=2025-03-14T23:59 true", enter("2025-03-14T23:59")},
		{"Loud", "Loud=20 true", enter("20")},
		{"Paint", "Paint=#102030 false", enter("#102030")},
	} {
		a, err := c.fill(c.field)
		b.ok(err)
		if got := b.eval(p, `seen.at(-1)`); got != `"`+c.want+`"` {
			t.Errorf("%s: the page saw %s, want %s; all: %s", c.field, got, c.want, b.eval(p, `seen`))
		}
		if set := strings.Contains(a.Changed, "set by script"); set != (c.field == "Paint") {
			t.Errorf("%s: the answer is %q", c.field, a.Changed)
		}
	}
	// A snapshot shows only the first options of a closed list, but a search finds all of them.
	b.eval(p, `document.querySelector('select').innerHTML =
		Array.from({ length: 200 }, (_, i) => '<option>Country ' + i + '</option>').join(''); 1`)
	s := b.look(p).Text
	has(t, s, `"Country 11" | … 188 more`)
	found, err := p.Reader.FindElements(b.ctx, pane.FindOptions{Role: "option", Text: "country 19"})
	b.ok(err)
	has(t, found, `has option "Country 19"`, `has option "Country 199"`)
	if n := strings.Count(found, "\n"); n != 11 {
		t.Errorf("%d options are listed:\n%s", n, found)
	}
	b.eval(p, `document.body.insertAdjacentHTML('beforeend',
		'<div id=over style="position:fixed;inset:0;background:#fff">Over</div>')`)
	if _, err := p.Forms.Select(b.ctx, "css=select[aria-label=Plan]", []string{"Country 3"}); err == nil ||
		!strings.Contains(err.Error(), "covered by") {
		t.Errorf("a list under something else: %v", err)
	}
}
