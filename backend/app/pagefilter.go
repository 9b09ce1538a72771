package app

import (
	"sync"

	"goalpost/backend/browser"
	"goalpost/backend/sandbox/egress"
)

// pageRequestFilters are the enclosures whose pages reach hosts, by goal. It has a lock of its
// own: Chromium's events ask here and must not wait for a room that is being opened.
type pageRequestFilters struct {
	mu   sync.Mutex
	open map[string]*goalSandbox
}

// add registers the sandbox of a goal until end is called.
func (g *pageRequestFilters) add(name string, e *goalSandbox) (end func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[string]*goalSandbox{}
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

func (g *pageRequestFilters) get(name string) *goalSandbox {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open[name]
}

// active says whether the requests of a goal's pages are judged one by one: where they
// reach a host that they may not send to.
func (g *pageRequestFilters) active(id string) bool {
	e := g.get(id)
	return e != nil && e.filtersPages.Load()
}

// decide decides about a request of a goal's page, and of one that the user lent it. A
// goal whose room is closed reaches nothing anyway.
func (g *pageRequestFilters) decide(s browser.PageRequest) (why string) {
	switch e := g.get(s.GoalID); {
	case e == nil:
	case s.Shared:
		why, _ = e.proxy.DecideSharedPage(egress.BrowserRequest{From: egress.SourceSharedPane, Method: s.Method, URL: s.URL})
	default:
		why, _ = e.proxy.DecidePage(egress.BrowserRequest{From: egress.SourcePane, Method: s.Method, URL: s.URL})
	}
	return why
}

// onRequest writes down what nobody judged: the rules of the goal's proxy hold for its own
// pages, and for a page that the user lent it what is denied to the goal, which judge
// writes down.
func (g *pageRequestFilters) onRequest(s browser.PageRequest) {
	e := g.get(s.GoalID)
	switch {
	case e == nil:
	case s.Shared:
		if entry, ok := e.proxy.SharedPageEntry(egress.BrowserRequest{From: egress.SourceSharedPane, Method: s.Method, URL: s.URL}); ok && entry.Allowed {
			e.networkLog().add(entry)
		}
	default:
		if entry, tell := e.proxy.Entry(egress.BrowserRequest{From: egress.SourcePane, Method: s.Method, URL: s.URL}); tell {
			e.networkLog().add(entry)
		}
	}
}
