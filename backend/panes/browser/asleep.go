package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
)

// SavedPage is a page of the user as it is stored between two starts.
type SavedPage struct {
	ID      string  `json:"id"`
	URL     string  `json:"url"`
	Title   string  `json:"title"`
	Profile string  `json:"profile"`
	X       float64 `json:"x"` // how far it is scrolled, in CSS pixels
	Y       float64 `json:"y"`
	Icon    string  `json:"icon"`   // as pane.Info has it
	Pinned  bool    `json:"pinned"` // as pane.Info has it
	Trail   Trail   `json:"trail"`
}

// OpenAsleep makes a pane of the user without loading its page: its next viewer or reader does that. Until then it
// costs nothing.
func (m *Manager) OpenAsleep(s SavedPage) (*Pane, error) {
	address, err := m.rules.validateAddress(s.URL)
	if err != nil {
		return nil, err
	}
	p, err := m.reservePane(Options{ID: s.ID, URL: address, Title: s.Title, Profile: s.Profile})
	if err != nil {
		return nil, err
	}
	p.State.change(func() { p.State.asleep, p.State.info.Icon, p.State.info.Pinned = &s, s.Icon, s.Pinned })
	p.State.setAddress(address)
	return p, nil
}

// Save returns what is stored of a page of the user.
func (p *Pane) Save(ctx context.Context) SavedPage {
	p.State.mu.Lock()
	asleep, info := p.State.asleep, p.State.info
	p.State.mu.Unlock()
	if asleep != nil {
		saved := *asleep
		saved.Pinned = info.Pinned
		return saved
	}
	s := SavedPage{
		ID:      info.ID,
		URL:     info.URL,
		Title:   info.Title,
		Profile: p.State.profile,
		Icon:    info.Icon,
		Pinned:  info.Pinned,
	}
	if pg, err := p.State.currentPage(); err == nil {
		if layout, err := pg.layout(ctx); err == nil {
			s.X, s.Y = layout.CSSVisualViewport.PageX, layout.CSSVisualViewport.PageY
		}
		if history, err := pg.readHistory(ctx); err == nil && len(history.Entries) > 0 {
			p.State.mu.Lock()
			s.Trail = p.State.trail.whole(history)
			p.State.mu.Unlock()
		}
	}
	return s
}

// Pin keeps the tab of a page of the user first and narrow, also after a restart, or releases it.
func (s *State) Pin(on bool) error {
	err := errors.New("pinning: only a page of your own that is saved can be pinned")
	s.change(func() {
		if s.isOwnPage() && s.profile != "" {
			s.info.Pinned, err = on, nil
		}
	})
	return err
}

// wake loads the page of a pane that was opened asleep, where it was scrolled to.
func (p *Pane) wake() {
	p.State.mu.Lock()
	isAwake := p.State.asleep == nil
	p.State.mu.Unlock()
	if isAwake {
		return
	}
	var s *SavedPage
	p.State.change(func() {
		if p.State.page == nil { // else the user has opened another page in it
			s, p.State.waking = p.State.asleep, p.State.waking || p.State.asleep != nil
		}
		p.State.asleep = nil
	})
	if s == nil {
		return // another viewer was faster
	}
	p.State.runAsync(func(ctx context.Context) error {
		defer p.State.change(func() { p.State.waking = false })
		if s.URL == "about:blank" {
			return p.attachNew(ctx)
		}
		if err := p.Navigation.loadWithTrail(ctx, s.URL, s.Trail); err != nil {
			p.State.setLoadError("%s", text.SanitizeLine(err.Error(), 300))
			return err
		}
		if pg, err := p.State.currentPage(); err == nil && (s.X != 0 || s.Y != 0) {
			pg.Post(proto.RuntimeEvaluate{Silent: true, Expression: fmt.Sprintf(`(() => {
				const go = () => scrollTo(%g, %g);
				go();
				if (document.readyState !== "complete") addEventListener("load", go, { once: true });
			})()`, s.X, s.Y)})
		}
		return nil
	})
}

// wakeForReader loads the page of a pane that sleeps, and waits for it: an agent or a chat reads it.
func (p *Pane) wakeForReader(ctx context.Context) error {
	p.State.mu.Lock()
	isAwake := p.State.asleep == nil && !p.State.waking
	p.State.mu.Unlock()
	if isAwake {
		return nil
	}
	p.wake() //nolint:contextcheck // the page stays when its reader has gone
	ctx, end := cdp.JoinContexts(ctx, p.State.ctx)
	defer end(nil)
	problem := ""
	err := p.State.wait(ctx, func() bool {
		problem = p.State.loadError
		return !p.State.waking
	})
	if err == nil && problem != "" {
		err = errors.New(problem)
	}
	return err
}
