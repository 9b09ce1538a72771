package browser

import (
	"context"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/waittest"
	"goalpost/backend/panes/browser/internal/cdp"
)

// animated is a page that counts its frames and the ticks of a timer, and notes whether it was told anything.
const animated = `(() => {
	document.body.innerHTML = "<style>@keyframes turn { to { rotate: 1turn } }</style>" +
		"<p style='animation: turn 1s linear infinite'>turns</p>";
	const t = window.told = { frames: 0, ticks: 0, events: [] };
	const frame = () => { t.frames++; requestAnimationFrame(frame); };
	frame();
	setInterval(() => t.ticks++, 50);
	for (const e of ["resize", "blur", "focus"]) addEventListener(e, () => t.events.push(e));
	for (const e of ["visibilitychange", "freeze", "resume"]) document.addEventListener(e, () => t.events.push(e));
})()`

// state returns the state of the window in which Chromium shows a page.
func (fi *fixture) state(p *Pane) (state proto.BrowserWindowState) {
	fi.Helper()
	pg, err := p.State.currentPage()
	fi.ok(err)
	fi.ok(pg.process.Do(fi.ctx, pg.alive, "", patience, "asking for the window", func(c proto.Client) error {
		found, err := cdp.Call(c, proto.BrowserGetWindowForTarget{TargetID: pg.target})
		if err == nil {
			state = found.Bounds.WindowState
		}
		return err
	}))
	return state
}

// takeAll takes all frames, as a recorder does, and signals each.
func (fi *fixture) takeAll(v *Viewer) <-chan struct{} {
	taken := make(chan struct{}, 1)
	go func() {
		for {
			news, err := v.Next(fi.ctx)
			if err != nil {
				return
			}
			if news.Frame == nil {
				continue
			}
			v.Ack(news.Frame.N)
			select {
			case taken <- struct{}{}:
			default:
			}
		}
	}()
	return taken
}

// TestGoalPage_NobodyLooks_IsNotDrawn: between two calls of its agent, Chromium does not draw the frames of an
// animation, and the page does not notice it. A recorder alone does not change that; a viewer and a call do.
func TestGoalPage_NobodyLooks_IsNotDrawn(t *testing.T) {
	b := newFixture(t)
	p, agent := leased(b, "b1", "one.html")
	is := func(state proto.BrowserWindowState) func() bool { return func() bool { return b.state(p) == state } }
	rests := func(what string) {
		t.Helper()
		waittest.Until(t, what, is(proto.BrowserWindowStateMinimized))
	}
	b.eval(p, animated)
	recorder := p.AttachRecorder()
	defer recorder.Close()
	filmed := b.takeAll(recorder)
	rests("a page at rest")
	// In 40 ticks, which take at least two seconds, there would be 120 frames.
	few := b.eval(p, `new Promise((done) => {
		const { frames, ticks } = told;
		const look = () => told.ticks < ticks + 40 ? setTimeout(look, 10) : done(told.frames - frames < 60);
		look();
	})`)
	if few != "true" {
		t.Error("the page is drawn although nobody looks at it")
	}
	b.value(p, "[document.visibilityState, document.hasFocus(), innerWidth, told.events.join()]+''", `"visible,true,800,"`)

	b.ok(p.turns.withTurn(agent, "looking", func(context.Context, *page) error {
		if got := b.state(p); got != proto.BrowserWindowStateNormal {
			t.Errorf("during a call the window is %s", got)
		}
		select {
		case <-filmed: // of an earlier call
		default:
		}
		select {
		case <-filmed:
		case <-b.ctx.Done():
			t.Error("the page is not filmed during a call")
		}
		return nil
	}))
	rests("a page at rest after the call")
	b.ok(p.Navigation.Navigate(agent, b.url("two.html")))
	rests("a page at rest after its navigation")
	v := p.Attach()
	waittest.Until(t, "a page that is drawn for a viewer", is(proto.BrowserWindowStateNormal))
	b.frame(v)
	v.SetVisible(false)
	rests("a page at rest when its viewer is hidden")
	v.Close()
}

// TestCapture_PageAtRest_IsTaken: Chromium draws the page for its picture, also outside of a call of the agent, and
// rests again.
func TestCapture_PageAtRest_IsTaken(t *testing.T) {
	b := newFixture(t)
	p, _ := leased(b, "b1", "one.html")
	pg, err := p.State.currentPage()
	b.ok(err)
	for range 5 {
		waittest.Until(t, "a page at rest", func() bool { return b.state(p) == proto.BrowserWindowStateMinimized })
		picture, err := p.Pictures.captureRedacted(b.ctx, pg, newScreenshot(70))
		if err != nil || len(picture) == 0 {
			t.Fatalf("%d bytes, %v", len(picture), err)
		}
	}
}

// TestGoalPages_OfOneWindow_RestTogether: a tab that a page opened is in the window of that page.
func TestGoalPages_OfOneWindow_RestTogether(t *testing.T) {
	var posted []proto.BrowserWindowState
	w := windows{pages: map[proto.BrowserWindowID]int{}, post: func(r proto.Request) {
		if set, ok := r.(proto.BrowserSetWindowBounds); ok && set.WindowID == 7 {
			posted = append(posted, set.Bounds.WindowState)
		}
	}}
	endOne, endTwo := w.draw(7), w.draw(7)
	endOne()
	w.draw(8)()
	if len(posted) != 1 || posted[0] != proto.BrowserWindowStateNormal {
		t.Errorf("while one of two pages is drawn, the window was set to %v", posted)
	}
	endTwo()
	if len(posted) != 2 || posted[1] != proto.BrowserWindowStateMinimized || len(w.pages) != 0 {
		t.Errorf("when no page is drawn, the window was set to %v", posted)
	}
}

// TestUserPage_NobodyLooks_IsDrawn: a page of the user is theirs, also in a hidden tab.
func TestUserPage_NobodyLooks_IsDrawn(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "one.html")
	v := p.Attach()
	b.frame(v)
	v.Close()
	if pg, err := p.State.currentPage(); err != nil || pg.window != 0 {
		t.Errorf("the page rests when nobody looks: %v", err)
	}
}
