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
		if _, err := p.askAt(ctx, pg, &t, "touches", target, enter); err != nil {
			return err
		}
		if t.Acts && !t.Payment {
			t.Payment = payingPart(ctx, p.views(pg)) // what acts may be in a frame, and the card in another
		}
		return nil
	})
	p.rememberPaying(t.Payment)
	return t, err
}

// Pays says whether the page, or a frame of it, asks for a card. It changes
// nothing; while the page waits for an answer it is what was seen before.
func (p *Pane) Pays(ctx context.Context) (bool, error) {
	p.mu.Lock()
	waits, pays := len(p.questions) > 0, p.paying != "" && p.paying == p.info.URL
	p.mu.Unlock()
	if waits {
		return pays, nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.m.limits.part)
	defer cancel()
	err := p.alone(ctx, "looking for payment", func(ctx context.Context, pg *page) error {
		if err := pg.ask(ctx, &pays, "pays"); err != nil {
			return err
		}
		pays = pays || payingPart(ctx, p.views(pg)[1:])
		return nil
	})
	p.rememberPaying(pays)
	return pays, err
}

// payingPart asks views of a page. One that does not answer is none.
func payingPart(ctx context.Context, parts []*page) bool {
	for _, part := range parts {
		pays := false
		if err := part.ask(ctx, &pays, "pays"); err == nil && pays {
			return true
		}
	}
	return false
}

func (p *Pane) rememberPaying(pays bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pays {
		p.paying = p.info.URL
	}
}
