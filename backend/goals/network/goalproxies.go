package network

import (
	"sync"

	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/panes/browser"
)

// FilteredGoal is a goal with a proxy that its pages use.
type FilteredGoal interface {
	Egress() *egress.Proxy
	NetworkLog() *Log // nil records nothing
	// FiltersPages reports whether its pages can reach hosts that they may not send data to.
	FiltersPages() bool
	// OnRequest records a request, and journals it if it was refused.
	OnRequest(entry egress.Entry)
}

// PageFilters finds the goals with a proxy by their ids. It has its own lock because Chromium's events use it and must
// not wait while a session is opened.
type PageFilters struct {
	mu   sync.Mutex
	open map[string]FilteredGoal
}

// Add registers a goal until end is called.
func (p *PageFilters) Add(name string, e FilteredGoal) (end func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = map[string]FilteredGoal{}
	}
	p.open[name] = e
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.open[name] == e {
			delete(p.open, name)
		}
	}
}

// Get returns nil for a goal without a proxy.
func (p *PageFilters) Get(name string) FilteredGoal {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open[name]
}

// IsActive reports whether each request of a goal's pages must be decided, because they can reach a host that they may
// not send data to.
func (p *PageFilters) IsActive(id string) bool {
	e := p.Get(id)
	return e != nil && e.FiltersPages()
}

// Decide returns why a request of a goal's page, or of a page that the user shares with the goal, is refused; "" if it
// is allowed. It allows requests of a goal without a session, because they reach nothing anyway.
func (p *PageFilters) Decide(s browser.PageRequest) (why string) {
	switch e := p.Get(s.GoalID); {
	case e == nil:
	case s.Shared:
		why, _ = e.Egress().DecideSharedPage(egress.BrowserRequest{
			From:   egress.SourceSharedPane,
			Method: s.Method,
			URL:    s.URL,
		})
	default:
		why, _ = e.Egress().DecidePage(egress.BrowserRequest{From: egress.SourcePane, Method: s.Method, URL: s.URL})
	}
	return why
}

// OnRequest records a request that Decide has not seen. The goal's proxy enforces the rules for the goal's own pages.
// For a page that the user shares, Decide has already recorded the refused requests.
func (p *PageFilters) OnRequest(s browser.PageRequest) {
	e := p.Get(s.GoalID)
	switch {
	case e == nil:
	case s.Shared:
		if entry, ok := e.Egress().SharedPageEntry(egress.BrowserRequest{
			From:   egress.SourceSharedPane,
			Method: s.Method,
			URL:    s.URL,
		}); ok && entry.Allowed {
			e.NetworkLog().Add(entry)
		}
	default:
		if entry, ok := e.Egress().Entry(egress.BrowserRequest{
			From:   egress.SourcePane,
			Method: s.Method,
			URL:    s.URL,
		}); ok {
			e.NetworkLog().Add(entry)
		}
	}
}
