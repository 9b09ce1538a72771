package goalsandbox

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/egress"
)

// hostRules derives the proxy's rules from a goal's policy and the user's grants. All methods may be called
// concurrently.
type hostRules struct {
	mu         sync.Mutex
	base       egress.Rules // from the policy
	grants     []policy.Grant
	now        []policy.Grant  // for the calls that are being executed
	pages      []*policy.Grant // for page loads that are not complete yet
	revokedIDs map[string]bool // ids of revoked grants
	rules      egress.Rules    // in force
}

// current returns the rules in force.
func (h *hostRules) current() egress.Rules {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.rules
}

// SetGrants sets the rules and the grants of a goal. A revoked grant stays revoked, even if the run has not read the
// revocation yet.
func (h *hostRules) SetGrants(rules egress.Rules, grants, now []policy.Grant, set func(egress.Rules)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.base, h.grants, h.now = rules, grants, now
	h.applyRules(set)
}

// Revoke ends the access of one grant.
func (h *hostRules) Revoke(id string, set func(egress.Rules)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.revokedIDs == nil {
		h.revokedIDs = map[string]bool{}
	}
	h.revokedIDs[id] = true
	h.applyRules(set)
}

// applyRules derives the rules and passes them to set. The caller holds mu, so that set is called in the order of the
// changes.
func (h *hostRules) applyRules(set func(egress.Rules)) {
	rules := h.base
	rules.Given, rules.Local = slices.Clip(h.base.Given), slices.Clip(h.base.Local)
	for _, g := range h.grants {
		if g.Scope == policy.ScopeHost && !h.revokedIDs[g.ID] {
			rules.Given = append(rules.Given, hostGrants(g, "")...)
		}
		if g.Scope == policy.ScopeMachine && g.Access != nil && g.Access.Kind == policy.PortAccess &&
			!h.revokedIDs[g.ID] {
			rules.Local = append(rules.Local, loopbackNames(g.Access.Port)...)
		}
	}
	for _, g := range h.now {
		if g.Scope == policy.ScopeOnce || !h.revokedIDs[g.ID] {
			rules.Given = append(rules.Given, hostGrants(g, sourceOf(g.Tool))...)
		}
	}
	for _, g := range h.pages {
		rules.Given = append(rules.Given, hostGrants(*g, egress.SourcePane)...)
	}
	h.rules = rules
	set(rules)
}

// HoldPageLoad keeps the hosts open that the user approved for the call that opens a page, until end is called: the
// approval covers what the page then loads from them. ok is false if no such approval is in force.
func (h *hostRules) HoldPageLoad(set func(egress.Rules)) (end func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var grants []*policy.Grant
	for _, g := range h.now {
		if g.Scope == policy.ScopeOnce && sourceOf(g.Tool) == egress.SourcePane &&
			!g.Risk.Exceeds(policy.NetworkGet) {
			grants = append(grants, &g)
		}
	}
	if len(grants) == 0 {
		return func() {}, false
	}
	h.pages = append(h.pages, grants...)
	h.applyRules(set)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		before := len(h.pages)
		h.pages = slices.DeleteFunc(h.pages, func(g *policy.Grant) bool { return slices.Contains(grants, g) })
		if len(h.pages) != before {
			h.applyRules(set)
		}
	}, true
}

// EndPageLoads drops the approvals that HoldPageLoad keeps. The caller then has to set the rules.
func (h *hostRules) EndPageLoads() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pages = nil
}

func hostGrants(g policy.Grant, from egress.Source) []egress.HostGrant {
	list := make([]egress.HostGrant, 0, len(g.Hosts))
	for _, h := range g.Hosts {
		list = append(list, egress.HostGrant{Host: h, Risk: g.Risk, From: from})
	}
	return list
}

// sourceOf returns the source of the requests that a tool makes.
func sourceOf(tool string) egress.Source {
	if strings.HasPrefix(tool, "browser_") {
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

// loopbackNames returns the addresses of a port on this machine's loopback.
func loopbackNames(port int) (list []string) {
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		list = append(list, net.JoinHostPort(host, strconv.Itoa(port)))
	}
	return list
}
