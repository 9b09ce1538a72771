package browser

import (
	"fmt"
	"runtime"
	"testing"

	"goalpost/backend/pane"
)

// TestAnAddressThatIsEnteredWhileThePaneOpens is loaded, whatever stands ready by then.
func TestAnAddressThatIsEnteredWhileThePaneOpens(t *testing.T) {
	b := newBench(t)
	for i := range 12 {
		id := fmt.Sprintf("p%d", i)
		opened := make(chan error, 1)
		go func() {
			_, err := b.Open(b.ctx, Options{ID: id, URL: "about:blank", Width: 300, Height: 200})
			opened <- err
		}()
		p, ok := b.Get(id)
		for ; !ok; p, ok = b.Get(id) {
			runtime.Gosched()
		}
		if i%2 == 1 { // in the middle of the page's preparation
			b.ok(p.wait(b.ctx, func() bool { return p.page != nil }))
		}
		b.ok(p.Navigate(b.ctx, b.url("colour.html")))
		b.ok(<-opened)
		info := b.until(p, "title", func(i pane.Info) bool { return i.Title == "Colour" })
		if info.URL != b.url("colour.html") || info.Problem != "" {
			t.Errorf("round %d: %+v", i, info)
		}
		v := p.Attach()
		b.frameOf(v, red)
		v.Close()
		b.ok(b.ClosePane(b.ctx, id))
	}
}
