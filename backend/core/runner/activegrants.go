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
func (a *activeGrants) attach(b BlockedHosts) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.blocked = b
}

// restore takes over the grants of earlier runs. The next apply applies them.
func (a *activeGrants) restore(grants []policy.Grant) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.grants = grants
}

func (a *activeGrants) list() []policy.Grant {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.grants)
}

// recordAnswer journals an answer of the user and stores what it allows. It does both under one lock, because a
// reader of the journal may revoke the grant at once.
func (a *activeGrants) recordAnswer(ctx context.Context, request string, answer goal.Answer) *Stop {
	a.mu.Lock()
	defer a.mu.Unlock()
	if stop := a.journal.append(ctx, &event.ApprovalResolved{Request: request, Answer: answer}); stop != nil {
		return stop
	}
	if answer.Allowed {
		a.grants = append(a.grants, answer.Grant)
		a.applyLocked()
	}
	return nil
}

// revoke ends a grant; the hosts that it opened are closed at once. It returns false if the grant no longer exists.
func (a *activeGrants) revoke(ctx context.Context, id, why string) (bool, *Stop) {
	if !a.drop(func(g policy.Grant) bool { return g.ID == id }) {
		return false, nil
	}
	return true, a.journal.append(ctx, &event.GrantEnded{Request: id, Why: why})
}

// consume ends a grant for a single call. The caller journals the returned events together with the intent of that
// call.
func (a *activeGrants) consume(id string) []event.Body {
	if !a.drop(func(g policy.Grant) bool { return g.ID == id && g.Scope == policy.ScopeOnce }) {
		return nil
	}
	return []event.Body{&event.GrantEnded{Request: id, Why: "used"}}
}

// drop removes a grant and reports whether there was one.
func (a *activeGrants) drop(which func(policy.Grant) bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.grants, which)
	if i < 0 {
		return false
	}
	id := a.grants[i].ID
	a.grants = slices.Delete(a.grants, i, i+1)
	a.inUse = slices.DeleteFunc(a.inUse, func(g *policy.Grant) bool { return g.ID == id && g.Scope != policy.ScopeOnce })
	a.applyLocked()
	return true
}

// apply passes the current grants to the session.
func (a *activeGrants) apply() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.applyLocked()
}

func (a *activeGrants) applyLocked() {
	if a.blocked == nil {
		return
	}
	now := []policy.Grant{}
	for _, g := range a.inUse {
		now = append(now, *g)
	}
	a.blocked.ApplyGrants(slices.Clone(a.grants), now)
}

// openFor opens the hosts that a call contacts while it is executed, if the user approved the call. The approval
// may be for this call only.
func (a *activeGrants) openFor(c goal.Call, e policy.Effect, grant string) (end func()) {
	if grant == "" || len(e.Hosts) == 0 {
		return func() {}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	scope := policy.ScopeOnce
	for _, g := range a.grants {
		if g.ID == grant {
			scope = g.Scope
		}
	}
	one := &policy.Grant{ID: grant, Scope: scope, Tool: c.Tool, Risk: e.Risk, Hosts: e.Hosts}
	a.inUse = append(a.inUse, one)
	a.applyLocked()
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.inUse = slices.DeleteFunc(a.inUse, func(g *policy.Grant) bool { return g == one })
		a.applyLocked()
	}
}
