package goalsandbox

import (
	"slices"
	"sync"

	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/egress"
)

// blockedHosts collects the requests of a goal's programs that the proxy refused and the user could allow. Requests of
// pages are not included, because the browser tools ask for approval themselves. All methods may be called
// concurrently.
type blockedHosts struct {
	mu      sync.Mutex
	effects []policy.Effect // one for each host
}

// onRefused records a refused request that the user could allow, by the host's name and not by its address. inForce
// returns the proxy's rules.
func (b *blockedHosts) onRefused(e egress.Entry, inForce func() egress.Rules) {
	const maxHosts = 20
	// Checked before the lock is taken, because Chromium's events must not wait for it.
	if e.From != egress.SourceProgram || e.Method == "NAME" {
		return
	}
	q := egress.Request{From: e.From, Method: e.Method, Host: e.Host, Port: e.Port}
	rules := inForce()
	_, now := rules.Decide(q)
	_, isGrantable := egress.Rules{Risk: policy.NetworkWrite, Deny: rules.Deny}.Decide(q)
	if now || !isGrantable {
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
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.effects, func(s policy.Effect) bool { return s.Hosts[0] == e.Host })
	switch {
	case i < 0 && len(b.effects) < maxHosts:
		b.effects = append(b.effects, effect)
	case i >= 0 && effect.Risk.Exceeds(b.effects[i].Risk): // the user is asked about the highest risk
		b.effects[i] = effect
	}
}

// Drain returns the refused requests and forgets them.
func (b *blockedHosts) Drain() []policy.Effect {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.effects
	b.effects = nil
	return list
}

// Forget removes refusals of hosts that the user need not be asked about.
func (b *blockedHosts) Forget(hosts []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.effects = slices.DeleteFunc(b.effects, func(e policy.Effect) bool { return slices.Contains(hosts, e.Hosts[0]) })
}

// MarkEarlier marks the requests that were refused so far as earlier than the next call.
func (b *blockedHosts) MarkEarlier() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.effects {
		if e := &b.effects[i]; !e.Earlier {
			e.Earlier, e.Reason = true, "before this call, "+e.Reason
		}
	}
}
