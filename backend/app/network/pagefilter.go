package network

import (
	"sync"

	"goalpost/backend/browser"
	"goalpost/backend/sandbox/egress"
)

// FilteredGoal is a goal whose pages reach hosts.
type FilteredGoal interface {
	Egress() *egress.Proxy
	NetworkLog() *Log // nil writes nothing down
	// FiltersPages reports whether its pages reach hosts that they may not send to.
	FiltersPages() bool
	// OnRequest writes a request down and reports what was refused.
	OnRequest(entry egress.Entry)
}

// PageFilters are the enclosures whose pages reach hosts, by goal. It has a lock of its
// own: Chromium's events ask here and must not wait for a room that is being opened.
type PageFilters struct {
	mu   sync.Mutex
	open map[string]FilteredGoal
}

// Add registers the sandbox of a goal until end is called.
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

// Active says whether the requests of a goal's pages are judged one by one: where they
// reach a host that they may not send to.
func (g *PageFilters) Active(id string) bool {
	e := g.Get(id)
	return e != nil && e.FiltersPages()
}

// Decide decides about a request of a goal's page, and of one that the user lent it. A
// goal whose room is closed reaches nothing anyway.
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

// OnRequest writes down what nobody judged: the rules of the goal's proxy hold for its own
// pages, and for a page that the user lent it what is denied to the goal, which judge
// writes down.
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
