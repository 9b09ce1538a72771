package browser

import (
	"context"

	"goalpost/backend/pane"
)

// Touched is what acting on an element would set off.
type Touched = pane.Touched

// Touches looks at what a click on an element, or Enter in it, would set off. It
// changes nothing.
func (p *Pane) Touches(ctx context.Context, target string, enter bool) (Touched, error) {
	var t Touched
	err := p.inTurn(ctx, "looking at an element", func(ctx context.Context, pg *page) error {
		_, err := p.askAt(ctx, pg, &t, "touches", target, enter)
		return err
	})
	return t, err
}
