package browser

import (
	"testing"

	"goalpost/backend/pane"
)

// A popup's document may be there before it is looked at: the page's title, and
// all that watch.js tells, must come all the same.
func TestPopupsAreWatched(t *testing.T) {
	ids := make(chan string, 8)
	for _, id := range []string{"p1", "p2", "p3", "p4"} {
		ids <- id
	}
	news := make(chan pane.Info, 1000)
	b := newBench(t, func(c *Config) {
		c.OnPopup = func(pane.Info, string) (Options, bool) { return Options{ID: <-ids}, true }
		c.OnChange = func(i pane.Info, _ bool) { news <- i }
	})
	p := b.open("b1", "mouse.html")
	v := p.Attach()
	defer v.Close()
	for _, id := range []string{"p1", "p2", "p3", "p4"} {
		b.click(v, 60, 275)
		for i := range news {
			if i.ID == id && i.Running {
				break
			}
		}
		q, _ := b.Get(id)
		b.until(q, "named", func(i pane.Info) bool { return i.Title == "Second" })
	}
}
