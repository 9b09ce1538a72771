package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// guardPage has a button, a field and a box under a cover, and a button beside them. It records
// the mouse events that it receives.
const guardPage = `<!doctype html><title>Guard</title>
<style>body{margin:0}button,input,#cover{position:absolute;margin:0;width:200px;height:30px;left:20px}</style>
<button style="top:20px">Under</button><input style="top:60px" aria-label="Field">
<input type="checkbox" style="top:100px" aria-label="Box">
<div id="cover" style="top:0;left:0;width:300px;height:140px;background:#ccc">Popup</div>
<button id="close" style="top:200px">Close</button>
<script>
  window.received = [];
  for (const type of ['mousedown', 'mouseup', 'click']) {
    addEventListener(type, (e) => received.push(type + ' ' + (e.target.id || e.target.tagName)));
  }
</script>`

const wholeClick = `"mousedown close,mouseup close,click close"`

// TestClickGuard_ActionRefused_IsRemoved: an action is refused because its target is covered. After that, the page
// receives every click of the agent and of the user.
func TestClickGuard_ActionRefused_IsRemoved(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, guardPage)
	}))
	defer server.Close()
	b := newFixture(t)
	p := b.open("b1", server.URL)
	v := p.Attach()
	defer v.Close()
	for name, act := range map[string]func() (ActionResult, error){
		"click":       func() (ActionResult, error) { return p.Mouse.Click(b.ctx, "Under") },
		"right click": func() (ActionResult, error) { return p.Mouse.ClickWith(b.ctx, "Under", Press{Button: "right"}) },
		"type":        func() (ActionResult, error) { return p.Forms.Type(b.ctx, "Field", "x", false, false) },
		"check":       func() (ActionResult, error) { return p.Forms.Check(b.ctx, "Box", true) },
		"hover":       func() (ActionResult, error) { return p.Mouse.Hover(b.ctx, "Under") },
		"drag":        func() (ActionResult, error) { return p.Mouse.Drag(b.ctx, "Under", "Close") },
	} {
		if _, err := act(); err == nil || !strings.Contains(err.Error(), "is covered by") {
			t.Errorf("%s: %v", name, err)
		}
		b.eval(p, "received.length = 0")
		b.act(p.Mouse.ClickAt(b.ctx, 100, 215, Press{}))
		if got := b.eval(p, "received.join()"); got != wholeClick {
			t.Errorf("of the agent's click after a refused %s the page received %s", name, got)
		}
		if _, err := act(); err == nil {
			t.Errorf("%s: no error", name)
		}
		b.eval(p, "received.length = 0")
		b.click(v, 100, 215)
		b.value(p, "received.join()", wholeClick)
	}
}

// TestClickGuard_FrameCovered_IsRemoved: inside the frame of another site nothing covers the target, but the page
// around the frame covers it.
func TestClickGuard_FrameCovered_IsRemoved(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "outer.html")
	s := b.look(p)
	word, say := b.refOf(s, `textbox "Word"`), b.refOf(s, `button "Say"`)
	place := func(ref string) (at targetPoint) {
		b.ok(p.turns.withTurn(b.ctx, "placing", func(ctx context.Context, pg *page) error {
			return p.Mouse.pagePositionOf(ctx, pg, &at, ref)
		}))
		return at
	}
	at := place(word)
	const over = `<div id=over style="position:fixed;left:%fpx;top:%fpx;width:10px;height:10px">Over</div>`
	b.eval(p, fmt.Sprintf("document.body.insertAdjacentHTML('beforeend', '"+over+"')", at.X-5, at.Y-5))
	if _, err := p.Mouse.Click(b.ctx, word); err == nil || !strings.Contains(err.Error(), "is covered by") {
		t.Errorf("a field under something of the page around its frame: %v", err)
	}
	at = place(say)
	has(t, b.act(p.Mouse.ClickAt(b.ctx, int(at.X), int(at.Y), Press{})).Changed, "said true")
}

// TestClickGuard_ClickCancelled_IsRemoved: a user takes over while the script is still looking for the place to click.
func TestClickGuard_ClickCancelled_IsRemoved(t *testing.T) {
	aiming, over := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		// The script looks at a moving target for several frames. The page blocks as soon as the target is scrolled into
		// view, and until the click has been given up. A busy machine may draw no frame, and so report no scrolling.
		_, _ = io.WriteString(w, guardPage+`<style>@keyframes go { to { left: 400px } }</style>
<button style="top:2000px;animation:go 1s infinite">Far</button>
<script>
  const watch = setInterval(() => {
    if (scrollY === 0) return;
    clearInterval(watch);
    const request = new XMLHttpRequest();
    request.open('GET', '/aiming', false);
    request.send();
  }, 1);
</script>`)
	})
	mux.HandleFunc("GET /aiming", func(http.ResponseWriter, *http.Request) {
		close(aiming)
		<-over
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	b := newFixture(t)
	p, agent := leased(b, "b1", server.URL)
	v := p.Attach()
	defer v.Close()
	clicked := make(chan error, 1)
	go func() { _, err := p.Mouse.Click(agent, "Far"); clicked <- err }()
	select {
	case <-aiming:
		b.ok(p.Driver.TakeOver())
		if err := <-clicked; !errors.Is(err, ErrTakenOver) {
			t.Errorf("the click ended with %v", err)
		}
	case err := <-clicked:
		t.Errorf("the page was not scrolled: %v", err)
	}
	close(over)
	// This waits for more frames than the search for the place takes.
	b.eval(p, `new Promise((r) => {
		let n = 0;
		const next = () => (++n > 40 ? r(n) : requestAnimationFrame(next));
		next();
	})`)
	b.eval(p, "scrollTo(0, 0); received.length = 0")
	b.click(v, 100, 215)
	b.value(p, "received.join()", wholeClick)
}
