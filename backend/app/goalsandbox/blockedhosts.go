package goalsandbox

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"goalpost/backend/policy"
	"goalpost/backend/sandbox/egress"
)

// blockedHosts collects what the proxy refused to a goal's programs and the user could allow, and derives the
// proxy's rules from the user's grants. Pages are not included: their tools ask. All methods may be called
// concurrently.
type blockedHosts struct {
	mu      sync.Mutex
	base    egress.Rules // from the policy
	grants  []policy.Grant
	now     []policy.Grant  // for the calls that are being executed
	pages   []*policy.Grant // approved for one page load that is still going on
	gone    map[string]bool
	rules   egress.Rules // in force
	stopped []policy.Effect
}

// onRefused records a refusal that the user could lift, by the host's name and not by its address.
func (b *blockedHosts) onRefused(e egress.Entry) {
	const most = 20
	// Before taking the lock, which Chromium's events must not wait for.
	if e.From != egress.SourceProgram || e.Method == "NAME" {
		return
	}
	q := egress.Request{From: e.From, Method: e.Method, Host: e.Host, Port: e.Port}
	b.mu.Lock()
	defer b.mu.Unlock()
	_, now := b.rules.Decide(q)
	_, ever := egress.Rules{Risk: policy.NetworkWrite, Deny: b.rules.Deny}.Decide(q)
	if now || !ever {
		return
	}
	effect := policy.Effect{
		Risk:   policy.NetworkWrite,
		Hosts:  []string{e.Host},
		Ports:  []string{e.Port},
		Reason: "a program wanted " + e.Method + " " + e.Host,
	}
	switch e.Method {
	case "CONNECT": // the content of a tunnel cannot be read
		effect.Risk, effect.Reason = policy.NetworkGet, "a program wanted a tunnel to "+e.Host+
			", and what is sent there cannot be read"
	case "GET", "HEAD", "OPTIONS":
		effect.Risk = policy.NetworkGet
	}
	i := slices.IndexFunc(b.stopped, func(s policy.Effect) bool { return s.Hosts[0] == e.Host })
	switch {
	case i < 0 && len(b.stopped) < most:
		b.stopped = append(b.stopped, effect)
	case i >= 0 && effect.Risk.Exceeds(b.stopped[i].Risk): // the user is asked about the highest risk
		b.stopped[i] = effect
	}
}

func (b *blockedHosts) Drain() []policy.Effect {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.stopped
	b.stopped = nil
	return list
}

// Forget removes refusals of these hosts, which are not worth a question.
func (b *blockedHosts) Forget(hosts []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stopped = slices.DeleteFunc(b.stopped, func(e policy.Effect) bool { return slices.Contains(hosts, e.Hosts[0]) })
}

// MarkEarlier marks what was refused until now as earlier than the call that comes next.
func (b *blockedHosts) MarkEarlier() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.stopped {
		if e := &b.stopped[i]; !e.Earlier {
			e.Earlier, e.Reason = true, "before this call, "+e.Reason
		}
	}
}

// SetGrants sets the rules of a goal and its grants. A revoked grant stays revoked even if the run has not
// read of it yet.
func (b *blockedHosts) SetGrants(rules egress.Rules, grants, now []policy.Grant, set func(egress.Rules)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.base, b.grants, b.now = rules, grants, now
	b.applyRules(set)
}

// Revoke ends the access of one grant.
func (b *blockedHosts) Revoke(id string, set func(egress.Rules)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone == nil {
		b.gone = map[string]bool{}
	}
	b.gone[id] = true
	b.applyRules(set)
}

// applyRules derives the rules and passes them to set. The caller holds mu, so that the last change wins.
func (b *blockedHosts) applyRules(set func(egress.Rules)) {
	rules := b.base
	rules.Given, rules.Local = nil, b.base.Local[:len(b.base.Local):len(b.base.Local)]
	for _, g := range b.grants {
		if g.Scope == policy.ScopeHost && !b.gone[g.ID] {
			rules.Given = append(rules.Given, isOpened(g, "")...)
		}
		if g.Scope == policy.ScopeMachine && g.Access != nil && g.Access.Kind == policy.PortAccess && !b.gone[g.ID] {
			rules.Local = append(rules.Local, loopbackNames(g.Access.Port)...)
		}
	}
	for _, g := range b.now {
		if g.Scope == policy.ScopeOnce || !b.gone[g.ID] {
			rules.Given = append(rules.Given, isOpened(g, requesterName(g.Tool))...)
		}
	}
	for _, g := range b.pages {
		rules.Given = append(rules.Given, isOpened(*g, egress.SourcePane)...)
	}
	b.rules = rules
	set(rules)
}

// HoldPageLoad keeps the hosts that the user approved for the call that opens a page, until end is called: what the
// page loads from them belongs to what was approved. ok is false where no such approval is in use.
func (b *blockedHosts) HoldPageLoad(set func(egress.Rules)) (end func(), ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var held []*policy.Grant
	for _, g := range b.now {
		if g.Scope == policy.ScopeOnce && requesterName(g.Tool) == egress.SourcePane &&
			!g.Risk.Exceeds(policy.NetworkGet) {
			held = append(held, &g)
		}
	}
	if len(held) == 0 {
		return func() {}, false
	}
	b.pages = append(b.pages, held...)
	b.applyRules(set)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		before := len(b.pages)
		b.pages = slices.DeleteFunc(b.pages, func(g *policy.Grant) bool { return slices.Contains(held, g) })
		if len(b.pages) != before {
			b.applyRules(set)
		}
	}, true
}

// EndPageLoads drops everything that HoldPageLoad keeps. The caller sets the rules.
func (b *blockedHosts) EndPageLoads() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pages = nil
}

func isOpened(g policy.Grant, from egress.Source) []egress.HostGrant {
	list := make([]egress.HostGrant, 0, len(g.Hosts))
	for _, h := range g.Hosts {
		list = append(list, egress.HostGrant{Host: h, Risk: g.Risk, From: from})
	}
	return list
}

// requesterName returns the source for a host that a tool contacts.
func requesterName(tool string) egress.Source {
	if strings.HasPrefix(tool, "browser_") || tool == "open_pane" {
		return egress.SourcePane
	}
	return egress.SourceProgram
}

// RulesOf returns the proxy's rules for a policy.
func RulesOf(p policy.Policy) egress.Rules {
	r := egress.Rules{Risk: p.Risk, Allow: p.AllowHosts, Deny: p.DenyHosts}
	for _, port := range p.AllowLocal {
		r.Local = append(r.Local, loopbackNames(port)...)
	}
	return r
}

// loopbackNames returns the names of a port on this machine's loopback.
func loopbackNames(port int) (list []string) {
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		list = append(list, net.JoinHostPort(host, strconv.Itoa(port)))
	}
	return list
}
