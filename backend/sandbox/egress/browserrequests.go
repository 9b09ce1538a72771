package egress

import (
	"net/url"
	"strings"
	"time"
)

// BrowserRequest is a request that the browser tells of: it knows the method, which a tunnel
// hides from the proxy.
type BrowserRequest struct {
	From        Source
	Method, URL string
}

// parse reads it; false for what goes to no server, as data: and blob:.
func (t BrowserRequest) parse() (q Request, plain, ok bool) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return Request{From: t.From, Method: t.Method, Host: "?"}, false, true // nobody knows where it would go
	}
	port := u.Port()
	switch u.Scheme {
	case "http", "ws":
		plain = true
		if port == "" {
			port = "80"
		}
	case "https", "wss":
		if port == "" {
			port = "443"
		}
	default:
		return q, false, false
	}
	return Request{
		From:   t.From,
		Method: strings.ToUpper(t.Method),
		Host:   strings.TrimSuffix(strings.ToLower(u.Hostname()), "."),
		Port:   port,
	}, plain, true
}

// DecidePage decides about a request of a page as handle does about one that comes to the
// proxy, and writes it down. It never waits for anything outside this program.
func (p *Proxy) DecidePage(t BrowserRequest) (reason string, ok bool) {
	e, tell := p.Entry(t)
	if tell {
		p.log.add(e)
	}
	return e.Reason, e.Allowed
}

// Entry is a request of a page as it is to be written down; tell is false for what
// the proxy itself writes down: plain http that is allowed, and the goal's loopback.
func (p *Proxy) Entry(t BrowserRequest) (e Entry, tell bool) {
	q, plain, goes := t.parse()
	e = Entry{At: time.Now(), From: q.From, Method: q.Method, Host: q.Host, Port: q.Port, Allowed: true}
	rules := p.Rules()
	if !goes || isGoalLoopback(q.Host) && !matchesHost(rules.Local, q) {
		return e, false
	}
	e.Reason, e.Allowed = rules.Decide(q)
	return e, !e.Allowed || !plain
}

// SharedPageEntry is a request of a page that the user lent to the goal, as it is to be written
// down. The page is theirs, with their network, so no other rule holds there than that
// a host that is denied to the goal stays denied. ok is false for what goes to no server.
func (p *Proxy) SharedPageEntry(t BrowserRequest) (e Entry, ok bool) {
	q, _, ok := t.parse()
	e = Entry{At: time.Now(), From: SourceSharedPane, Method: q.Method, Host: q.Host, Port: q.Port, Allowed: true}
	if deny := p.Rules().Deny; ok && matchesHost(deny, q) {
		e.Allowed, e.Reason = false, q.Host+" is denied for this goal, with which this page is shared"
	}
	return e, ok
}

// DecideSharedPage is Judge for a page that the user lent to the goal. What may go is
// written down by whoever hears that it goes.
func (p *Proxy) DecideSharedPage(t BrowserRequest) (reason string, ok bool) {
	e, _ := p.SharedPageEntry(t)
	if !e.Allowed {
		p.log.add(e)
	}
	return e.Reason, e.Allowed
}
