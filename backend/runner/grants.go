package runner

import (
	"context"
	"slices"
	"sync"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

// grantBook is what the user has allowed.
type grantBook struct {
	run *Run
}

// activeGrants is what the user has allowed and not taken back, and what of it the
// calls live by that are being executed.
type activeGrants struct {
	// taking is held from when an order of the user is taken out of the journal
	// until what it says holds: else a call could pass between the two.
	taking sync.Mutex

	mu     sync.Mutex
	grants []policy.Grant
	now    []*policy.Grant
}

func (a *activeGrants) list() []policy.Grant {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.grants)
}

// revokeGrant may be called by any goroutine: what is taken back is closed at once. It
// says false where there is no such grant any more.
func (l *grantBook) revokeGrant(ctx context.Context, id, why string) (bool, *Stop) {
	if !l.dropGrant(func(g policy.Grant) bool { return g.ID == id }) {
		return false, nil
	}
	return true, l.run.journal_.journal(ctx, &event.GrantEnded{Request: id, Why: why})
}

// consumeGrant ends a grant that held for one call; what it gives is journaled by
// the caller, with that call's intent.
func (l *grantBook) consumeGrant(id string) []event.Body {
	if !l.dropGrant(func(g policy.Grant) bool { return g.ID == id && g.Scope == policy.ScopeOnce }) {
		return nil
	}
	return []event.Body{&event.GrantEnded{Request: id, Why: "used"}}
}

// dropGrant says whether there was such a grant.
func (l *grantBook) dropGrant(which func(policy.Grant) bool) bool {
	a := &l.run.asking.approvals.grants
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.grants, which)
	if i < 0 {
		return false
	}
	id := a.grants[i].ID
	a.grants = slices.Delete(a.grants, i, i+1)
	a.now = slices.DeleteFunc(a.now, func(g *policy.Grant) bool { return g.ID == id && g.Scope != policy.ScopeOnce })
	l.syncBlockedHosts()
	return true
}

// syncBlockedHosts is called with what is allowed locked.
func (l *grantBook) syncBlockedHosts() {
	if b, ok := l.run.session.(BlockedHosts); ok {
		now := []policy.Grant{}
		for _, g := range l.run.asking.approvals.grants.now {
			now = append(now, *g)
		}
		b.ApplyGrants(slices.Clone(l.run.asking.approvals.grants.grants), now)
	}
}

// openGrantFor opens what a call contacts while it is executed, if the user's word
// allowed the call. The word may be for this one call only.
func (l *grantBook) openGrantFor(c goal.Call, e policy.Effect, grant string) (over func()) {
	if grant == "" || len(e.Hosts) == 0 {
		return func() {}
	}
	a := &l.run.asking.approvals.grants
	a.mu.Lock()
	defer a.mu.Unlock()
	scope := policy.ScopeOnce
	for _, g := range a.grants {
		if g.ID == grant {
			scope = g.Scope
		}
	}
	one := &policy.Grant{ID: grant, Scope: scope, Tool: c.Tool, Risk: e.Risk, Hosts: e.Hosts}
	a.now = append(a.now, one)
	l.syncBlockedHosts()
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.now = slices.DeleteFunc(a.now, func(g *policy.Grant) bool { return g == one })
		l.syncBlockedHosts()
	}
}
