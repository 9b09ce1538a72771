package browser

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLongList_RowsInView_AreListed: a snapshot does not measure every row of a long list, but it lists the right rows
// as in view.
func TestLongList_RowsInView_AreListed(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "big.html")
	row := regexp.MustCompile(`button "(button \d+)"`)
	for _, c := range []struct{ name, script string }{
		{"at its top", `1`},
		{"in its middle", `scrollTo(0, 6000)`},
		{"at its end", `scrollTo(0, 1e6)`},
		{"rows hidden", `scrollTo(0, 0); document.querySelectorAll('tr').forEach((r, i) => { r.hidden = i % 100 > 20; })`},
		{"few rows left", `document.querySelectorAll('tr').forEach((r, i) => { r.hidden = i % 150 !== 7; })`},
		{"upside down", `document.querySelectorAll('tr').forEach((r) => { r.hidden = false; });
			const body = document.querySelector('tbody'); document.querySelector('table').style.display = 'block';
			body.style.cssText = 'display: flex; flex-direction: column-reverse'; scrollTo(0, 3000)`},
		{"in a box that scrolls", `document.querySelector('tbody').style.flexDirection = 'column';
			document.querySelector('table').style.cssText = 'display: block; overflow: auto; height: 300px';
			document.querySelector('table').scrollTop = 2000; scrollTo(0, 0)`},
	} {
		b.eval(p, c.script+`; 1`)
		var want []string
		b.ok(json.Unmarshal([]byte(b.eval(p, `[...document.querySelectorAll('button')].filter((e) => {
			const r = e.getBoundingClientRect();
			return r.height > 0 && r.bottom > 0 && r.top < innerHeight;
		}).map((e) => e.textContent)`)), &want))
		here, _, _ := strings.Cut(b.look(p).Text, "outside the visible part")
		var got []string
		for _, m := range row.FindAllStringSubmatch(here, -1) {
			got = append(got, m[1])
		}
		slices.Sort(want)
		slices.Sort(got)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: in view are %d\n%v\nof\n%v", c.name, len(got), got, want)
		}
	}
}
