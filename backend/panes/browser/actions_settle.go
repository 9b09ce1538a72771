package browser

import (
	"context"
	"time"

	"goalpost/backend/panes/browser/internal/cdp"
)

// How long waitUntilSettled waits, and for what.
const (
	networkQuietTime = 100 * time.Millisecond // without a request, once there was one
	delayedEffect    = 450 * time.Millisecond // until suggestions or a submenu appear: usual delays are 300 ms
	maxSettleTime    = 400 * time.Millisecond // for a page that never comes to rest
	maxAnimationTime = 800 * time.Millisecond // for animations that have an end
)

// waitUntilSettled waits until the effects of an action are over: the page has drawn its next
// frame without changing its document, loads nothing, and if it sent requests, has sent none for
// networkQuietTime. A page on which nothing happens is settled with its next frame. It gives up
// when that takes too long (see limits) or when the page is gone, which the next call will
// report. After an action whose effect is usually delayed, it waits for a visible change up to
// delayedEffect.
func (ac *Actions) waitUntilSettled(ctx context.Context, pg *page) {
	ctx, cancel := context.WithTimeout(ctx, ac.state.m.limits.settle)
	defer cancel()
	ctx, stop := cdp.JoinContexts(ctx, pg.alive)
	defer stop(nil)
	began := time.Now()
	for {
		frame := ac.awaitNextFrame(ctx, pg)
		pg.process.DrainEvents()
		ac.state.mu.Lock()
		net, busy, changed := ac.state.network, ac.state.info.Loading || len(ac.state.network.open) > 0, ac.state.changed
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
		case frame.moving > 0 && since+min(frame.moving, 100*time.Millisecond) < maxAnimationTime:
			continue
		case !frame.rests && since < maxSettleTime:
			continue
		case !busy && rest <= 0 && net.expectsDelay && !frame.visible && net.last.IsZero() && since < delayedEffect:
			ac.awaitMutation(ctx, pg, delayedEffect-since)
			continue
		}
		if !busy && rest <= 0 {
			return
		}
		awaitChange(ctx, changed, max(rest, 10*time.Millisecond))
	}
}

// awaitMutation waits until the page changes, at most for limit.
func (ac *Actions) awaitMutation(ctx context.Context, pg *page, limit time.Duration) {
	var changed bool
	if err := pg.callScript(ctx, &changed, "waitForMutation", max(limit.Milliseconds(), 1)); err != nil {
		ac.state.m.cfg.Log.Debug("settling", "pane", ac.state.id, "error", err)
	}
}

// frameActivity describes the activity of a page until its next frame.
type frameActivity struct {
	Altered int      // changes of its document until this frame
	Moving  float64  // how long animations that have an end will run, in ms
	Diff    *changes // what the action changed, if the page is still
}

// frameState sums up the frameActivity of a page and its frames.
type frameState struct {
	rests   bool          // nothing changed
	visible bool          // the action has an effect besides the state of its own element
	moving  time.Duration // how long animations will run
}

// awaitNextFrame waits for the next frame of the page and its frames of other sites.
func (ac *Actions) awaitNextFrame(ctx context.Context, pg *page) frameState {
	state := frameState{rests: true}
	ac.state.mu.Lock()
	ref := ac.state.network.ref
	ac.state.mu.Unlock()
	for _, view := range ac.frames.inOrder(pg) {
		activity := ac.lastClickActivity[view]
		delete(ac.lastClickActivity, view)
		delete(ac.lastChanges, view)
		if activity == nil {
			activity = &frameActivity{}
			limited, cancel := context.WithTimeout(ctx, ac.state.m.limits.hung)
			err := view.callScript(limited, activity, "waitForFrame")
			cancel()
			if err != nil {
				ac.state.m.cfg.Log.Debug("settling", "pane", ac.state.id, "error", err)
				continue
			}
		}
		if activity.Diff != nil {
			if ac.lastChanges != nil {
				ac.lastChanges[view] = activity.Diff
			}
			state.visible = state.visible || activity.Diff.isVisible(ref)
		}
		state.rests = state.rests && activity.Altered == 0 && activity.Moving == 0
		state.moving = max(state.moving, time.Duration(activity.Moving*float64(time.Millisecond)))
	}
	return state
}
