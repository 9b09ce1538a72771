package egress

import (
	"net/url"
	"strings"
	"time"
)

// BrowserRequest is a request as the browser reports it. The browser knows the method, which a tunnel hides from the
// proxy.
type BrowserRequest struct {
	From        Source
	Method, URL string
}

// parse converts it to a Request; ok is false for URLs that reach no server, such as data: and blob:.
func (b BrowserRequest) parse() (q Request, plain, ok bool) {
	u, err := url.Parse(b.URL)
	if err != nil {
		return Request{From: b.From, Method: b.Method, Host: "?"}, false, true // its destination is unknown
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
		From:   b.From,
		Method: strings.ToUpper(b.Method),
		Host:   strings.TrimSuffix(strings.ToLower(u.Hostname()), "."),
		Port:   port,
	}, plain, true
}

// DecidePage applies the rules to a page's request as handle does to one that arrives at the proxy, and logs it. It
// never waits for anything outside this program.
func (p *Proxy) DecidePage(t BrowserRequest) (reason string, ok bool) {
	e, isReported := p.Entry(t)
	if isReported {
		p.log.add(e)
	}
	return e.Reason, e.Allowed
}

// Entry returns the log entry for a page's request. isReported is false for requests that the proxy itself logs:
// allowed plain HTTP and requests to the goal's loopback.
func (p *Proxy) Entry(t BrowserRequest) (e Entry, isReported bool) {
	q, plain, goes := t.parse()
	e = Entry{At: time.Now(), From: q.From, Method: q.Method, Host: q.Host, Port: q.Port, Allowed: true}
	rules := p.Rules()
	if !goes || isGoalLoopback(q.Host) && !matchesHost(rules.Local, q) {
		return e, false
	}
	e.Reason, e.Allowed = rules.Decide(q)
	return e, !e.Allowed || !plain
}

// SharedPageEntry returns the log entry for a request of a page that the user shares with the goal. The page uses the
// user's own network, so the only rule that applies is the goal's list of denied hosts. ok is false for URLs that
// reach no server.
func (p *Proxy) SharedPageEntry(t BrowserRequest) (e Entry, ok bool) {
	q, _, ok := t.parse()
	e = Entry{At: time.Now(), From: SourceSharedPane, Method: q.Method, Host: q.Host, Port: q.Port, Allowed: true}
	if deny := p.Rules().Deny; ok && matchesHost(deny, q) {
		e.Allowed, e.Reason = false, q.Host+" is denied for the goal that this page is shared with"
	}
	return e, ok
}

// DecideSharedPage is DecidePage for a page that the user shares with the goal. It logs refusals only; allowed
// requests are logged by the caller that sees them start.
func (p *Proxy) DecideSharedPage(t BrowserRequest) (reason string, ok bool) {
	e, _ := p.SharedPageEntry(t)
	if !e.Allowed {
		p.log.add(e)
	}
	return e.Reason, e.Allowed
}
