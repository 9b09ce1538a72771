package session

import (
	"context"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/host/sandbox/egress"
	"goalpost/backend/panes/browser"
)

// BlockedHosts returns the requests of the goal's programs that the proxy has refused since the last call.
func (r *Session) BlockedHosts() []policy.Effect { return r.sandbox.BlockedHosts.Drain() }

// ApplyGrants adapts the proxy and the sandbox to the user's present grants. It closes access that has no grant.
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

// revokeGrant ends the access of a grant at once, even if the run has not read the revocation yet.
func (r *Session) revokeGrant(ctx context.Context, id string) {
	if r.sandbox.Proxy != nil {
		r.sandbox.HostRules.Revoke(id, r.applyEgressRules)
		if err := r.sandbox.MachineGrants.Revoke(ctx, id); err != nil {
			r.registry.Log.Error("access of a goal was not revoked", "goal", r.goal, "error", err)
		}
	}
}

// applyEgressRules puts rules in force. It starts the filtering of page requests before the change, or ends it after,
// so that no request escapes.
func (r *Session) applyEgressRules(rules egress.Rules) {
	if rules.NeedsRequestFilter() {
		r.sandbox.Filtering.Store(true)
	}
	r.sandbox.Proxy.SetRules(rules)
	r.sandbox.Filtering.Store(rules.NeedsRequestFilter())
}

// pageLoadTimeout bounds how long the approval of one page load lasts, because a page may never stop loading.
const pageLoadTimeout = 30 * time.Second

// holdPageLoad keeps the hosts of an approved page open until the page is complete, but at most for pageLoadTimeout.
func (r *Session) holdPageLoad(p *browser.Pane) {
	if r.sandbox.Proxy == nil || p.State.Info().Shared {
		return
	}
	end, ok := r.sandbox.HostRules.HoldPageLoad(r.applyEgressRules)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), pageLoadTimeout)
	r.pageLoads.Go(func() {
		defer cancel()
		defer end()
		p.Navigation.AwaitPageComplete(ctx) // also ends with the pane
	})
}

// RevokeGrant ends the access of a grant, if the goal has a session in this process.
func (reg *Registry) RevokeGrant(ctx context.Context, id goal.ID, request string) {
	reg.mu.Lock()
	defer reg.mu.Unlock()
	if r := reg.open[id]; r != nil {
		r.revokeGrant(context.WithoutCancel(ctx), request)
	}
}

// closeEgress ends the network access and the grants of a goal that has ended. The user can still reach its servers on
// the loopback.
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
