package browser

import (
	"context"
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
	alive         context.Context
	end           context.CancelCauseFunc
	refs          *refAllocator // of the pane; actions that use it take turns
	isRemoteFrame bool          // it is a frame of another site, see frames
	silentUntil   atomic.Int64  // until when a frame that did not answer is not asked again, in ns since 1970
	worlds        script.Contexts
}

// renewed returns the same page after a crash: Chromium keeps the session, and a reload gives it
// a new process.
func (pg *page) renewed() *page {
	next := &page{process: pg.process, target: pg.target, session: pg.session, refs: pg.refs}
	next.alive, next.end = context.WithCancelCause(pg.process.Alive)
	return next
}

func (pg *page) do(ctx context.Context, limit time.Duration, what string, f func(proto.Client) error) error {
	return pg.process.Do(ctx, pg.alive, pg.session, limit, what, f)
}

// callLimit is the time for one operation of the page, besides the caller's context.
func (pg *page) callLimit() time.Duration { return pg.process.m.limits.call }

// boundAnswers returns a context in which a frame of another site has to answer soon, so that it cannot block the page.
func (pg *page) boundAnswers(ctx context.Context) (context.Context, context.CancelFunc) {
	if !pg.isRemoteFrame {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, pg.process.m.limits.remoteFrame)
}

// isSilent reports whether the page is a frame of another site that did not answer recently.
func (pg *page) isSilent() bool {
	return pg.isRemoteFrame && time.Now().UnixNano() < pg.silentUntil.Load()
}

// send sends one command and waits for its answer, which has no content.
func (pg *page) send(ctx context.Context, limit time.Duration, what string, req proto.Request) error {
	return pg.do(ctx, limit, what, func(c proto.Client) error { return cdp.CallNoResult(c, req) })
}

// Post sends a command without waiting for its answer.
func (pg *page) Post(params proto.Request) { pg.process.Post(pg.session, params) }

// SessionID returns the session of the page.
func (pg *page) SessionID() proto.TargetSessionID { return pg.session }

// mainFrame returns the id of the main frame, which is the id of the target in Chromium.
func (pg *page) mainFrame() proto.PageFrameID { return proto.PageFrameID(pg.target) }
