package goalsandbox

import (
	"testing"

	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/egress"
)

// TestHoldPageLoad_ApprovedOnce_StaysOpenForPagesUntilItEnds: an approval for one call that opens a page covers what
// the page loads from the host, only for pages and only for reading. No other approval does.
func TestHoldPageLoad_ApprovedOnce_StaysOpenForPagesUntilItEnds(t *testing.T) {
	base := egress.Rules{Risk: policy.WriteLocal}
	opened := policy.Grant{
		Scope: policy.ScopeOnce, Tool: "browser_open", Risk: policy.NetworkGet, Hosts: []string{"shop.test"},
	}
	ask := func(r egress.Rules, from egress.Source, method string) bool {
		_, ok := r.Decide(egress.Request{From: from, Method: method, Host: "shop.test", Port: "443"})
		return ok
	}
	var h hostRules
	var rules egress.Rules
	set := func(r egress.Rules) { rules = r }
	h.SetGrants(base, nil, []policy.Grant{opened}, set)
	end, ok := h.HoldPageLoad(set)
	if !ok {
		t.Fatal("an approved page is not held")
	}
	h.SetGrants(base, nil, nil, set) // the call has ended
	if !ask(rules, egress.SourcePane, "GET") || ask(rules, egress.SourcePane, "POST") ||
		ask(rules, egress.SourceProgram, "GET") {
		t.Errorf("while the page loads: %+v", rules)
	}
	end()
	if ask(rules, egress.SourcePane, "GET") {
		t.Errorf("after the page has loaded: %+v", rules)
	}
	for name, g := range map[string]policy.Grant{
		"for the goal":   {Scope: policy.ScopeHost, Tool: "browser_open", Risk: policy.NetworkGet, Hosts: opened.Hosts},
		"of a program":   {Scope: policy.ScopeOnce, Tool: "run_command", Risk: policy.NetworkGet, Hosts: opened.Hosts},
		"to send a form": {Scope: policy.ScopeOnce, Tool: "browser_click", Risk: policy.NetworkWrite, Hosts: opened.Hosts},
	} {
		h.SetGrants(base, nil, []policy.Grant{g}, set)
		if _, ok := h.HoldPageLoad(set); ok {
			t.Errorf("an approval %s is held for a page", name)
		}
	}
	h.SetGrants(base, nil, []policy.Grant{opened}, set)
	end, _ = h.HoldPageLoad(set)
	h.EndPageLoads() // the goal is over
	h.SetGrants(base, nil, nil, set)
	if end(); ask(rules, egress.SourcePane, "GET") {
		t.Errorf("after the goal's end: %+v", rules)
	}
}
