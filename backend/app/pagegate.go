package app

import (
	"sync"

	"goalpost/backend/browser"
	"goalpost/backend/sandbox/egress"
)

// pageGates are the enclosures whose pages reach hosts, by goal. It has a lock of its
// own: Chromium's events ask here and must not wait for a room that is being opened.
type pageGates struct {
	mu   sync.Mutex
	open map[string]*enclosure
}

// add makes an enclosure the one of its goal until end.
func (g *pageGates) add(name string, e *enclosure) (end func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open == nil {
		g.open = map[string]*enclosure{}
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

func (g *pageGates) of(name string) *enclosure {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open[name]
}

// judged says whether the requests of a goal's pages are judged one by one: where they
// reach a host that they may not send to.
func (g *pageGates) judged(id string) bool {
	e := g.of(id)
	return e != nil && e.judged.Load()
}

// judge decides about a request of a goal's page, and of one that the person lent it. A
// goal whose room is closed reaches nothing anyway.
func (g *pageGates) judge(s browser.Sent) (why string) {
	switch e := g.of(s.GoalID); {
	case e == nil:
	case s.Lent:
		why, _ = e.proxy.JudgeLent(egress.Told{From: egress.Lent, Method: s.Method, URL: s.URL})
	default:
		why, _ = e.proxy.Judge(egress.Told{From: egress.Pane, Method: s.Method, URL: s.URL})
	}
	return why
}

// heard writes down what nobody judged: the rules of the goal's proxy hold for its own
// pages, and for a page that the person lent it what is denied to the goal, which judge
// writes down.
func (g *pageGates) heard(s browser.Sent) {
	e := g.of(s.GoalID)
	switch {
	case e == nil:
	case s.Lent:
		if entry, ok := e.proxy.Lent(egress.Told{From: egress.Lent, Method: s.Method, URL: s.URL}); ok && entry.Allowed {
			e.log().add(entry)
		}
	default:
		if entry, tell := e.proxy.Entry(egress.Told{From: egress.Pane, Method: s.Method, URL: s.URL}); tell {
			e.log().add(entry)
		}
	}
}
