package browser

import (
	"context"
	"errors"

	"goalpost/backend/domain/pane"
)

// PreviewAction predicts what a click on an element, or Enter in it, would cause. It changes
// nothing.
func (re *Reader) PreviewAction(ctx context.Context, target string, enter bool) (pane.ActionPreview, error) {
	var t pane.ActionPreview
	err := re.turns.withTurn(ctx, "previewing an action", func(ctx context.Context, pg *page) error {
		if _, err := re.targets.callOnTarget(ctx, pg, &t, "previewClick", target, enter); err != nil {
			return err
		}
		switch { // the element may be in one frame, and the card field in another
		case t.Payment:
		case t.Acts:
			pays, silent := findPaymentFrame(ctx, re.frames.inOrder(pg), "hasPayment")
			t.Payment = pays || silent
		case t.Link != "":
			t.Payment, _ = findPaymentFrame(ctx, re.frames.inOrder(pg), "hasCardField")
		}
		return nil
	})
	re.cachePayment(t.Payment)
	return t, err
}

// AsksForPayment reports whether the page, or a frame of it, asks for a card. It changes nothing.
// While the page waits for an answer, it returns what was seen before.
func (re *Reader) AsksForPayment(ctx context.Context) (bool, error) {
	re.state.mu.Lock()
	waits, address := len(re.prompts.open) > 0, re.state.info.URL
	re.state.mu.Unlock()
	pays := re.hasSeenPayment(address)
	if waits {
		return pays, nil
	}
	first, cancel := context.WithTimeout(ctx, re.state.m.limits.remoteFrame) // the frames have limits of their own
	defer cancel()
	err := re.turns.withDialogTurn(first, "looking for payment", func(first context.Context, pg *page) error {
		if err := pg.callScript(first, &pays, "hasPayment"); err != nil {
			return err
		}
		if !pays {
			frames, endLease := re.driver.withLease(ctx)
			defer endLease(nil)
			asks, silent := findPaymentFrame(frames, re.frames.inOrder(pg)[1:], "hasPayment")
			pays = asks || silent
		}
		return nil
	})
	re.cachePayment(pays)
	return pays, err
}

// findPaymentFrame asks the page and its frames. A frame that does not answer may contain a card
// field: silent reports that.
func findPaymentFrame(ctx context.Context, views []*page, question string) (pays, silent bool) {
	for _, view := range views {
		yes := false
		err := view.callScript(ctx, &yes, question)
		switch {
		case err == nil && yes:
			return true, silent
		case view.isUnresponsive(err):
			silent = true
		}
	}
	return false, silent
}

// isUnresponsive reports that a page is a frame of another site that exists and does not answer.
func (p *page) isUnresponsive(err error) bool {
	return p.isRemoteFrame &&
		(errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrTimeout) || errors.Is(err, errFrameUnresponsive))
}

func (re *Reader) cachePayment(pays bool) {
	if !pays {
		return
	}
	address := re.state.Info().URL
	re.mu.Lock()
	defer re.mu.Unlock()
	re.paymentURL = address
}

func (re *Reader) hasSeenPayment(address string) bool {
	re.mu.Lock()
	defer re.mu.Unlock()
	return address != "" && re.paymentURL == address
}
