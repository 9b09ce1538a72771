package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"goalpost/backend/lib/text"
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
}

// OpenAsleep makes a pane of the user without loading its page: its next viewer does that. Until then it costs
// nothing.
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
	p.State.change(func() { s, p.State.asleep = p.State.asleep, nil })
	if s == nil {
		return // another viewer was faster
	}
	if _, err := p.State.currentPage(); err == nil {
		return // the user has opened another page in it
	}
	p.State.runAsync(func(ctx context.Context) error {
		if s.URL == "about:blank" {
			return p.attachNew(ctx)
		}
		if err := p.Navigation.navigate(ctx, s.URL); err != nil {
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
