package browser

import "testing"

func TestScreenSharing_PageAsksForIt_IsRefused(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "two.html")
	b.gesture(p, `navigator.mediaDevices.getDisplayMedia({ video: true }).then(
		(s) => (window.got = "shared " + s.getTracks().length), (e) => (window.got = e.name))`)
	if got := b.eval(p, "window.got"); got != `"NotAllowedError"` {
		t.Errorf("the page got %s", got)
	}
}
