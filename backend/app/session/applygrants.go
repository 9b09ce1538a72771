package session

import (
	"context"
	"time"

	"goalpost/backend/app/goalsandbox"
	"goalpost/backend/browser"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/runner"
	"goalpost/backend/sandbox/egress"
)

// BlockedHosts returns, once, what the proxy refused to the goal's programs.
func (r *Session) BlockedHosts() []policy.Effect { return r.sandbox.BlockedHosts.Drain() }

// ApplyGrants adapts the proxy and the sandbox to what the user allows now. What is not in grants is closed.
func (r *Session) ApplyGrants(grants, now []policy.Grant) {
	if r.sandbox.Proxy == nil {
		return
	}
	r.sandbox.HostRules.SetGrants(goalsandbox.RulesOf(r.policy), grants, now, r.applyEgressRules)
	if err := r.sandbox.MachineGrants.Apply(context.Background(), grants,
		r.sandbox.GrantAccess(r.registry.Sandboxes.Access, r.registry.Sandboxes.PrivateDir(r.goal))); err != nil {
		r.registry.Log.Error("access of a goal was not revoked", "goal", r.goal, "error", err)
	}
}

// revokeGrant ends the access of a grant at once; a run may not have read of the revocation yet.
func (r *Session) revokeGrant(ctx context.Context, id string) {
	if r.sandbox.Proxy != nil {
		r.sandbox.HostRules.Revoke(id, r.applyEgressRules)
		if err := r.sandbox.MachineGrants.Revoke(ctx, id); err != nil {
			r.registry.Log.Error("access of a goal was not revoked", "goal", r.goal, "error", err)
		}
	}
}

// applyEgressRules puts rules in force. If they need requests of pages to be decided one by one, that begins
// before and ends after the change, so that no request escapes.
func (r *Session) applyEgressRules(rules egress.Rules) {
	if rules.NeedsRequestFilter() {
		r.sandbox.Filtering.Store(true)
	}
	r.sandbox.Proxy.SetRules(rules)
	r.sandbox.Filtering.Store(rules.NeedsRequestFilter())
}

// maxPageLoad bounds how long an approval of one page load lasts. A page may never stop to load.
const maxPageLoad = 30 * time.Second

// holdPageLoad keeps the hosts of an approved page open until the page is complete, and no longer than maxPageLoad.
func (r *Session) holdPageLoad(p *browser.Pane) {
	if r.sandbox.Proxy == nil || p.Info().Shared {
		return
	}
	end, ok := r.sandbox.HostRules.HoldPageLoad(r.applyEgressRules)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), maxPageLoad)
	r.pageLoads.Go(func() {
		defer cancel()
		defer end()
		p.AwaitPageComplete(ctx) // also ends with the pane
	})
}

// RevokeGrant ends the access of a grant for a goal with an open session in this process.
func (reg *Registry) RevokeGrant(ctx context.Context, id goal.ID, request string) {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	if r := reg.open[id]; r != nil {
		r.revokeGrant(context.WithoutCancel(ctx), request)
	}
}

// closeEgress ends network access: the goal is over, and so are its grants. Its servers on the loopback stay
// reachable for the user.
func (r *Session) closeEgress(ctx context.Context) {
	if r.sandbox.Proxy != nil {
		r.sandbox.HostRules.EndPageLoads()
		r.sandbox.HostRules.SetGrants(egress.Rules{Risk: policy.ReadOnly, Deny: r.policy.DenyHosts}, nil, nil,
			r.applyEgressRules)
		if err := r.sandbox.MachineGrants.ClosePorts(ctx); err != nil {
			r.registry.Log.Error("the ports of a goal were not closed", "goal", r.goal, "error", err)
		}
	}
}

var _ runner.BlockedHosts = (*Session)(nil)
