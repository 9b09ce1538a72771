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
func (se *Session) BlockedHosts() []policy.Effect { return se.sandbox.BlockedHosts.Drain() }

// ApplyGrants adapts the proxy and the sandbox to the user's present grants. It closes access that has no grant.
func (se *Session) ApplyGrants(grants, now []policy.Grant) {
	if se.sandbox.Proxy == nil {
		return
	}
	se.sandbox.HostRules.SetGrants(se.egressRules(), grants, now, se.applyEgressRules)
	if err := se.sandbox.MachineGrants.Apply(context.Background(), grants,
		se.sandbox.GrantAccess(se.registry.Sandboxes.Access, se.registry.Sandboxes.PrivateDir(se.goal))); err != nil {
		se.registry.Log.Error("access of a goal was not revoked", "goal", se.goal, "error", err)
	}
}

// egressRules returns the proxy's rules without grants.
func (se *Session) egressRules() egress.Rules {
	return se.engine.login.addHosts(goalsandbox.RulesOf(se.policy))
}

// revokeGrant ends the access of a grant at once, even if the run has not read the revocation yet.
func (se *Session) revokeGrant(ctx context.Context, id string) {
	if se.sandbox.Proxy != nil {
		se.sandbox.HostRules.Revoke(id, se.applyEgressRules)
		if err := se.sandbox.MachineGrants.Revoke(ctx, id); err != nil {
			se.registry.Log.Error("access of a goal was not revoked", "goal", se.goal, "error", err)
		}
	}
}

// applyEgressRules puts rules in force. It starts the filtering of page requests before the change, or ends it after,
// so that no request escapes.
func (se *Session) applyEgressRules(rules egress.Rules) {
	if rules.NeedsRequestFilter() {
		se.sandbox.Filtering.Store(true)
	}
	se.sandbox.Proxy.SetRules(rules)
	se.sandbox.Filtering.Store(rules.NeedsRequestFilter())
}

// pageLoadTimeout bounds how long the approval of one page load lasts, because a page may never stop loading.
const pageLoadTimeout = 30 * time.Second

// holdPageLoad keeps the hosts of an approved page open until the page is complete, but at most for pageLoadTimeout.
func (se *Session) holdPageLoad(p *browser.Pane) {
	if se.sandbox.Proxy == nil || p.State.Info().Shared {
		return
	}
	end, ok := se.sandbox.HostRules.HoldPageLoad(se.applyEgressRules)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), pageLoadTimeout)
	se.pageLoads.Go(func() {
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
func (se *Session) closeEgress(ctx context.Context) {
	if se.sandbox.Proxy != nil {
		se.sandbox.HostRules.EndPageLoads()
		se.sandbox.HostRules.SetGrants(egress.Rules{Risk: policy.ReadOnly, Deny: se.policy.DenyHosts}, nil, nil,
			se.applyEgressRules)
		if err := se.sandbox.MachineGrants.ClosePorts(ctx); err != nil {
			se.registry.Log.Error("the ports of a goal were not closed", "goal", se.goal, "error", err)
		}
	}
}

var _ runner.BlockedHosts = (*Session)(nil)
