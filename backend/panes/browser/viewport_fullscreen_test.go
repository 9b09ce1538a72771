package browser

import (
	"testing"

	"goalpost/backend/domain/pane"
)

func TestFullscreen_PageOfTheUser_FillsThePane(t *testing.T) {
	b := newOwnFixture(t)
	p := b.openOwn("b1", "one.html")
	fills := func(want bool) {
		t.Helper()
		b.until(p, "in full screen or not", func(pane.Info) bool { return p.State.overlay.Fullscreen == want })
	}
	b.gesture(p, "document.body.requestFullscreen()")
	fills(true)
	b.ok(p.Viewport.LeaveFullscreen(b.ctx))
	fills(false)
	if got := b.eval(p, "document.fullscreenElement === null"); got != "true" {
		t.Errorf("the page is still in full screen: %s", got)
	}
	b.gesture(p, "document.body.requestFullscreen()")
	fills(true)
	b.ok(p.Navigation.Navigate(b.ctx, b.url("two.html")))
	fills(false)
}

func TestFullscreen_PageOfAGoal_KeepsTheToolbar(t *testing.T) {
	b := newOwnFixture(t)
	p, err := b.Open(b.ctx, Options{ID: "b1", URL: b.url("one.html"), GoalID: "g1"})
	b.ok(err)
	b.gesture(p, "document.body.requestFullscreen()")
	if b.eval(p, "document.fullscreenElement === document.body") != "true" {
		t.Fatal("the page is not in full screen")
	}
	if p.State.overlayNow().Fullscreen {
		t.Error("a page of a goal hides the toolbar")
	}
}
