package browser

import (
	"context"
	"errors"

	"goalpost/backend/pane"
)

// Touched is what acting on an element would set off.
type Touched = pane.ActionPreview

// PreviewAction looks at what a click on an element, or Enter in it, would set off. It
// changes nothing.
func (p *Pane) PreviewAction(ctx context.Context, target string, enter bool) (Touched, error) {
	var t Touched
	err := p.withTurn(ctx, "looking at an element", func(ctx context.Context, pg *page) error {
		if _, err := p.callOnTarget(ctx, pg, &t, "touches", target, enter); err != nil {
			return err
		}
		switch { // what is touched may be in a frame, and the card in another
		case t.Payment:
		case t.Acts:
			pays, silent := findPaymentFrame(ctx, p.framesInOrder(pg), "pays")
			t.Payment = pays || silent
		case t.Link != "":
			t.Payment, _ = findPaymentFrame(ctx, p.framesInOrder(pg), "cards")
		}
		return nil
	})
	p.cachePayment(t.Payment)
	return t, err
}

// MaskField has a field show dots for what it holds, in every picture from now on.
func (p *Pane) MaskField(ctx context.Context, target string) error {
	return p.withTurn(ctx, "concealing a field", func(ctx context.Context, pg *page) error {
		var field struct{ Words string }
		_, err := p.callOnTarget(ctx, pg, &field, "conceal", target)
		return err
	})
}

// AsksForPayment says whether the page, or a frame of it, asks for a card. It changes
// nothing; while the page waits for an answer it is what was seen before.
func (p *Pane) AsksForPayment(ctx context.Context) (bool, error) {
	p.mu.Lock()
	waits, pays := len(p.prompts) > 0, p.paymentURL != "" && p.paymentURL == p.info.URL
	p.mu.Unlock()
	if waits {
		return pays, nil
	}
	first, cancel := context.WithTimeout(ctx, p.m.limits.part) // the frames have limits of their own
	defer cancel()
	err := p.withDialogTurn(first, "looking for payment", func(first context.Context, pg *page) error {
		if err := pg.callScript(first, &pays, "pays"); err != nil {
			return err
		}
		if !pays {
			frames, loose := p.withLease(ctx)
			defer loose(nil)
			asks, silent := findPaymentFrame(frames, p.framesInOrder(pg)[1:], "pays")
			pays = asks || silent
		}
		return nil
	})
	p.cachePayment(pays)
	return pays, err
}

// findPaymentFrame asks views of a page. A frame that is there and does not answer may hold
// a card: it is silent.
func findPaymentFrame(ctx context.Context, parts []*page, question string) (pays, silent bool) {
	for _, part := range parts {
		yes := false
		err := part.callScript(ctx, &yes, question)
		switch {
		case err == nil && yes:
			return true, silent
		case part.isUnresponsive(err):
			silent = true
		}
	}
	return false, silent
}

// isUnresponsive says that a page is a frame of another site that is there and does not answer.
func (pg *page) isUnresponsive(err error) bool {
	return pg.part && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrTimeout) || errors.Is(err, errFrameUnresponsive))
}

func (p *Pane) cachePayment(pays bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if pays {
		p.paymentURL = p.info.URL
	}
}
