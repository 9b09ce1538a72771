package session

import (
	"context"

	"goalpost/backend/app/goalsandbox"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox/egress"
)

// BlockedHosts takes what the proxy refused to the goal's programs.
func (r *Session) BlockedHosts() []policy.Effect { return r.sandbox.BlockedHosts.Drain() }

// ApplyGrants opens the proxy and the walls for what the user allowed, and closes them
// again.
func (r *Session) ApplyGrants(grants, now []policy.Grant) {
	if r.sandbox.Proxy == nil {
		return
	}
	r.sandbox.BlockedHosts.SetGrants(goalsandbox.RulesOf(r.policy), grants, now, r.applyEgressRules)
	if err := r.sandbox.MachineGrants.Apply(context.Background(), grants,
		r.sandbox.Grant(r.registry.Sandboxes.Access, r.registry.Sandboxes.Dir(r.goal))); err != nil {
		r.registry.Log.Error("taking back what a goal was allowed", "goal", r.goal, "error", err)
	}
}

// revokeGrant closes what a grant opened, whether a run has heard of it or not.
func (r *Session) revokeGrant(ctx context.Context, id string) {
	if r.sandbox.Proxy != nil {
		r.sandbox.BlockedHosts.Revoke(id, r.applyEgressRules)
		if err := r.sandbox.MachineGrants.Revoke(ctx, id); err != nil {
			r.registry.Log.Error("taking back what a goal was allowed", "goal", r.goal, "error", err)
		}
	}
}

// applyEgressRules puts rules in force. Requests of pages are judged from before they reach a
// host that they may not send to.
func (r *Session) applyEgressRules(rules egress.Rules) {
	if rules.NeedsRequestFilter() {
		r.sandbox.Filtering.Store(true)
	}
	r.sandbox.Proxy.SetRules(rules)
	r.sandbox.Filtering.Store(rules.NeedsRequestFilter())
}

// RevokeGrant closes what a grant opened for a goal that is open here.
func (reg *Registry) RevokeGrant(ctx context.Context, id goal.ID, request string) {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	if r := reg.open[id]; r != nil {
		r.revokeGrant(context.WithoutCancel(ctx), request)
	}
}

// closeEgress closes the way out: the goal is over, and so is what its user allowed.
// Its own loopback stays to be looked at.
func (r *Session) closeEgress(ctx context.Context) {
	if r.sandbox.Proxy != nil {
		r.sandbox.BlockedHosts.SetGrants(egress.Rules{Risk: policy.ReadOnly, Deny: r.policy.DenyHosts}, nil, nil,
			r.applyEgressRules)
		if err := r.sandbox.MachineGrants.ClosePorts(ctx); err != nil {
			r.registry.Log.Error("closing a goal's ports", "goal", r.goal, "error", err)
		}
	}
}

var _ runner.BlockedHosts = (*Session)(nil)
