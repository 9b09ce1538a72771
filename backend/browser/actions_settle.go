package browser

import (
	"context"
	"time"

	"goalpost/backend/browser/internal/cdp"
)

// How long waitUntilSettled waits, and for what.
const (
	networkQuietTime = 100 * time.Millisecond // without a request, once there was one
	fieldQuietTime   = 400 * time.Millisecond // until a field begins to suggest something
	maxSettleTime    = 400 * time.Millisecond // for a page that never comes to rest
)

// waitUntilSettled waits until the effects of an action are over: the page has drawn its next
// frame without changing its document, loads nothing, and if it sent requests, has sent none for
// networkQuietTime. A page on which nothing happens is settled with its next frame. It gives up
// when that takes too long (see limits) or when the page is gone, which the next call will
// report.
func (ac *actions) waitUntilSettled(ctx context.Context, pg *page) {
	ctx, cancel := context.WithTimeout(ctx, ac.state.m.limits.settle)
	defer cancel()
	ctx, loose := cdp.JoinContexts(ctx, pg.alive)
	defer loose(nil)
	began := time.Now()
	for {
		rests, happened := ac.awaitNextFrame(ctx, pg)
		pg.engine.DrainEvents()
		ac.state.mu.Lock()
		net, busy, moved := ac.state.network, ac.state.info.Loading || len(ac.state.network.open) > 0, ac.state.changed
		ac.state.mu.Unlock()
		busy = busy || time.Since(net.leaving) < ac.state.m.limits.leaving ||
			time.Since(net.opening) < ac.state.m.limits.leaving
		rest := time.Duration(0)
		if !net.last.IsZero() {
			rest = networkQuietTime - time.Since(net.last)
		}
		since := time.Since(began)
		switch {
		case ctx.Err() != nil:
			return
		case !busy && rest <= 0 && net.patient && !happened && net.last.IsZero():
			rest = fieldQuietTime - since
		case !rests && since < maxSettleTime:
			continue
		}
		if !busy && rest <= 0 {
			return
		}
		timer := time.NewTimer(max(rest, 10*time.Millisecond))
		select {
		case <-moved:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// frameActivity is what a page did until its next frame.
type frameActivity struct {
	Altered, Ever int // changes of its document: until this frame, and since the action began
	Moving        bool
	Diff          *changes // what changed, if it is at rest
}

// awaitNextFrame waits for the next frame of the page and its frames of other sites. It reports
// whether nothing changed until then, and whether anything did since the action began.
func (ac *actions) awaitNextFrame(ctx context.Context, pg *page) (rests, happened bool) {
	rests = true
	for _, view := range ac.frames.inOrder(pg) {
		c := ac.lastClickActivity[view]
		delete(ac.lastClickActivity, view)
		delete(ac.lastChanges, view)
		if c == nil {
			c = &frameActivity{}
			limited, cancel := context.WithTimeout(ctx, ac.state.m.limits.hung)
			err := view.callScript(limited, c, "waitForTask")
			cancel()
			if err != nil {
				ac.state.m.cfg.Log.Debug("settling", "pane", ac.state.id, "error", err)
				continue
			}
		}
		if c.Diff != nil && ac.lastChanges != nil {
			ac.lastChanges[view] = c.Diff
		}
		rests, happened = rests && c.Altered == 0 && !c.Moving, happened || c.Ever > 0
	}
	return rests, happened
}
