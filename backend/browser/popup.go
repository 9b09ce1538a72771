package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// onPopup hands a window that a page opened to a goroutine of its own: the
// callback may take its time, and attaching waits for answers.
func (m *Manager) onPopup(opener *Pane, target proto.TargetTargetInfo) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.work.Go(func() {
		ctx, cancel := context.WithTimeout(m.ctx, launchLimit)
		defer cancel()
		defer opener.change(func() { opener.net.opening = time.Time{} })
		if err := m.popup(ctx, opener, target); err != nil {
			opener.notice("a window that the page opened was lost: %s", clean(err.Error(), 200))
		}
	})
}

func (m *Manager) popup(ctx context.Context, opener *Pane, target proto.TargetTargetInfo) error {
	pg, err := opener.current()
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
		if o, ok := m.cfg.OnPopup(opener.Info(), clean(address, 4096)); ok {
			return m.adopt(ctx, pg, opener, o, target.TargetID, address)
		}
	}
	pg.engine.post("", proto.TargetCloseTarget{TargetID: target.TargetID})
	if address == "" || address == "about:blank" {
		return nil // filled by script, which the closed window no longer can
	}
	if address, err = m.allowed(address); err != nil {
		return err
	}
	return opener.goTo(ctx, address)
}

// adopt makes a pane of the new window; it keeps its opener, which sign-in
// windows need.
func (m *Manager) adopt(ctx context.Context, pg *page, opener *Pane, o Options, target proto.TargetTargetID, address string) error {
	o.GoalID, o.Profile, o.URL = opener.goalID, opener.profile, clean(address, 4096)
	if o.Width <= 0 || o.Height <= 0 {
		opener.mu.Lock()
		o.Width, o.Height = opener.width, opener.height
		opener.mu.Unlock()
	}
	p, err := m.reserve(o)
	if err != nil {
		pg.engine.post("", proto.TargetCloseTarget{TargetID: target})
		return err
	}
	p.setURL(o.URL)
	if err := p.attachTo(ctx, target); err != nil {
		return errors.Join(err, m.drop(ctx, p))
	}
	p.wantHistory()
	m.later(p, p.watchFirst) //nolint:contextcheck // it goes on after the event that began it
	opener.tell(fmt.Sprintf("it opened %s in the new pane %s", o.URL, p.id))
	return nil
}

// watchFirst runs watch.js in a popup's first document: it takes over the global
// object of the empty one before it, and Chromium runs no scripts in it then.
func (p *Pane) watchFirst(ctx context.Context) error {
	pg, err := p.current()
	if err != nil {
		return nil //nolint:nilerr // its end is told elsewhere
	}
	if err := p.wait(ctx, func() bool { return p.load.loader != "" && p.load.done() }); err != nil {
		return nil //nolint:nilerr // likewise
	}
	world, err := pg.world(ctx)
	if err == nil {
		_, err = evaluate(ctx, pg, world, watchScript+handScript+";true")
	}
	if err != nil {
		p.m.cfg.Log.Debug("watching a popup", "pane", p.id, "error", err)
	}
	return nil
}
