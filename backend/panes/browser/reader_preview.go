package browser

import (
	"context"
	"errors"

	"goalpost/backend/domain/pane"
)

// PreviewAction predicts what a click on an element, or Enter in it, would cause. It changes
// nothing.
func (rd *Reader) PreviewAction(ctx context.Context, target string, enter bool) (pane.ActionPreview, error) {
	var t pane.ActionPreview
	err := rd.turns.withTurn(ctx, "previewing an action", func(ctx context.Context, pg *page) error {
		if _, err := rd.targets.callOnTarget(ctx, pg, &t, "previewClick", target, enter); err != nil {
			return err
		}
		switch { // the element may be in one frame, and the card field in another
		case t.Payment:
		case t.Acts:
			pays, silent := findPaymentFrame(ctx, rd.frames.inOrder(pg), "hasPayment")
			t.Payment = pays || silent
		case t.Link != "":
			t.Payment, _ = findPaymentFrame(ctx, rd.frames.inOrder(pg), "hasCardField")
		}
		return nil
	})
	rd.cachePayment(t.Payment)
	return t, err
}

// AsksForPayment reports whether the page, or a frame of it, asks for a card. It changes nothing.
// While the page waits for an answer, it returns what was seen before.
func (rd *Reader) AsksForPayment(ctx context.Context) (bool, error) {
	rd.state.mu.Lock()
	waits, address := len(rd.prompts.open) > 0, rd.state.info.URL
	rd.state.mu.Unlock()
	pays := rd.hasSeenPayment(address)
	if waits {
		return pays, nil
	}
	first, cancel := context.WithTimeout(ctx, rd.state.m.limits.remoteFrame) // the frames have limits of their own
	defer cancel()
	err := rd.turns.withDialogTurn(first, "looking for payment", func(first context.Context, pg *page) error {
		if err := pg.callScript(first, &pays, "hasPayment"); err != nil {
			return err
		}
		if !pays {
			frames, endLease := rd.driver.withLease(ctx)
			defer endLease(nil)
			asks, silent := findPaymentFrame(frames, rd.frames.inOrder(pg)[1:], "hasPayment")
			pays = asks || silent
		}
		return nil
	})
	rd.cachePayment(pays)
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
func (pg *page) isUnresponsive(err error) bool {
	return pg.isRemoteFrame &&
		(errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrTimeout) || errors.Is(err, errFrameUnresponsive))
}

func (rd *Reader) cachePayment(pays bool) {
	if !pays {
		return
	}
	address := rd.state.Info().URL
	rd.mu.Lock()
	defer rd.mu.Unlock()
	rd.paymentURL = address
}

func (rd *Reader) hasSeenPayment(address string) bool {
	rd.mu.Lock()
	defer rd.mu.Unlock()
	return address != "" && rd.paymentURL == address
}
