package browser

import (
	"cmp"
	"context"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/text"
)

// buttons are the bits of the mouse's buttons, as in the DOM.
var buttons = map[string]int{"left": 1, "right": 2, "middle": 4}

// Press describes how the mouse is pressed.
type Press = pane.ClickOptions

// mousePress is one click of an action. After the last click of the action, the page settles.
type mousePress struct {
	Press
	last bool
}

func validatePress(how Press) error {
	if how.Button != "" && buttons[how.Button] == 0 {
		return fmt.Errorf("%q is not a mouse button: use left, right or middle", text.SanitizeLine(how.Button, 20))
	}
	return nil
}

// ClickWith is Click with another button, or twice.
func (m *Mouse) ClickWith(ctx context.Context, target string, how pane.ClickOptions) (ActionResult, error) {
	if err := validatePress(how); err != nil {
		return ActionResult{}, err
	}
	asks := func(pg *page) bool { return m.targets.frameOfRef(pg, target) == pg }
	return m.actions.runOn(ctx, "clicking "+text.SanitizeLine(target, 80), asks,
		func(ctx context.Context, pg *page) error {
			return m.clickOn(ctx, pg, "click", target, mousePress{how, true})
		})
}

// ClickAt clicks a point of the viewport, in CSS pixels, whatever is there.
func (m *Mouse) ClickAt(ctx context.Context, x, y int, how pane.ClickOptions) (ActionResult, error) {
	if err := validatePress(how); err != nil {
		return ActionResult{}, err
	}
	return m.actions.runAction(ctx, fmt.Sprintf("clicking at %d,%d", x, y), func(ctx context.Context, pg *page) error {
		var there struct{ Words string }
		if err := pg.callScript(ctx, &there, "describePoint", x, y); err != nil {
			return err
		}
		at := targetPoint{X: float64(x), Y: float64(y)}
		m.actions.showActionHint("clicks "+text.SanitizeLine(there.Words, 120), at.X, at.Y)
		m.activity.noteDuringAction("clicked " + text.SanitizeLine(there.Words, 200))
		return m.clickWithModifiers(ctx, pg, at, how, 0)
	})
}

// clickWithModifiers clicks a point while modifiers are held. It does not wait for the answer to the mouse move, which
// comes only with the next frame.
func (m *Mouse) clickWithModifiers(ctx context.Context, pg *page, at targetPoint, how Press, modifiers int) error {
	button := cmp.Or(how.Button, "left")
	list := []pane.Input{{Kind: pane.MouseMove}}
	for n := range map[bool]int{false: 1, true: 2}[how.Double] {
		list = append(list,
			pane.Input{Kind: pane.MouseDown, Button: pane.MouseButton(button), Buttons: buttons[button], Clicks: n + 1},
			pane.Input{Kind: pane.MouseUp, Button: pane.MouseButton(button), Clicks: n + 1})
	}
	var last proto.Request // commands are processed in order, so its answer is enough
	for _, in := range list {
		in.X, in.Y, in.Modifiers = at.X, at.Y, modifiers
		req, err := mouseCommand(in)
		if err != nil {
			return err
		}
		if last != nil {
			pg.Post(last)
		}
		last = req
	}
	return pg.send(ctx, pg.callLimit(), "the mouse", last)
}
