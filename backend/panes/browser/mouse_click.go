package browser

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Click clicks an element with real mouse events. The target is a ref (e12), a selector (css=#id)
// or the visible text. Click scrolls to the element. It does not click one that is covered, and
// the error names what covers it. Then the page gets up to two seconds to settle.
func (m *Mouse) Click(ctx context.Context, target string) (ActionResult, error) {
	return m.ClickWith(ctx, target, Press{})
}

// resolveTarget finds the point of an element for the mouse and shows it to the user. It waits
// until a moving element stops.
func (m *Mouse) resolveTarget(ctx context.Context, pg *page, verb, target string) (targetPoint, error) {
	at, _, err := m.aimWith(ctx, pg, verb, target, false, false)
	return at, err
}

// aimWith is resolveTarget with two more arguments: needsWait makes it wait even for an element that does not move, and
// clicks sets the guard of the click.
func (m *Mouse) aimWith(
	ctx context.Context, pg *page, verb, target string, needsWait, clicks bool,
) (targetPoint, *page, error) {
	var at targetPoint
	where, err := m.targets.callOnTarget(ctx, pg, &at, "aimAt", target, needsWait, clicks)
	if err == nil {
		err = m.frames.toPagePoint(ctx, where, &at)
	}
	if err != nil {
		return at, where, err
	}
	m.actions.showActionHint(verb+" "+text.SanitizeLine(at.Words, 120), at.X, at.Y)
	return at, where, nil
}

// clickOn clicks an element. If another element moves over it at the last moment, page.js
// keeps the click from the page, and clickOn tries again.
func (m *Mouse) clickOn(ctx context.Context, pg *page, verb, target string, how mousePress) error {
	obstacle := ""
	for try := range 3 {
		at, where, err := m.aimWith(ctx, pg, verb, target, try > 0, true)
		if err == nil {
			err = cdp.Cause(ctx)
		}
		if err != nil {
			m.releaseGuards(ctx, pg, false)
			return err
		}
		if err := m.clickWithModifiers(ctx, pg, at, how.Press, 0); err != nil {
			m.releaseGuards(ctx, pg, true)
			return err
		}
		var result struct {
			Missed   string
			Activity *frameActivity
		}
		if err := where.callScript(ctx, &result, "finishClick", how.last); err != nil || result.Missed == "" {
			if err != nil {
				where.sendScript("releaseClick", false)
			}
			if errors.Is(err, errPromptOpen) {
				return err
			}
			m.actions.lastClickActivity[where] = result.Activity
			return nil // the click may have replaced the document
		}
		obstacle, target = result.Missed, at.Ref
	}
	return fmt.Errorf("%s covered the target at each click: deal with that first", text.SanitizeLine(obstacle, 300))
}

// releaseGuards removes the guard of a click that was not made, or with pressed of one whose outcome is unknown. It
// calls all frames, even if ctx has ended, because it does not know which frame has the guard. It waits for their
// answers, because mouse events take another path to the page.
func (m *Mouse) releaseGuards(ctx context.Context, pg *page, pressed bool) {
	views := m.frames.inOrder(pg)
	for _, view := range views {
		view.sendScript("releaseClick", pressed)
	}
	for _, view := range views {
		if ctx.Err() != nil {
			return
		}
		if err := view.callScript(ctx, nil, "releaseClick", pressed); err != nil {
			m.state.m.cfg.Log.Debug("releasing the guard of a click", "pane", m.state.id, "error", err)
		}
	}
}
