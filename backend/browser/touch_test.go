package browser

import (
	"strings"
	"testing"
)

// TestWhatATouchSetsOff: Enter in a field goes where the form's first button sends,
// a card in a frame is found, and a field says whose frame it is in.
func TestWhatATouchSetsOff(t *testing.T) {
	b := newBench(t)
	p := b.open("b1", "paying.html")
	touch, err := p.Touches(b.ctx, "Query", true)
	b.ok(err)
	if touch.Method != "POST" || touch.Action != "https://elsewhere.example/take" {
		t.Errorf("Enter sends by %s to %s", touch.Method, touch.Action)
	}
	if touch.Origin != b.site {
		t.Errorf("the field is in a page of %q, not of %q", b.site, touch.Origin)
	}
	if pays, err := p.Pays(b.ctx); err != nil || !pays {
		t.Errorf("a card in a frame: %v, %v", pays, err)
	}
	b.act(p.Wait(b.ctx, Condition{Target: "Word"}, patience))
	inside, err := p.Touches(b.ctx, "Word", false)
	b.ok(err)
	if want := strings.Replace(b.site, "127.0.0.1", "localhost", 1); inside.Origin != want {
		t.Errorf("the field in the frame is in a page of %q, not of %q", inside.Origin, want)
	}
	plain := b.open("b2", "form.html")
	if pays, err := plain.Pays(b.ctx); err != nil || pays {
		t.Errorf("a page without a card: %v, %v", pays, err)
	}
}
