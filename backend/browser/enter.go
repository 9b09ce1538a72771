package browser

import (
	"context"
	"runtime"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/pane"
)

// field is one that takes a choice or a value, as walker.js tells of it.
type field struct {
	Ref, Words, Kind string
	Suggests         bool
	Keys             []string // that give it what it is to have, if keys can
	Value            string
	Places           []int // options to click, of a list that lies open
	Indices          []int // options that are to be chosen; null if it is no list
}

// enter fills a list, a date or a slider with real keys, or with the mouse where the
// options lie open. The field has the keyboard. What they cannot reach is set, with
// events that a page can tell from a person's, and the answer says so.
func (p *Pane) enter(ctx context.Context, pg, where *page, f field) error {
	p.show("fills "+clean(f.Words, 120), 0, 0)
	var now struct{ Held bool }
	if err := where.ask(ctx, &now, "took", f.Ref, f.Value, f.Indices); err != nil || now.Held {
		return err
	}
	for i, index := range f.Places {
		var at aimed
		if err := where.ask(ctx, &at, "optionAt", f.Ref, index); err != nil {
			return err
		}
		if at.X < 0 {
			break // it is not drawn
		}
		if err := p.outward(ctx, where, &at); err != nil {
			return err
		}
		if err := p.pressHolding(ctx, pg, at, Press{}, oneMore(i)); err != nil {
			return err
		}
	}
	if err := p.strokes(ctx, pg, f.Keys); err != nil {
		return err
	}
	if err := where.ask(ctx, &now, "took", f.Ref, f.Value, f.Indices); err != nil || now.Held {
		if isMiss(err) {
			return nil // the page took the field away on that
		}
		return err
	}
	if len(f.Keys) > 0 && f.Keys[0] == "Space" {
		if err := p.stroke(ctx, pg, "Escape"); err != nil { // the list may still be open
			return err
		}
	}
	p.tell("keys could not fill it: its value was set by script")
	return where.ask(ctx, nil, "enforce", f.Ref, f.Value, f.Indices)
}

// oneMore is the key that is held to choose one more option of a list.
func oneMore(i int) int {
	switch {
	case i == 0:
		return 0
	case runtime.GOOS == "darwin":
		return modMeta
	}
	return modCtrl
}

// strokes presses keys of which only the first, that may open something, and the last
// are waited for: they are carried out in order.
func (p *Pane) strokes(ctx context.Context, pg *page, keys []string) error {
	for i, one := range keys {
		if i == 0 || i == len(keys)-1 {
			if err := p.stroke(ctx, pg, one); err != nil {
				return err
			}
			continue
		}
		in, err := parseKeys(one)
		if err != nil {
			return err
		}
		for _, kind := range []pane.InputKind{pane.KeyDown, pane.KeyUp} {
			in.Kind = kind
			pg.post(key(in))
		}
	}
	return nil
}

// pressHolding is a click while modifiers are held. The move is not awaited: its
// answer comes with the next picture.
func (p *Pane) pressHolding(ctx context.Context, pg *page, at aimed, how Press, held int) error {
	button := how.Button
	if button == "" {
		button = "left"
	}
	list := []pane.Input{{Kind: pane.MouseMove}}
	for n := range map[bool]int{false: 1, true: 2}[how.Double] {
		list = append(list,
			pane.Input{Kind: pane.MouseDown, Button: button, Buttons: buttons[button], Clicks: n + 1},
			pane.Input{Kind: pane.MouseUp, Button: button, Clicks: n + 1})
	}
	for i, in := range list {
		in.X, in.Y, in.Modifiers = at.X, at.Y, held
		req, err := mouse(in)
		if err != nil {
			return err
		}
		if i < len(list)-1 { // carried out in order; the last answer is enough
			pg.post(req)
			continue
		}
		if err := pg.do(ctx, callLimit, "the mouse", func(c proto.Client) error { return tell(c, req) }); err != nil {
			return err
		}
	}
	return nil
}
