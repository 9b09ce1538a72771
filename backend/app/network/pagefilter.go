package network

import (
	"sync"

	"goalpost/backend/browser"
	"goalpost/backend/sandbox/egress"
)

// FilteredGoal is a goal with pages that can reach hosts.
type FilteredGoal interface {
	Egress() *egress.Proxy
	NetworkLog() *Log // nil records nothing
	// FiltersPages reports whether its pages can reach hosts that they may not send to.
	FiltersPages() bool
	// OnRequest records a request and reports it if it was refused.
	OnRequest(entry egress.Entry)
}

// PageFilters are the goals with pages that can reach hosts, by id. It has its own lock: Chromium's events use
// it and must not wait while a session is being opened.
type PageFilters struct {
	mu   sync.Mutex
	open map[string]FilteredGoal
}

// Add registers a goal until end is called.
func (g *PageFilters) Add(name string, e FilteredGoal) (end func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[string]FilteredGoal{}
	}
	g.open[name] = e
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.open[name] == e {
			delete(g.open, name)
		}
	}
}

func (g *PageFilters) Get(name string) FilteredGoal {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open[name]
}

// Active reports whether each request of a goal's pages must be decided: they can reach a host that they may
// not send to.
func (g *PageFilters) Active(id string) bool {
	e := g.Get(id)
	return e != nil && e.FiltersPages()
}

// Decide decides about a request of a goal's page or of a page that the user shares with the goal. It returns
// why the request is refused, "" if it is not. A goal without a session cannot reach anything anyway.
func (g *PageFilters) Decide(s browser.PageRequest) (why string) {
	switch e := g.Get(s.GoalID); {
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

// OnRequest records a request that Decide did not see. The goal's proxy enforces the rules for the goal's own
// pages. For a page that the user shares, Decide records what is denied to the goal.
func (g *PageFilters) OnRequest(s browser.PageRequest) {
	e := g.Get(s.GoalID)
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
		if entry, tell := e.Egress().Entry(egress.BrowserRequest{
			From:   egress.SourcePane,
			Method: s.Method,
			URL:    s.URL,
		}); tell {
			e.NetworkLog().Add(entry)
		}
	}
}
