package cli

import (
	"testing"

	"goalpost/backend/api"
	"goalpost/backend/policy"
)

// TestAYesWithoutAScope: the line that run prints can be typed as it stands, also
// where once is not offered.
func TestAYesWithoutAScope(t *testing.T) {
	open := []api.ApprovalView{
		{Request: "a1", Offers: []api.OfferView{{Scope: policy.Once}, {Scope: policy.Host}}},
		{Request: "a2", Offers: []api.OfferView{{Scope: policy.Host}, {Scope: policy.Reach}}},
		{Request: "a3"},
	}
	for request, want := range map[string]policy.Scope{"a1": policy.Once, "a2": policy.Host, "a3": policy.Once, "a4": policy.Once} {
		if got := narrowest(open, request); got != want {
			t.Errorf("%s: %s", request, got)
		}
	}
}
