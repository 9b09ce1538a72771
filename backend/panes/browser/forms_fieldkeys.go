package browser

import (
	"context"
	"runtime"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
)

// field is a field that takes a choice or a value, as page.js describes it.
type field struct {
	Ref, Words, Kind string
	Suggests         bool
	Keys             []string // that set the value, if keys can
	Value            string
	Places           []int // options to click, in an open list
	Indices          []int // options to choose; null if it is not a list
}

// setFieldByKeys fills a list, a date or a slider with real keys, or with the mouse if the
// options are visible. The field has the keyboard. What keys and mouse cannot do is set by
// script, with events that a page can tell from a user's, and the result says so.
func (fo *Forms) setFieldByKeys(ctx context.Context, pg, where *page, f field) error {
	fo.actions.showActionHint("fills "+text.SanitizeLine(f.Words, 120), 0, 0)
	var now struct{ Held bool }
	if err := where.callScript(ctx, &now, "isFilled", f.Ref, f.Value, f.Indices); err != nil || now.Held {
		return err
	}
	for i, index := range f.Places {
		var at targetPoint
		if err := where.callScript(ctx, &at, "locateOption", f.Ref, index); err != nil {
			return err
		}
		if at.X < 0 {
			break // it is not rendered
		}
		if err := fo.frames.toPagePoint(ctx, where, &at); err != nil {
			return err
		}
		if err := fo.mouse.clickWithModifiers(ctx, pg, at, Press{}, multiSelectModifier(i)); err != nil {
			return err
		}
	}
	if err := fo.pressKeys(ctx, pg, f.Keys); err != nil {
		return err
	}
	if err := where.callScript(ctx, &now, "isFilled", f.Ref, f.Value, f.Indices); err != nil || now.Held {
		if errorCode(err) != "" {
			return nil // the page removed the field in reaction
		}
		return err
	}
	if len(f.Keys) > 0 && f.Keys[0] == "Space" {
		if err := fo.pressKey(ctx, pg, "Escape"); err != nil { // the list may still be open
			return err
		}
	}
	fo.activity.noteDuringAction("keys could not fill it: its value was set by script")
	return where.callScript(ctx, nil, "setField", f.Ref, f.Value, f.Indices)
}

// multiSelectModifier returns the modifier to hold while the option number i of a list is chosen.
func multiSelectModifier(i int) int {
	switch {
	case i == 0:
		return 0
	case runtime.GOOS == "darwin":
		return modMeta
	}
	return modCtrl
}

// pressKeys presses keys and waits for the answers to the first, which may open a list, and the
// last: keys are processed in order.
func (fo *Forms) pressKeys(ctx context.Context, pg *page, keys []string) error {
	for i, one := range keys {
		if i == 0 || i == len(keys)-1 {
			if err := fo.pressKey(ctx, pg, one); err != nil {
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
			pg.Post(keyEvent(in))
		}
	}
	return nil
}
