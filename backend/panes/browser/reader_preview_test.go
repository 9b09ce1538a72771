package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/waittest"
)

// TestPreviewAction_ReportsEffect: Enter in a field submits with the form's first button, a card field in a
// frame is found, and a field reports the origin of its frame.
func TestPreviewAction_ReportsEffect(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "paying.html")
	touch, err := p.Reader.PreviewAction(b.ctx, "Query", true)
	b.ok(err)
	if touch.Method != "POST" || touch.Action != "https://elsewhere.example/take" {
		t.Errorf("Enter sends by %s to %s", touch.Method, touch.Action)
	}
	if touch.Origin != b.site {
		t.Errorf("the field is in a page of %q, not of %q", b.site, touch.Origin)
	}
	if pays, err := p.Reader.AsksForPayment(b.ctx); err != nil || !pays {
		t.Errorf("a card in a frame: %v, %v", pays, err)
	}
	b.act(p.Actions.Wait(b.ctx, Condition{Target: "Word"}, patience))
	inside, err := p.Reader.PreviewAction(b.ctx, "Word", false)
	b.ok(err)
	if want := strings.Replace(b.site, "127.0.0.1", "localhost", 1); inside.Origin != want {
		t.Errorf("the field in the frame is in a page of %q, not of %q", inside.Origin, want)
	}
	for target, pays := range map[string]bool{
		"Pay by role":   true,
		"Pay by anchor": true,
		"Pay by hash":   true,
		"Pay by script": true,
		"Pay by span":   true,
		"Pay by input":  true,
		"Pay by button": true,
		"Away":          false,
		"Wish":          false,
	} {
		touch, err := p.Reader.PreviewAction(b.ctx, target, false)
		b.ok(err)
		link := target == "Away" // a script may handle its click, on a page with a card field
		if touch.Payment != (pays || link) || touch.Acts != pays || !strings.Contains(touch.Element, `"`+target+`"`) {
			t.Errorf("%s: %+v", target, touch)
		}
	}
	if pays, err := p.Reader.PreviewAction(b.ctx, "Wish", true); err != nil || !pays.Payment {
		t.Errorf("Enter in a field without a form: %+v, %v", pays, err)
	}
	b.eval(p, manyFields)
	touch, err = p.Reader.PreviewAction(b.ctx, "Transfer", false)
	b.ok(err)
	if n := len(touch.Fields); n != 500 || touch.Left != 21 || touch.Fields[0].Name != "to" || touch.Fields[0].Hidden ||
		!touch.Fields[1].Hidden {
		t.Errorf("%d fields and %d more, from %+v on", n, touch.Left, touch.Fields[:2])
	}
	plain := b.open("b2", "form.html")
	b.eval(plain, `document.body.insertAdjacentHTML('beforeend', '<a href="paying.html">To the till</a>' +
		'<iframe id=taker src="about:blank?js.stripe.com"></iframe>')`)
	if link, err := plain.Reader.PreviewAction(b.ctx, "To the till", false); err != nil || link.Payment || link.Acts {
		t.Errorf("a link on a page without a card, with a frame of somebody who takes cards: %+v, %v", link, err)
	}
	b.eval(plain, `taker.remove()`)
	if pays, err := plain.Reader.AsksForPayment(b.ctx); err != nil || pays {
		t.Errorf("a page without a card: %v, %v", pays, err)
	}
}

// TestPreviewAction_SilentFrame_CountsAsPayment: in a page with a frame that does not answer, every action may be a
// payment, except a link that leaves the page.
func TestPreviewAction_SilentFrame_CountsAsPayment(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "outer.html")
	b.eval(p, `document.body.insertAdjacentHTML('beforeend',
		'<button id=order>Order</button><a id=on href="form.html">On</a>')`)
	b.act(p.Actions.Wait(b.ctx, Condition{Target: "Word"}, patience))
	if pays, err := p.Reader.AsksForPayment(b.ctx); err != nil || pays {
		t.Fatalf("while it answers: %v, %v", pays, err)
	}
	pg, err := p.State.currentPage()
	b.ok(err)
	for _, part := range p.frames.inOrder(pg)[1:] {
		part.Post(proto.RuntimeEvaluate{Expression: hangScript + "hang()"})
	}
	p.State.m.limits.remoteFrame = waittest.Scale(2 * time.Second) // the page answers within it, too
	if pays, err := p.Reader.AsksForPayment(b.ctx); err != nil || !pays {
		t.Errorf("the page: %v, %v", pays, err)
	}
	for i, part := range p.frames.inOrder(pg)[1:] {
		if part.silentUntil.Load() == 0 {
			t.Errorf("frame %d did not answer and is asked again", i)
		}
	}
	for target, pays := range map[string]bool{"css=#order": true, "css=#on": false} {
		touch, err := p.Reader.PreviewAction(b.ctx, target, false)
		if err != nil || touch.Payment != pays {
			t.Errorf("%s: %+v, %v", target, touch, err)
		}
	}
}

// manyFields is a form whose only visible field comes after 520 hidden ones.
const manyFields = `(() => {
	const form = document.body.appendChild(document.createElement('form'));
	for (let i = 0; i < 520; i++)
		form.append(Object.assign(document.createElement('input'), { type: 'hidden', name: 'f' + i }));
	form.append(Object.assign(document.createElement('input'), { name: 'to', value: 'ATTACKER' }));
	form.append(Object.assign(document.createElement('button'), { textContent: 'Transfer' }));
})()`

// TestMaskField_ShowsDots: a masked field shows dots, also if it is named by its label or is in a frame.
func TestMaskField_ShowsDots(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "paying.html")
	b.ok(p.Forms.MaskField(b.ctx, "Query"))
	got, err := p.Actions.Eval(b.ctx,
		"[...document.querySelectorAll('input')].filter((i) => getComputedStyle(i).webkitTextSecurity === 'disc').length")
	if b.ok(err); got != "1" {
		t.Errorf("%s fields show dots", got)
	}
	b.act(p.Actions.Wait(b.ctx, Condition{Target: "Word"}, patience))
	b.ok(p.Forms.MaskField(b.ctx, "Word"))
	if err := p.Forms.MaskField(b.ctx, "css=body"); err == nil {
		t.Error("a page is taken for a field")
	}
}
