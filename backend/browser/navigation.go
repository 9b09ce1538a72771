package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/pane"
)

// navigation leads the pane from one document to another.
type navigation struct {
	attach    func(context.Context) error // gives the pane a new page
	state     *state
	driver    *driver
	prompts   *prompts
	downloads *downloads

	attachToken    chan struct{} // one token: the pane gets a page
	historyChanged chan struct{} // the history changed
}

// errLoadStopped and errSuperseded say why a navigation was given up: somebody pressed
// Stop, or wants to go elsewhere.
var (
	errLoadStopped = cdp.NewCause("loading was stopped")
	errSuperseded  = cdp.NewCause("somebody went elsewhere")
)

// pendingNavigation is a way to another document, from the moment at which somebody wants
// it. A pane has at most one: the next gives up the one before it, and Stop does
// so too, also when Chromium has not heard of it yet.
type pendingNavigation struct {
	address string // "" for back, forward and reload
	begun   bool   // Chromium has told that it loads; guarded by the state's mu
	end     context.CancelCauseFunc
	over    chan struct{} // closed when nothing more of it reaches Chromium
}

// startNavigation begins a navigation and gives its context; endNavigation must be called.
func (n *navigation) startNavigation(ctx context.Context, address string) (context.Context, *pendingNavigation) {
	ctx, end := context.WithCancelCause(ctx)
	v := &pendingNavigation{address: address, end: end, over: make(chan struct{})}
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

// endNavigation ends the navigation, wherever it led to.
func (n *navigation) endNavigation(v *pendingNavigation) {
	n.state.change(func() {
		if n.state.pending == v {
			n.state.pending = nil
		}
	})
	close(v.over)
	v.end(nil)
}

// cancel ends a navigation, if there is one, and waits until it sends nothing more:
// otherwise its order to stop could meet the navigation after it.
func (v *pendingNavigation) cancel(ctx context.Context, why error) {
	if v == nil {
		return
	}
	v.end(why)
	select {
	case <-v.over:
	case <-ctx.Done():
	}
}

// navigationCancelError is what the end of a navigation means to whoever began it: a user who
// gave it up knows that, an agent must be told.
func (n *navigation) navigationCancelError(ctx context.Context, err error) error {
	if (errors.Is(err, errLoadStopped) || errors.Is(err, errSuperseded)) && !n.driver.isAgentCall(ctx) {
		return nil
	}
	return err
}

// Stop ends loading, also what Chromium has not begun yet, and what keeps the
// page from answering. Whether to leave the page is answered with no.
func (n *navigation) Stop(ctx context.Context) error {
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
	return pg.do(ctx, callLimit, "stopping", func(c proto.Client) error {
		return cdp.CallNoResult(c, proto.PageStopLoading{})
	})
}
