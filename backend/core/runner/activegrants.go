package runner

import (
	"context"
	"slices"
	"sync"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// activeGrants holds the grants that the user has not revoked, and those that the calls being executed use. It is
// safe for concurrent use: the user may revoke a grant at any time.
type activeGrants struct {
	journal *journalWriter

	// taking is locked from reading a user's order until it takes effect, so that no call is executed in between.
	taking sync.Mutex

	mu      sync.Mutex
	blocked BlockedHosts // nil if the session blocks no hosts
	grants  []policy.Grant
	inUse   []*policy.Grant
}

// attach sets what the grants are applied to.
func (l *activeGrants) attach(b BlockedHosts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.blocked = b
}

// restore takes over the grants of earlier runs. The next apply applies them.
func (l *activeGrants) restore(grants []policy.Grant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.grants = grants
}

func (l *activeGrants) list() []policy.Grant {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.grants)
}

// recordAnswer journals an answer of the user and stores what it allows. It does both under one lock, because a
// reader of the journal may revoke the grant at once.
func (l *activeGrants) recordAnswer(ctx context.Context, request string, answer goal.Answer) *Stop {
	l.mu.Lock()
	defer l.mu.Unlock()
	if stop := l.journal.append(ctx, &event.ApprovalResolved{Request: request, Answer: answer}); stop != nil {
		return stop
	}
	if answer.Allowed {
		l.grants = append(l.grants, answer.Grant)
		l.applyLocked()
	}
	return nil
}

// revoke ends a grant; the hosts that it opened are closed at once. It returns false if the grant no longer exists.
func (l *activeGrants) revoke(ctx context.Context, id, why string) (bool, *Stop) {
	if !l.drop(func(g policy.Grant) bool { return g.ID == id }) {
		return false, nil
	}
	return true, l.journal.append(ctx, &event.GrantEnded{Request: id, Why: why})
}

// consume ends a grant for a single call. The caller journals the returned events together with the intent of that
// call.
func (l *activeGrants) consume(id string) []event.Body {
	if !l.drop(func(g policy.Grant) bool { return g.ID == id && g.Scope == policy.ScopeOnce }) {
		return nil
	}
	return []event.Body{&event.GrantEnded{Request: id, Why: "used"}}
}

// drop removes a grant and reports whether there was one.
func (l *activeGrants) drop(which func(policy.Grant) bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.grants, which)
	if i < 0 {
		return false
	}
	id := l.grants[i].ID
	l.grants = slices.Delete(l.grants, i, i+1)
	l.inUse = slices.DeleteFunc(l.inUse, func(g *policy.Grant) bool { return g.ID == id && g.Scope != policy.ScopeOnce })
	l.applyLocked()
	return true
}

// apply passes the current grants to the session.
func (l *activeGrants) apply() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.applyLocked()
}

func (l *activeGrants) applyLocked() {
	if l.blocked == nil {
		return
	}
	now := []policy.Grant{}
	for _, g := range l.inUse {
		now = append(now, *g)
	}
	l.blocked.ApplyGrants(slices.Clone(l.grants), now)
}

// openFor opens the hosts that a call contacts while it is executed, if the user approved the call. The approval
// may be for this call only.
func (l *activeGrants) openFor(c goal.Call, e policy.Effect, grant string) (over func()) {
	if grant == "" || len(e.Hosts) == 0 {
		return func() {}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	scope := policy.ScopeOnce
	for _, g := range l.grants {
		if g.ID == grant {
			scope = g.Scope
		}
	}
	one := &policy.Grant{ID: grant, Scope: scope, Tool: c.Tool, Risk: e.Risk, Hosts: e.Hosts}
	l.inUse = append(l.inUse, one)
	l.applyLocked()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.inUse = slices.DeleteFunc(l.inUse, func(g *policy.Grant) bool { return g == one })
		l.applyLocked()
	}
}
