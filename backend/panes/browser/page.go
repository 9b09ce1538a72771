package browser

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/script"
)

// page is one attached page of Chromium. It is immutable; alive ends with ErrCrashed, ErrEnded or
// ErrClosed, and with it every call on the page.
type page struct {
	process       *browserProcess
	target        proto.TargetTargetID
	session       proto.TargetSessionID
	window        proto.BrowserWindowID // 0 for a page that is always drawn
	alive         context.Context
	end           context.CancelCauseFunc
	refs          *refAllocator // of the pane; actions that use it take turns
	isRemoteFrame bool          // it is a frame of another site, see frames
	silentUntil   atomic.Int64  // until when a frame that did not answer is not asked again, in ns since 1970
	worlds        script.Contexts
}

// renewed returns the same page after a crash: Chromium keeps the session, and a reload gives it
// a new process.
func (p *page) renewed() *page {
	next := &page{process: p.process, target: p.target, session: p.session, window: p.window, refs: p.refs}
	next.alive, next.end = context.WithCancelCause(p.process.Alive)
	return next
}

func (p *page) do(ctx context.Context, limit time.Duration, what string, f func(proto.Client) error) error {
	return p.process.Do(ctx, p.alive, p.session, limit, what, f)
}

// callLimit is the time for one operation of the page, besides the caller's context.
func (p *page) callLimit() time.Duration { return p.process.m.limits.call }

// boundAnswers returns a context in which a frame of another site has to answer soon, so that it cannot block the page.
func (p *page) boundAnswers(ctx context.Context) (context.Context, context.CancelFunc) {
	if !p.isRemoteFrame {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, p.process.m.limits.remoteFrame)
}

// isSilent reports whether the page is a frame of another site that did not answer recently.
func (p *page) isSilent() bool {
	return p.isRemoteFrame && time.Now().UnixNano() < p.silentUntil.Load()
}

// send sends one command and waits for its answer, which has no content.
func (p *page) send(ctx context.Context, limit time.Duration, what string, req proto.Request) error {
	return p.do(ctx, limit, what, func(c proto.Client) error { return cdp.CallNoResult(c, req) })
}

// Post sends a command without waiting for its answer.
func (p *page) Post(params proto.Request) { p.process.Post(p.session, params) }

// SessionID returns the session of the page.
func (p *page) SessionID() proto.TargetSessionID { return p.session }

// mainFrame returns the id of the main frame, which is the id of the target in Chromium.
func (p *page) mainFrame() proto.PageFrameID { return proto.PageFrameID(p.target) }

func (p *page) hasClosedItself() bool { return errors.Is(cdp.Cause(p.alive), errClosedItself) }
