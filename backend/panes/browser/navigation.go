package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/domain/pane"
	"goalpost/backend/panes/browser/internal/cdp"
)

// Navigation navigates the pane from one document to another.
type Navigation struct {
	attach    func(context.Context) error // gives the pane a new page
	state     *State
	driver    *Driver
	prompts   *Prompts
	downloads *Downloads
	use       func() (end func()) // keeps the page drawn

	attachToken    chan struct{} // one token: for giving the pane a page
	historyChanged chan struct{} // has an element if the history changed
}

// errLoadStopped and errSuperseded are the reasons for ending a navigation early: a Stop, or
// another navigation.
var (
	errLoadStopped = cdp.NewCause("loading was stopped")
	errSuperseded  = cdp.NewCause("another navigation replaced this one")
)

// pendingNavigation is a navigation from the moment it is requested. A pane has at most one: the
// next one cancels it, and so does Stop, even before Chromium has received it.
type pendingNavigation struct {
	address  string // "" for back, forward and reload
	hasBegun bool   // Chromium has reported that it loads; guarded by the state's mu
	end      context.CancelCauseFunc
	endUse   func()
	done     chan struct{} // closed when it sends nothing more to Chromium
}

// startNavigation begins a navigation and returns its context. The caller must call
// endNavigation.
func (n *Navigation) startNavigation(ctx context.Context, address string) (context.Context, *pendingNavigation) {
	ctx, end := context.WithCancelCause(ctx)
	v := &pendingNavigation{address: address, end: end, endUse: n.use(), done: make(chan struct{})}
	var last *pendingNavigation
	n.state.change(func() {
		last, n.state.pending = n.state.pending, v
		if address != "" && originOf(address) != n.prompts.certException.origin {
			n.prompts.certException = certificateException{}
		}
	})
	last.cancel(ctx, errSuperseded)
	return ctx, v
}

// endNavigation ends the navigation, whatever its result.
func (n *Navigation) endNavigation(v *pendingNavigation) {
	n.state.change(func() {
		if n.state.pending == v {
			n.state.pending = nil
		}
	})
	v.endUse()
	close(v.done)
	v.end(nil)
}

// cancel ends a navigation, if there is one, and waits until it sends nothing more: otherwise its
// command to stop could stop the next navigation.
func (p *pendingNavigation) cancel(ctx context.Context, why error) {
	if p == nil {
		return
	}
	p.end(why)
	select {
	case <-p.done:
	case <-ctx.Done():
	}
}

// navigationCancelError returns the error for the caller of a cancelled navigation: nil for a user,
// who cancelled it, and err for an agent.
func (n *Navigation) navigationCancelError(ctx context.Context, err error) error {
	if (errors.Is(err, errLoadStopped) || errors.Is(err, errSuperseded)) && !n.driver.isAgentCall(ctx) {
		return nil
	}
	return err
}

// Stop ends loading, even before Chromium has begun, and anything that keeps the page from
// answering. It answers a prompt about leaving the page with no.
func (n *Navigation) Stop(ctx context.Context) error {
	if q, err := n.prompts.take(func(a openPrompt) bool { return a.Kind == pane.BeforeUnload }); err == nil {
		if err := q.answer(ctx, pane.Answer{ID: q.ID}); err != nil {
			n.state.m.cfg.Log.Debug("staying", "pane", n.state.id, "error", err)
		}
	}
	var v *pendingNavigation
	n.state.change(func() { v, n.state.loadError = n.state.pending, "" })
	v.cancel(ctx, errLoadStopped)
	ctx, cancel := n.beginNavigation(ctx)
	defer cancel(nil)
	pg, err := n.state.currentPage()
	if err != nil {
		return fmt.Errorf("stopping: %w", err)
	}
	return pg.send(ctx, pg.callLimit(), "stopping", proto.PageStopLoading{})
}
