package browser

import (
	"context"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/pane"
)

// buttons are the bits of the mouse's buttons, as in the DOM.
var buttons = map[string]int{"left": 1, "right": 2, "middle": 4}

// Press is how the mouse is pressed.
type Press = pane.Press

func checkPress(how Press) error {
	if how.Button != "" && buttons[how.Button] == 0 {
		return fmt.Errorf("%q is no button of the mouse: left, right or middle", clean(how.Button, 20))
	}
	return nil
}

// ClickWith is Click with another button, or twice.
func (p *Pane) ClickWith(ctx context.Context, target string, how pane.Press) (Acted, error) {
	if err := checkPress(how); err != nil {
		return Acted{}, err
	}
	return p.act(ctx, "clicking "+clean(target, 80), func(ctx context.Context, pg *page) error {
		return p.clickOn(ctx, pg, "click", target, how)
	})
}

// ClickAt clicks a point of the viewport, in CSS pixels, whatever lies there.
func (p *Pane) ClickAt(ctx context.Context, x, y int, how pane.Press) (Acted, error) {
	if err := checkPress(how); err != nil {
		return Acted{}, err
	}
	return p.act(ctx, fmt.Sprintf("clicking at %d,%d", x, y), func(ctx context.Context, pg *page) error {
		var there struct{ Words string }
		if err := pg.ask(ctx, &there, "at", x, y); err != nil {
			return err
		}
		at := aimed{X: float64(x), Y: float64(y)}
		p.show("clicks "+clean(there.Words, 120), at.X, at.Y)
		p.tell("clicked " + clean(there.Words, 200))
		return p.pressWith(ctx, pg, at, how)
	})
}

// pressWith is a click. The move is not awaited: its answer comes with the next
// picture.
func (p *Pane) pressWith(ctx context.Context, pg *page, at aimed, how Press) error {
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
		in.X, in.Y = at.X, at.Y
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
