package browser

import (
	"context"
	"runtime"

	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/pane"
)

// field is one that takes a choice or a value, as snapshot.js tells of it.
type field struct {
	Ref, Words, Kind string
	Suggests         bool
	Keys             []string // that give it what it is to have, if keys can
	Value            string
	Places           []int // options to click, of a list that lies open
	Indices          []int // options that are to be chosen; null if it is no list
}

// setFieldByKeys fills a list, a date or a slider with real keys, or with the mouse where the
// options lie open. The field has the keyboard. What they cannot reach is set, with
// events that a page can tell from a user's, and the answer says so.
func (fm *forms) setFieldByKeys(ctx context.Context, pg, where *page, f field) error {
	fm.actions.showActionHint("fills "+sanitize.Line(f.Words, 120), 0, 0)
	var now struct{ Held bool }
	if err := where.callScript(ctx, &now, "took", f.Ref, f.Value, f.Indices); err != nil || now.Held {
		return err
	}
	for i, index := range f.Places {
		var at targetPoint
		if err := where.callScript(ctx, &at, "optionAt", f.Ref, index); err != nil {
			return err
		}
		if at.X < 0 {
			break // it is not drawn
		}
		if err := fm.frames.toPagePoint(ctx, where, &at); err != nil {
			return err
		}
		if err := fm.mouse.clickWithModifiers(ctx, pg, at, Press{}, multiSelectModifier(i)); err != nil {
			return err
		}
	}
	if err := fm.pressKeys(ctx, pg, f.Keys); err != nil {
		return err
	}
	if err := where.callScript(ctx, &now, "took", f.Ref, f.Value, f.Indices); err != nil || now.Held {
		if isNotFound(err) {
			return nil // the page took the field away on that
		}
		return err
	}
	if len(f.Keys) > 0 && f.Keys[0] == "Space" {
		if err := fm.pressKey(ctx, pg, "Escape"); err != nil { // the list may still be open
			return err
		}
	}
	fm.activity.noteDuringAction("keys could not fill it: its value was set by script")
	return where.callScript(ctx, nil, "enforce", f.Ref, f.Value, f.Indices)
}

// multiSelectModifier is the key that is held to choose one more option of a list.
func multiSelectModifier(i int) int {
	switch {
	case i == 0:
		return 0
	case runtime.GOOS == "darwin":
		return modMeta
	}
	return modCtrl
}

// pressKeys presses keys of which only the first, that may open something, and the last
// are waited for: they are carried out in order.
func (fm *forms) pressKeys(ctx context.Context, pg *page, keys []string) error {
	for i, one := range keys {
		if i == 0 || i == len(keys)-1 {
			if err := fm.pressKey(ctx, pg, one); err != nil {
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
