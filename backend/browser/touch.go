package browser

import (
	"context"
	"errors"

	"goalpost/backend/pane"
)

// Touched is what acting on an element would set off.
type Touched = pane.ActionPreview

// Touches looks at what a click on an element, or Enter in it, would set off. It
// changes nothing.
func (p *Pane) Touches(ctx context.Context, target string, enter bool) (Touched, error) {
	var t Touched
	err := p.inTurn(ctx, "looking at an element", func(ctx context.Context, pg *page) error {
		if _, err := p.askAt(ctx, pg, &t, "touches", target, enter); err != nil {
			return err
		}
		switch { // what is touched may be in a frame, and the card in another
		case t.Payment:
		case t.Acts:
			pays, silent := payingPart(ctx, p.views(pg), "pays")
			t.Payment = pays || silent
		case t.Link != "":
			t.Payment, _ = payingPart(ctx, p.views(pg), "cards")
		}
		return nil
	})
	p.rememberPaying(t.Payment)
	return t, err
}

// Conceal has a field show dots for what it holds, in every picture from now on.
func (p *Pane) Conceal(ctx context.Context, target string) error {
	return p.inTurn(ctx, "concealing a field", func(ctx context.Context, pg *page) error {
		var field struct{ Words string }
		_, err := p.askAt(ctx, pg, &field, "conceal", target)
		return err
	})
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
	first, cancel := context.WithTimeout(ctx, p.m.limits.part) // the frames have limits of their own
	defer cancel()
	err := p.alone(first, "looking for payment", func(first context.Context, pg *page) error {
		if err := pg.ask(first, &pays, "pays"); err != nil {
			return err
		}
		if !pays {
			frames, loose := p.leased(ctx)
			defer loose(nil)
			asks, silent := payingPart(frames, p.views(pg)[1:], "pays")
			pays = asks || silent
		}
		return nil
	})
	p.rememberPaying(pays)
	return pays, err
}

// payingPart asks views of a page. A frame that is there and does not answer may hold
// a card: it is silent.
func payingPart(ctx context.Context, parts []*page, question string) (pays, silent bool) {
	for _, part := range parts {
		yes := false
		err := part.ask(ctx, &yes, question)
		switch {
		case err == nil && yes:
			return true, silent
		case part.silent(err):
			silent = true
		}
	}
	return false, silent
}

// silent says that a page is a frame of another site that is there and does not answer.
func (pg *page) silent(err error) bool {
	return pg.part && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrTimeout) || errors.Is(err, errDull))
}

func (p *Pane) rememberPaying(pays bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pays {
		p.paying = p.info.URL
	}
}
