package browser

import (
	"strings"
	"testing"

	"goalpost/backend/pane"
)

// TestFieldsAreFilledWithRealKeys: lists, dates, times and sliders get events that a page cannot
// tell from a user's. A color has no keys, and the result says so.
func TestFieldsAreFilledWithRealKeys(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "trusted.html")
	for _, c := range []struct {
		field, want string
		fill        func(field string) (Acted, error)
	}{
		{"Plan", "Plan=Large true", func(f string) (Acted, error) { return p.Select(b.ctx, f, []string{"large"}) }},
		{"Plan", "Plan=Small true", func(f string) (Acted, error) { return p.Type(b.ctx, f, "Small", false, false) }},
		{"Plan", "Plan=Free true", func(f string) (Acted, error) { return p.Select(b.ctx, f, []string{"Free"}) }},
		{"Days", "Days=Tue+Fri true", func(f string) (Acted, error) { return p.Select(b.ctx, f, []string{"Tue", "Fri"}) }},
		{"Days", "Days=Mon true", func(f string) (Acted, error) { return p.Select(b.ctx, f, []string{"Mon"}) }},
		{"Row", "Row=C true", func(f string) (Acted, error) { return p.Select(b.ctx, f, []string{"C"}) }},
		{"Date", "Date=2025-03-14 true", func(f string) (Acted, error) {
			return p.Type(b.ctx, f, "2025-03-14", false, false)
		}},
		{"Time", "Time=00:05 true", func(f string) (Acted, error) { return p.Type(b.ctx, f, "00:05", false, false) }},
		{"Time", "Time=13:45 true", func(f string) (Acted, error) { return p.Type(b.ctx, f, "13:45", false, false) }},
		{"When", "When=2025-03-14T23:59 true", func(f string) (Acted, error) {
			return p.Type(b.ctx, f, "2025-03-14T23:59", false, false)
		}},
		{"Loud", "Loud=20 true", func(f string) (Acted, error) { return p.Type(b.ctx, f, "20", false, false) }},
		{"Paint", "Paint=#102030 false", func(f string) (Acted, error) { return p.Type(b.ctx, f, "#102030", false, false) }},
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
	// All options of a closed list are listed.
	b.eval(p, `document.querySelector('select').innerHTML = Array.from({ length: 200 }, (_, i) => '<option>Country ' + i + '</option>').join(''); 1`)
	s := b.look(p).Text
	has(t, s, `"Country 11" | … 188 more`)
	found, err := p.FindElements(b.ctx, pane.FindOptions{Role: "option", Text: "country 19"})
	b.ok(err)
	has(t, found, `has option "Country 19"`, `has option "Country 199"`)
	if n := strings.Count(found, "\n"); n != 11 {
		t.Errorf("%d options are listed:\n%s", n, found)
	}
	b.eval(p, `document.body.insertAdjacentHTML('beforeend', '<div id=over style="position:fixed;inset:0;background:#fff">Over</div>')`)
	if _, err := p.Select(b.ctx, "css=select[aria-label=Plan]", []string{"Country 3"}); err == nil ||
		!strings.Contains(err.Error(), "covered by") {
		t.Errorf("a list under something else: %v", err)
	}
}
