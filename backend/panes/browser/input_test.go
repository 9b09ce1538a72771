package browser

import (
	"strings"
	"testing"

	"goalpost/backend/domain/pane"
)

func (fi *fixture) tap(v *Viewer, key, code string, modifiers int) {
	fi.Helper()
	fi.ok(v.Input(fi.ctx, pane.Input{Kind: pane.KeyDown, Key: key, Code: code, Modifiers: modifiers}))
	fi.ok(v.Input(fi.ctx, pane.Input{Kind: pane.KeyUp, Key: key, Code: code, Modifiers: modifiers}))
}

// value waits until a script has a value on the page, because nothing waits for the effect of
// input.
func (fi *fixture) value(p *Pane, script, want string) {
	fi.Helper()
	got := fi.eval(p, "new Promise((done) => { const until = Date.now() + 50000; const look = () => { const v = String("+
		script+
		"); v === "+want+" || Date.now() > until ? done(v) : setTimeout(look, 5); }; look(); })")
	if got != want {
		fi.Errorf("%s is %s, want %s", script, got, want)
	}
}

func TestUser_Types(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "form.html")
	v := p.Attach()
	defer v.Close()
	b.eval(p, "document.getElementById('who').value = ''; document.getElementById('who').focus()")
	b.tap(v, "a", "KeyA", 0)
	b.tap(v, "B", "KeyB", modShift)
	b.tap(v, "é", "Digit2", 0)
	b.tap(v, "漢", "", 0)
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.Text, Text: "かな!"}))
	b.value(p, "document.getElementById('who').value", `"aBé漢かな!"`)
	b.tap(v, "Backspace", "Backspace", 0)
	b.tap(v, "ArrowLeft", "ArrowLeft", 0)
	b.tap(v, "x", "KeyX", 0)
	b.value(p, "document.getElementById('who').value", `"aBé漢かxな"`)
	b.tap(v, "a", "KeyA", modCtrl)
	b.value(p, "getSelection().toString()", `"aBé漢かxな"`)
	b.tap(v, "c", "KeyC", modCtrl)
	b.tap(v, "Delete", "Delete", 0)
	b.value(p, "document.getElementById('who').value", `""`)
	b.tap(v, "v", "KeyV", modCtrl)
	b.tap(v, "v", "KeyV", modCtrl)
	b.value(p, "document.getElementById('who').value", `"aBé漢かxなaBé漢かxな"`)
	b.tap(v, "z", "KeyZ", modCtrl)
	b.value(p, "document.getElementById('who').value", `"aBé漢かxな"`)
	b.tap(v, "Enter", "Enter", 0)
	b.value(p, "document.getElementById('out').textContent", `"sent aBé漢かxな"`)
}

func TestUser_ScrollsAndSelects(t *testing.T) {
	b := newFixture(t)
	p := b.open("b1", "form.html")
	v := p.Attach()
	defer v.Close()
	for range 5 {
		b.ok(v.Input(b.ctx, pane.Input{Kind: pane.Wheel, X: 400, Y: 300, DY: 100}))
	}
	b.value(p, "scrollY", `"500"`)
	b.eval(p, "window.moves = 0; addEventListener('mousemove', () => moves++); scrollTo(0, 0); 1")
	for x := range 50 {
		b.ok(v.Input(b.ctx, pane.Input{Kind: pane.MouseMove, X: float64(x), Y: 10}))
	}
	b.value(p, "moves > 0", `"true"`)
	b.eval(p, "window.menu = 0; addEventListener('contextmenu', () => menu++); 1")
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.MouseDown, X: 5, Y: 5, Button: "right", Buttons: 2}))
	b.ok(v.Input(b.ctx, pane.Input{Kind: pane.MouseUp, X: 5, Y: 5, Button: "right"}))
	b.value(p, "menu", `"1"`)
}

func TestInput_Invalid_IsRefused(t *testing.T) {
	b := newFixture(t)
	v := b.open("b1", "one.html").Attach()
	defer v.Close()
	for want, in := range map[string]pane.Input{
		"unknown input":        {Kind: "kick"},
		"unknown mouse button": {Kind: pane.MouseDown, Button: "fourth"},
		"longer than 1 MB":     {Kind: pane.Text, Text: strings.Repeat("x", 2<<20)},
	} {
		if err := v.Input(b.ctx, in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

func TestInputQueue_MovesAndScrolls_AreMerged(t *testing.T) {
	q := newInputQueue()
	for _, in := range []pane.Input{
		{Kind: pane.MouseMove, X: 1},
		{Kind: pane.MouseMove, X: 2},
		{Kind: pane.Wheel, DY: 3},
		{Kind: pane.Wheel, DY: 4},
		{Kind: pane.MouseDown},
		{Kind: pane.MouseMove, X: 5, Buttons: 1},
		{Kind: pane.MouseUp},
	} {
		if err := q.add(in); err != nil {
			t.Fatal(err)
		}
	}
	var got []pane.Input
	for in, ok := q.next(); ok; in, ok = q.next() {
		got = append(got, in)
	}
	if len(got) != 5 || got[0].X != 2 || got[1].DY != 7 || got[3].X != 5 {
		t.Errorf("queue %+v", got)
	}
	for i := range 1000 {
		if err := q.add(pane.Input{Kind: pane.KeyDown, Key: "a"}); err != nil {
			if i < 400 {
				t.Errorf("full after %d: %v", i, err)
			}
			return
		}
	}
	t.Error("the queue has no end")
}
