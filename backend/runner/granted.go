package runner

import (
	"context"
	"slices"
	"sync"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

// permitted is what the person has allowed and not taken back, and what of it the
// calls live by that are being executed.
type permitted struct {
	// taking is held from when an order of the person is taken out of the journal
	// until what it says holds: else a call could pass between the two.
	taking sync.Mutex

	mu     sync.Mutex
	grants []policy.Grant
	now    []*policy.Grant
}

func (a *permitted) list() []policy.Grant {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.grants)
}

// endGrant may be called by any goroutine: what is taken back is closed at once. It
// says false where there is no such grant any more.
func (r *Run) endGrant(ctx context.Context, id, why string) (bool, *Stop) {
	if !r.forgetGrant(func(g policy.Grant) bool { return g.ID == id }) {
		return false, nil
	}
	return true, r.append(ctx, &event.GrantEnded{Request: id, Why: why})
}

// usedUpGrant ends a grant that held for one call; what it gives is journaled by
// the caller, with that call's intent.
func (r *Run) usedUpGrant(id string) []event.Body {
	if !r.forgetGrant(func(g policy.Grant) bool { return g.ID == id && g.Scope == policy.ScopeOnce }) {
		return nil
	}
	return []event.Body{&event.GrantEnded{Request: id, Why: "used"}}
}

// forgetGrant says whether there was such a grant.
func (r *Run) forgetGrant(which func(policy.Grant) bool) bool {
	a := &r.approvals.allowed
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.grants, which)
	if i < 0 {
		return false
	}
	id := a.grants[i].ID
	a.grants = slices.Delete(a.grants, i, i+1)
	a.now = slices.DeleteFunc(a.now, func(g *policy.Grant) bool { return g.ID == id && g.Scope != policy.ScopeOnce })
	r.tellBorder()
	return true
}

// tellBorder is called with what is allowed locked.
func (r *Run) tellBorder() {
	if b, ok := r.room.(Border); ok {
		now := []policy.Grant{}
		for _, g := range r.approvals.allowed.now {
			now = append(now, *g)
		}
		b.Granted(slices.Clone(r.approvals.allowed.grants), now)
	}
}

// during opens what a call contacts while it is executed, if the person's word
// allowed the call. The word may be for this one call only.
func (r *Run) during(c goal.Call, e policy.Effect, grant string) (over func()) {
	if grant == "" || len(e.Hosts) == 0 {
		return func() {}
	}
	a := &r.approvals.allowed
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
	r.tellBorder()
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.now = slices.DeleteFunc(a.now, func(g *policy.Grant) bool { return g == one })
		r.tellBorder()
	}
}
