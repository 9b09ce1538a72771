package egress_test

import (
	"testing"

	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/egress"
)

// TestPattern_HostOpenedByUser_IsNoPattern: an approval for one host allows no other host.
func TestPattern_HostOpenedByUser_IsNoPattern(t *testing.T) {
	for _, host := range []string{"*", "*.com"} {
		r := egress.Rules{Risk: policy.WriteLocal, Given: []egress.HostGrant{{Host: host, Risk: policy.NetworkWrite}}}
		if why, ok := r.Decide(egress.Request{Method: "GET", Host: "evil.com", Port: "80"}); ok {
			t.Errorf("%s: %s", host, why)
		}
	}
}
