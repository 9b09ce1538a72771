package app

import (
	"slices"
	"sync"

	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox/egress"
)

// border asks the person about what the proxy refused to a goal's programs, and
// lets through what the person granted. Pages ask by their own tools. All methods
// may be called concurrently.
type border struct {
	mu      sync.Mutex
	rules   egress.Rules // in force
	stopped []policy.Effect
}

// heard keeps a refusal that a person could lift: by its name, not by its address.
func (b *border) heard(e egress.Entry) {
	const most = 20
	q := egress.Request{From: e.From, Method: e.Method, Host: e.Host, Port: e.Port}
	b.mu.Lock()
	defer b.mu.Unlock()
	_, now := b.rules.Decide(q)
	_, ever := egress.Rules{Risk: policy.NetworkWrite, Deny: b.rules.Deny}.Decide(q)
	known := slices.ContainsFunc(b.stopped, func(s policy.Effect) bool { return s.Hosts[0] == e.Host })
	if e.From != egress.Program || e.Method == "NAME" || now || !ever || known || len(b.stopped) == most {
		return
	}
	effect := policy.Effect{Risk: policy.NetworkWrite, Hosts: []string{e.Host}, Reason: "a program wanted " + e.Method + " " + e.Host}
	switch e.Method {
	case "CONNECT": // what a tunnel carries cannot be read
		effect.Risk, effect.Reason = policy.NetworkGet, "a program wanted a tunnel to "+e.Host+", and what is sent there cannot be read"
	case "GET", "HEAD", "OPTIONS":
		effect.Risk = policy.NetworkGet
	}
	b.stopped = append(b.stopped, effect)
}

func (b *border) take() []policy.Effect {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.stopped
	b.stopped = nil
	return list
}

// grant makes the rules of a goal and what its person granted.
func (b *border) grant(rules egress.Rules, grants []policy.Grant) egress.Rules {
	for _, g := range grants {
		if g.Scope == policy.Host {
			rules.Granted = append(rules.Granted, g.Hosts...)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rules = rules
	return rules
}

// Stopped takes what the proxy refused to the goal's programs.
func (r *room) Stopped() []policy.Effect { return r.held.border.take() }

// Granted opens the proxy for what the person allowed, and closes it again.
func (r *room) Granted(grants []policy.Grant) {
	if r.held.proxy != nil {
		r.held.proxy.SetRules(r.held.border.grant(rulesOf(r.policy), grants))
	}
}

var _ runner.Border = (*room)(nil)
