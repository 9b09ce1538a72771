package policy_test

import (
	"strings"
	"testing"

	"goalpost/backend/domain/policy"
)

// TestMachineAccess_NeedsTheUser checks that access to the machine needs an approval at every risk level, that the
// grant is offered only for the whole goal, and that it covers only that access.
func TestMachineAccess_NeedsTheUser(t *testing.T) {
	rules, err := policy.DefaultRules("/home/anna")
	if err != nil {
		t.Fatal(err)
	}
	call := func(a policy.MachineAccess) policy.Call {
		return policy.Call{Tool: "request_access", Key: "k", Effect: policy.Effect{Risk: policy.ReadOnly, Access: &a}}
	}
	for _, a := range []policy.MachineAccess{
		{Kind: policy.ReadAccess, Path: "/data"},
		{Kind: policy.WriteAccess, Path: "/data"},
		{Kind: policy.SocketAccess, Path: "/run/s"},
		{Kind: policy.PortAccess, Port: 5432},
	} {
		p := policy.Policy{Risk: policy.SpendsMoney, Dir: "/work"}
		d := rules.Decide(call(a), p, nil)
		if d.Answer != policy.Ask || !d.Always || len(d.Offers) != 1 || d.Offers[0].Scope != policy.ScopeMachine ||
			!strings.Contains(d.Offers[0].Describe(), a.String()) {
			t.Fatalf("%v: %+v", a, d)
		}
		g := d.Offers[0]
		if d := rules.Decide(call(a), p, []policy.Grant{g}); d.Answer != policy.Allow {
			t.Errorf("%v after the yes: %+v", a, d)
		}
		for _, other := range []policy.MachineAccess{{
			Kind: a.Kind,
			Path: "/data/below",
			Port: 5433,
		}, {Kind: policy.WriteAccess, Path: "/else"}} {
			if d := rules.Decide(call(other), p, []policy.Grant{g}); d.Answer != policy.Ask {
				t.Errorf("an approval of %v allows %v", a, other)
			}
		}
		writes := policy.Call{
			Tool:   "run_command",
			Key:    "w",
			Effect: policy.Effect{Risk: policy.WriteLocal, Deletes: []string{"/data/x"}},
		}
		want := policy.Ask
		if a.Kind == policy.WriteAccess {
			want = policy.Allow
		}
		if d := rules.Decide(writes, p, []policy.Grant{g}); d.Answer != want {
			t.Errorf("deleting in /data with %v: %v, want %v", a, d.Answer, want)
		}
	}
}
