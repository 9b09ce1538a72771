package browser

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/browser/internal/sanitize"
	"goalpost/backend/browser/internal/script"
	"goalpost/backend/pane"
)

// onWindowOpened hands a window that a page opened to a goroutine of its own: the
// callback may take its time, and attaching waits for answers.
func (m *Manager) onWindowOpened(opener *Pane, target proto.TargetTargetInfo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	w := &popupWindow{opener: opener}
	m.windows[target.TargetID] = w
	m.work.Go(func() {
		ctx, cancel := context.WithTimeout(m.ctx, launchLimit)
		defer cancel()
		defer opener.change(func() { opener.network.opening = time.Time{} })
		if err := m.openPopup(ctx, opener, target); err != nil && !w.wasDownload() {
			opener.notice("a window that the page opened was lost: %s", sanitize.Line(err.Error(), 200))
		}
	})
}

// popupWindow is one that a page has opened.
type popupWindow struct {
	opener *Pane
	sent   atomic.Bool // it was there for a download
}

// wasDownload says whether the window was there for a download, and so has gone.
func (w *popupWindow) wasDownload() bool {
	if pg, err := w.opener.currentPage(); err == nil {
		pg.engine.DrainEvents()
	}
	return w.sent.Load()
}

// downloadReceiver is whose a download of a page is.
func (m *Manager) downloadReceiver(target proto.TargetTargetID) *Pane {
	m.mu.Lock()
	w := m.windows[target]
	m.mu.Unlock()
	p := m.byTarget(target)
	switch {
	case w == nil:
		return p
	case p != nil && p.hadDocument():
		return p
	}
	w.sent.Store(true)
	return w.opener
}

// downloadReceiver is whose a download of the pane's page is: a window without a document, which
// was opened for the download and goes, has it for the page that opened it.
func (p *Pane) downloadReceiver() *Pane {
	if pg, err := p.currentPage(); err == nil {
		if to := p.m.downloadReceiver(pg.target); to != nil {
			return to
		}
	}
	return p
}

// hadDocument says whether a window has had a document of its own.
func (p *Pane) hadDocument() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.popup != popupAttached && !p.load.setPending()
}

func (m *Manager) openPopup(ctx context.Context, opener *Pane, target proto.TargetTargetInfo) error {
	pg, err := opener.currentPage()
	if err != nil {
		return err
	}
	opener.mu.Lock()
	address := opener.popupURL
	opener.popupURL = ""
	opener.mu.Unlock()
	if target.URL != "" && target.URL != "about:blank" {
		address = target.URL
	}
	if m.cfg.OnPopup != nil {
		if o, ok := m.cfg.OnPopup(opener.Info(), sanitize.Line(address, 4096)); ok {
			return m.adopt(ctx, pg, opener, o, target.TargetID, address)
		}
	}
	pg.engine.Post("", proto.TargetCloseTarget{TargetID: target.TargetID})
	if address == "" || address == "about:blank" {
		return nil // filled by script, which the closed window no longer can
	}
	if address, err = m.validateAddress(address); err != nil {
		return err
	}
	return opener.navigate(ctx, address)
}

// adopt makes a pane of the new window; it keeps its opener, which sign-in
// windows need.
func (m *Manager) adopt(ctx context.Context, pg *page, opener *Pane, o Options, target proto.TargetTargetID, address string) error {
	o.GoalID, o.Profile, o.URL = opener.goalID, opener.profile, sanitize.Line(address, 4096)
	if o.Width <= 0 || o.Height <= 0 {
		opener.mu.Lock()
		o.Width, o.Height = opener.width, opener.height
		opener.mu.Unlock()
	}
	p, err := m.reserve(o)
	if err != nil {
		pg.engine.Post("", proto.TargetCloseTarget{TargetID: target})
		return err
	}
	p.change(func() { p.info.URL, p.popup = o.URL, popupAttached })
	p.inheritDriver(opener)
	if err := p.attachTo(ctx, target); err != nil {
		return errors.Join(err, m.removePane(ctx, p))
	}
	if m.cfg.OnWindow != nil {
		m.cfg.OnWindow(p)
	}
	p.requestHistory()
	m.runAsync(p, p.watchFirstDocument) //nolint:contextcheck // it continues after the event that began it
	opener.noteDuringAction(fmt.Sprintf("it opened %s in the new pane %s", o.URL, p.id))
	return nil
}

// inheritDriver gives a window to whoever has its opener: the goal that the opener was
// lent to, and the user who has taken the opener over or may act on it.
func (p *Pane) inheritDriver(opener *Pane) {
	opener.mu.Lock()
	lent, driver, idle := opener.sharedWith, opener.info.Driver, opener.idle
	opener.mu.Unlock()
	p.change(func() {
		if lent != "" {
			p.shareHolder(lent)
		}
		if p.leaseHolder() == "" {
			return
		}
		p.idle, p.info.Driver = idle, driver
		if driver == pane.DriverUser {
			p.cancelAgent(ErrTakenOver)
		}
	})
}

// popupState is how far a window is that a page has opened.
type popupState int

const (
	popupReady    popupState = iota // or no such window
	popupAttached                   // what it shows is not known yet
	popupLoading                    // it is known
)

// onPopupDocument notes what a window shows: the empty document that comes before its own,
// perhaps. Of one that is still being sent Chromium tells nothing before its end, and
// not that it loads. All that it did tell must have been taken note of.
func (p *Pane) onPopupDocument(f *proto.PageFrame) {
	p.change(func() {
		if p.popup == popupAttached {
			p.popup = popupLoading
		}
		if p.load.loader == "" {
			p.load.loader, p.load.byUser = f.LoaderID, p.isUserAction()
		}
		if f.URL != p.info.URL && (f.URL == "" || f.URL == ":" || f.URL == "about:blank") && p.info.URL != "" {
			p.load.empty = f.LoaderID
		}
		p.loading = p.loading || !p.load.done() && !p.load.setPending()
	})
}

// awaitFirstDocument waits for the document of a window that has just been opened: nobody means
// the empty one before it.
func (p *Pane) awaitFirstDocument(ctx context.Context) {
	p.mu.Lock()
	stands := p.popup == popupReady
	p.mu.Unlock()
	if stands {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, p.m.limits.first)
	defer cancel()
	_ = p.wait(ctx, func() bool { return p.popup == popupLoading && p.load.done() || len(p.prompts) > 0 })
	p.change(func() { p.popup = popupReady }) // also one that stays empty, for a download perhaps
}

// watchFirstDocument runs userprompts.js in a popup's first document: it takes over the global
// object of the empty one before it, and Chromium runs no scripts in it then.
func (p *Pane) watchFirstDocument(ctx context.Context) error {
	pg, err := p.currentPage()
	if err != nil {
		return nil //nolint:nilerr // its end is told elsewhere
	}
	if err := p.wait(ctx, func() bool { return p.load.loader != "" && p.load.done() }); err != nil {
		return nil //nolint:nilerr // likewise
	}
	world, err := pg.mainWorldContext(ctx)
	if err == nil {
		_, err = evaluate(ctx, pg, world, script.UserPrompts+script.Zoom+";true")
	}
	if err != nil {
		p.m.cfg.Log.Debug("watching a popup", "pane", p.id, "error", err)
	}
	return nil
}
