package chats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"goalpost/backend/agent/tools"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/egress"
)

// webTools read the web. Each host needs the user, unless it is allowed in the chat.
var webTools = []string{"fetch_url"}

// web is the way of one answer to the network: a proxy with the rules of goals, which opens only the hosts that the
// user allowed, and only for reading. It has no loopback and no private network.
type web struct{ proxy *egress.Proxy }

// openWeb opens the way of an answer to the network. The caller closes it.
func (s *Service) openWeb() web {
	c := s.Network
	c.Rules, c.Log = egress.Rules{Risk: policy.ReadOnly}, s.Log
	return web{egress.New(c)}
}

// ApplyGrants opens the hosts that the user allows: some for the chat, others for the call that is executed now.
func (w web) ApplyGrants(grants, now []policy.Grant) {
	rules := egress.Rules{Risk: policy.ReadOnly}
	for _, g := range append(grants, now...) {
		if g.Scope != policy.ScopeHost && g.Scope != policy.ScopeOnce || g.Risk.Exceeds(policy.NetworkGet) {
			continue
		}
		for _, h := range g.Hosts {
			rules.Given = append(rules.Given, egress.HostGrant{Host: h, Risk: g.Risk, From: egress.SourceProgram})
		}
	}
	w.proxy.SetRules(rules)
}

// withoutCallGrants leaves out what was allowed for a single call: it opens a host only while the call is executed.
func withoutCallGrants(grants []policy.Grant) (list []policy.Grant) {
	for _, g := range grants {
		if g.Scope != policy.ScopeOnce {
			list = append(list, g)
		}
	}
	return list
}

// ApplyGrants applies the user's present grants to the network of the answer.
func (se *answerSession) ApplyGrants(grants, now []policy.Grant) {
	se.web.ApplyGrants(withoutCallGrants(grants), now)
}

// BlockedHosts returns nothing: a chat starts no program that could contact a host.
func (se *answerSession) BlockedHosts() []policy.Effect { return nil }

var _ runner.BlockedHosts = (*answerSession)(nil)

// webTool is a tool that reads the web. An address that a chat never reaches is refused before the user is asked.
type webTool struct{ tools.Tool }

func (wt webTool) Effect(ctx context.Context, args json.RawMessage) (policy.Effect, error) {
	e, err := wt.Tool.Effect(ctx, args)
	if err != nil {
		return e, err
	}
	if len(e.Hosts) == 0 {
		return e, errors.New("a chat reaches no server of this computer: ask the user to open its page and to attach it")
	}
	for _, h := range e.Hosts {
		if a, err := netip.ParseAddr(h); err == nil {
			if err := egress.CheckPublicAddress(a); err != nil {
				return e, fmt.Errorf("a chat reads only public addresses: %w; ask the user to open its page and to attach it",
					err)
			}
		}
	}
	return e, nil
}

// grantsOf returns the grants for the hosts that the user allowed in a chat.
func grantsOf(hosts []string) (list []policy.Grant) {
	for _, h := range hosts {
		list = append(list, policy.Grant{
			ID: "host " + h, Scope: policy.ScopeHost, Tool: webTools[0], Risk: policy.NetworkGet, Hosts: []string{h},
		})
	}
	return list
}

// askTimeout returns how long the user is waited for.
func (s *Service) askTimeout(ctx context.Context) time.Duration {
	if s.AskTimeout == nil {
		return 0
	}
	return s.AskTimeout(ctx)
}

// goalOf returns an answer as the runner sees it.
func (b begin) goalOf(p policy.Policy) goal.Goal {
	g := goal.Goal{ID: goal.ID(b.chat.ID), Request: goal.Request{Provider: b.provider.ID, Model: b.provider.Model}}
	g.Policy, g.Options = p, goal.Options{Effort: b.chat.Effort, OnAsk: goal.OnAskDeny}
	return g
}
