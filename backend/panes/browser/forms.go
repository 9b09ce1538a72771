package browser

import (
	"context"
	"errors"
	"sync"

	"goalpost/backend/lib/text"
)

// Forms fills fields for the agent, with keys as a user would where that is possible.
type Forms struct {
	state    *State
	activity *Activity
	prompts  *Prompts
	frames   *frames
	turns    *turns
	targets  *targets
	actions  *Actions
	mouse    *Mouse

	uploadsMu  sync.Mutex // never held during a call of another part
	uploadDirs []string   // folders with copies of files for pages
}

// Select chooses the options of a list by their labels or values, and deselects all others. See
// Click for the forms of a target.
func (fo *Forms) Select(ctx context.Context, target string, options []string) (ActionResult, error) {
	return fo.actions.runAction(ctx, "choosing in "+text.SanitizeLine(target, 80),
		func(ctx context.Context, pg *page) error {
			var field field
			at, err := fo.targets.callOnTarget(ctx, pg, &field, "planChoice", target, options)
			if err != nil {
				return err
			}
			return fo.setFieldByKeys(ctx, pg, at, field)
		})
}

// Check sets a checkbox, a radio button or a switch. One that has the wanted state is not
// clicked.
func (fo *Forms) Check(ctx context.Context, target string, on bool) (ActionResult, error) {
	return fo.actions.runAction(ctx, "ticking "+text.SanitizeLine(target, 80), func(ctx context.Context, pg *page) error {
		var box struct {
			Ref     string
			Checked bool
		}
		where, err := fo.targets.callOnTarget(ctx, pg, &box, "findCheckbox", target)
		if err != nil {
			return err
		}
		if box.Checked == on {
			fo.activity.noteDuringAction("it already had this state")
			return nil
		}
		if err := fo.mouse.clickOn(ctx, pg, "tick", box.Ref, mousePress{}); err != nil {
			return err
		}
		if err := where.callScript(ctx, &box, "findCheckbox", box.Ref); err == nil && box.Checked != on {
			return errors.New("the page did not change its state")
		}
		return nil
	})
}

// MaskField makes a field show dots instead of its text, in every picture from now on.
func (fo *Forms) MaskField(ctx context.Context, target string) error {
	return fo.turns.withTurn(ctx, "concealing a field", func(ctx context.Context, pg *page) error {
		var field struct{ Words string }
		_, err := fo.targets.callOnTarget(ctx, pg, &field, "maskField", target)
		return err
	})
}
