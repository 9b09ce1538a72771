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
	for target, pays := range map[string]bool{
		"Pay by role": true, "Pay by anchor": true, "Pay by hash": true, "Pay by script": true, "Pay by span": true, "Pay by input": true, "Pay by button": true,
		"Away": false, "Wish": false,
	} {
		touch, err := p.Touches(b.ctx, target, false)
		b.ok(err)
		if touch.Payment != pays || touch.Acts != pays || !strings.Contains(touch.Element, `"`+target+`"`) {
			t.Errorf("%s: %+v", target, touch)
		}
	}
	if pays, err := p.Touches(b.ctx, "Wish", true); err != nil || !pays.Payment {
		t.Errorf("Enter in a field without a form: %+v, %v", pays, err)
	}
	b.eval(p, manyFields)
	touch, err = p.Touches(b.ctx, "Transfer", false)
	b.ok(err)
	if n := len(touch.Fields); n != 500 || touch.Left != 21 || touch.Fields[0].Name != "to" || touch.Fields[0].Hidden || !touch.Fields[1].Hidden {
		t.Errorf("%d fields and %d more, from %+v on", n, touch.Left, touch.Fields[:2])
	}
	plain := b.open("b2", "form.html")
	if pays, err := plain.Pays(b.ctx); err != nil || pays {
		t.Errorf("a page without a card: %v, %v", pays, err)
	}
}

// manyFields is a form whose only field that is seen comes after 520 that are not.
const manyFields = `(() => {
	const form = document.body.appendChild(document.createElement('form'));
	for (let i = 0; i < 520; i++) form.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'f' + i }));
	form.append(Object.assign(document.createElement('input'), { name: 'to', value: 'ATTACKER' }));
	form.append(Object.assign(document.createElement('button'), { textContent: 'Transfer' }));
})()`
