package cli

import (
	"testing"

	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/calls"
)

// TestApprove_NoScope_UsesTheFirstOffer: the command that run prints must work unchanged, even if once is not offered.
func TestApprove_NoScope_UsesTheFirstOffer(t *testing.T) {
	open := []calls.ApprovalView{
		{Request: "a1", Offers: []calls.OfferView{{Scope: policy.ScopeOnce}, {Scope: policy.ScopeHost}}},
		{Request: "a2", Offers: []calls.OfferView{{Scope: policy.ScopeHost}, {Scope: policy.ScopeMachine}}},
		{Request: "a3"},
	}
	for request, want := range map[string]policy.Scope{
		"a1": policy.ScopeOnce,
		"a2": policy.ScopeHost,
		"a3": policy.ScopeOnce,
		"a4": policy.ScopeOnce,
	} {
		if got := defaultScope(open, request); got != want {
			t.Errorf("%s: %s", request, got)
		}
	}
}
