package goalsandbox

import (
	"slices"
	"sync"

	"goalpost/backend/policy"
	"goalpost/backend/sandbox/egress"
)

// blockedHosts collects what the proxy refused to a goal's programs and the user could allow. Pages are not included:
// their tools ask. All methods may be called concurrently.
type blockedHosts struct {
	mu      sync.Mutex
	stopped []policy.Effect
}

// onRefused records a refusal that the user could lift, by the host's name and not by its address. inForce returns the
// proxy's rules.
func (b *blockedHosts) onRefused(e egress.Entry, inForce func() egress.Rules) {
	const most = 20
	// Before taking a lock, which Chromium's events must not wait for.
	if e.From != egress.SourceProgram || e.Method == "NAME" {
		return
	}
	q := egress.Request{From: e.From, Method: e.Method, Host: e.Host, Port: e.Port}
	rules := inForce()
	_, now := rules.Decide(q)
	_, ever := egress.Rules{Risk: policy.NetworkWrite, Deny: rules.Deny}.Decide(q)
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
	b.mu.Lock()
	defer b.mu.Unlock()
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
