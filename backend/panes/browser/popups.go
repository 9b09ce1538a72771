package browser

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/script"
)

// popup is the pane's state as a window that a page opened, until its first document is known,
// and the address of the last window that its own page opened. The state's mutex guards it.
type popup struct {
	state   *State
	prompts *Prompts

	openedURL string // of the last window.open
	stage     popupState
}

// onWindowOpened handles a window that a page opened, on a goroutine of its own: the callback may
// take a while, and attaching waits for answers.
func (m *Manager) onWindowOpened(opener *Pane, target proto.TargetTargetInfo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	w := &popupWindow{opener: opener}
	m.windows[target.TargetID] = w
	m.work.Go(func() {
		ctx, cancel := context.WithTimeout(m.ctx, launchTimeout)
		defer cancel()
		defer opener.State.change(func() { opener.State.network.opening = time.Time{} })
		if err := m.openPopup(ctx, opener, target); err != nil && !w.isDownload() {
			opener.State.showNotice("a window that the page opened was lost: %s", text.SanitizeLine(err.Error(), 200))
		}
	})
}

// popupWindow is a window that a page has opened.
type popupWindow struct {
	opener          *Pane
	usedForDownload atomic.Bool // a download used it
}

// isDownload reports whether the window was opened for a download, and therefore closed.
func (p *popupWindow) isDownload() bool {
	if pg, err := p.opener.State.currentPage(); err == nil {
		pg.process.DrainEvents()
	}
	return p.usedForDownload.Load()
}

// downloadReceiver returns the pane that gets a download of a page.
func (m *Manager) downloadReceiver(target proto.TargetTargetID) *Pane {
	m.mu.Lock()
	w := m.windows[target]
	m.mu.Unlock()
	p := m.byTarget(target)
	switch {
	case w == nil:
		return p
	case p != nil && p.popup.hasHadDocument():
		return p
	}
	w.usedForDownload.Store(true)
	return w.opener
}

// downloadReceiver returns the pane that gets a download of this pane's page. A window without a
// document was opened for the download and closes: the page that opened it gets the download.
func (er *eventRouter) downloadReceiver() *Pane {
	if pg, err := er.pane.State.currentPage(); err == nil {
		if to := er.pane.State.m.downloadReceiver(pg.target); to != nil {
			return to
		}
	}
	return er.pane
}

// hasHadDocument reports whether a window has had a document of its own.
func (p *popup) hasHadDocument() bool {
	p.state.mu.Lock()
	defer p.state.mu.Unlock()
	return p.stage != popupAttached && !p.state.load.awaitsDocument()
}

func (m *Manager) openPopup(ctx context.Context, opener *Pane, target proto.TargetTargetInfo) error {
	pg, err := opener.State.currentPage()
	if err != nil {
		return err
	}
	opener.State.mu.Lock()
	address := opener.popup.openedURL
	opener.popup.openedURL = ""
	opener.State.mu.Unlock()
	if target.URL != "" && target.URL != "about:blank" {
		address = target.URL
	}
	if m.cfg.OnPopup != nil {
		if o, ok := m.cfg.OnPopup(opener.State.Info(), text.SanitizeLine(address, 4096)); ok {
			return m.adoptPopup(ctx, pg, opener, o, target.TargetID, address)
		}
	}
	pg.process.Post("", proto.TargetCloseTarget{TargetID: target.TargetID})
	if address == "" || address == "about:blank" {
		return nil // a script fills it, which a closed window does not run
	}
	if address, err = m.rules.validateAddress(address); err != nil {
		return err
	}
	return opener.Navigation.navigate(ctx, address)
}

// adoptPopup makes a pane of a new window. The window keeps its opener, which sign-in windows
// need.
func (m *Manager) adoptPopup(
	ctx context.Context, pg *page, opener *Pane, o Options, target proto.TargetTargetID, address string,
) error {
	o.GoalID, o.Profile, o.URL = opener.State.goalID, opener.State.profile, text.SanitizeLine(address, 4096)
	if o.Width <= 0 || o.Height <= 0 {
		o.Width, o.Height = opener.Viewport.size()
	}
	p, err := m.reservePane(o)
	if err != nil {
		pg.process.Post("", proto.TargetCloseTarget{TargetID: target})
		return err
	}
	p.State.change(func() { p.State.info.URL, p.popup.stage = o.URL, popupAttached })
	p.Driver.inheritDriver(opener)
	if err := p.attachTo(ctx, target); err != nil {
		return errors.Join(err, m.removePane(ctx, p))
	}
	if m.cfg.OnWindow != nil {
		m.cfg.OnWindow(p)
	}
	p.Navigation.requestHistory()
	p.State.runAsync(p.popup.watchFirstDocument) //nolint:contextcheck // it continues after the event that began it
	opener.Activity.noteDuringAction(fmt.Sprintf("it opened %s in the new pane %s", o.URL, p.State.id))
	return nil
}

// popupState is the progress of a window that a page has opened.
type popupState int

const (
	popupReady    popupState = iota // or it is not such a window
	popupAttached                   // its document is not known yet
	popupLoading                    // its document is known
)

// onPopupDocument records the document of a window: perhaps the empty one before its own. Until a
// document is complete, Chromium does not report it, nor that it loads. All earlier events must
// have been handled.
func (p *popup) onPopupDocument(f *proto.PageFrame) {
	p.state.change(func() {
		if p.stage == popupAttached {
			p.stage = popupLoading
		}
		if p.state.load.loader == "" {
			p.state.load.loader, p.state.load.byUser = f.LoaderID, p.state.isUserAction()
		}
		if f.URL != p.state.info.URL && (f.URL == "" || f.URL == ":" || f.URL == "about:blank") && p.state.info.URL != "" {
			p.state.load.empty = f.LoaderID
		}
		p.state.loading = p.state.loading || !p.state.load.isLoaded() && !p.state.load.awaitsDocument()
	})
}

// awaitFirstDocument waits for the document of a window that has just been opened, because no caller wants the empty
// document before it.
func (p *popup) awaitFirstDocument(ctx context.Context) {
	p.state.mu.Lock()
	isReady := p.stage == popupReady
	p.state.mu.Unlock()
	if isReady {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, p.state.m.limits.firstDocument)
	defer cancel()
	_ = p.state.wait(ctx, func() bool {
		return p.stage == popupLoading && p.state.load.isLoaded() || len(p.prompts.open) > 0
	})
	p.state.change(func() { p.stage = popupReady }) // also one that stays empty, perhaps for a download
}

// watchFirstDocument runs userprompts.js in a popup's first document. That document takes over the global object of
// the empty document before it, and in this case Chromium does not run the scripts for new documents.
func (p *popup) watchFirstDocument(ctx context.Context) error {
	pg, err := p.state.currentPage()
	if err != nil {
		return nil //nolint:nilerr // its end is reported elsewhere
	}
	if err := p.state.wait(ctx, func() bool { return p.state.load.loader != "" && p.state.load.isLoaded() }); err != nil {
		return nil //nolint:nilerr // its end is reported elsewhere
	}
	world, err := pg.userPromptsContext(ctx)
	if err == nil {
		_, err = evaluate(ctx, pg, world, script.UserPrompts+";true")
	}
	if err != nil {
		p.state.m.cfg.Log.Debug("watching a popup", "pane", p.state.id, "error", err)
	}
	return nil
}
