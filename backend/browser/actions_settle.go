package browser

import (
	"context"
	"time"

	"goalpost/backend/browser/internal/cdp"
)

// The measures of settling.
const (
	networkQuietTime = 100 * time.Millisecond // nothing is fetched for so long, once something was
	fieldQuietTime   = 400 * time.Millisecond // a field that suggests something takes so long to begin
	maxSettleTime    = 400 * time.Millisecond // a page that never rests is waited for so long
)

// waitUntilSettled waits until what an action set off is over: the page has drawn its next
// frame and altered nothing on it, loads nothing, and has fetched nothing for a
// moment if it fetched at all. A page on which nothing happens is done with its
// next frame. It gives up when that takes too long, see limits, or when the
// page is gone: that is for the next call to find.
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
	Altered, Ever int // changes of its document, then and since the action began
	Moving        bool
	Diff          *changes // what changed, if it rests
}

// awaitNextFrame waits for the next frame of the page and its parts, and says whether
// nothing was altered in it, and whether anything was since the action began.
func (ac *actions) awaitNextFrame(ctx context.Context, pg *page) (rests, happened bool) {
	rests = true
	for _, view := range ac.frames.inOrder(pg) {
		c := ac.lastClickActivity[view]
		delete(ac.lastClickActivity, view)
		delete(ac.lastChanges, view)
		if c == nil {
			c = &frameActivity{}
			limited, cancel := context.WithTimeout(ctx, ac.state.m.limits.hung)
			err := view.callScript(limited, c, "calm")
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
