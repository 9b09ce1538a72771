package policy_test

import (
	"strings"
	"testing"

	"goalpost/backend/domain/policy"
)

// TestDecide_Secret_NeedsItsGoalAndHost checks that a secret which the goal was not given needs an approval, and that a
// bound secret goes only to its hosts.
func TestDecide_Secret_NeedsItsGoalAndHost(t *testing.T) {
	given := policy.Policy{
		Risk:       policy.NetworkGet,
		Dir:        dir,
		Secrets:    []string{"npm", "bound"},
		AllowHosts: []string{"npm.example", "api.example"},
	}
	narrow := policy.Policy{
		Risk:       policy.NetworkGet,
		Dir:        dir,
		Secrets:    []string{"bound"},
		AllowHosts: []string{"api.example"},
	}
	local := policy.Policy{Risk: policy.WriteLocal, Dir: dir, Secrets: []string{"bound"}}
	bound := policy.SecretUse{Name: "bound", Hosts: []string{"api.example"}}
	for name, c := range map[string]struct {
		effect policy.Effect
		policy policy.Policy
		want   policy.Answer
		reason string
	}{
		"given": {policy.Effect{
			Risk:    policy.WriteLocal,
			Secrets: []policy.SecretUse{{Name: "npm"}},
		}, given, policy.Allow, ""},
		"not given": {policy.Effect{
			Risk:    policy.WriteLocal,
			Secrets: []policy.SecretUse{{Name: "npm"}, {Name: "other"}},
		}, given, policy.Ask, "your secret other"},
		"bound, to its host": {policy.Effect{
			Risk:    policy.NetworkGet,
			Hosts:   []string{"api.example"},
			Secrets: []policy.SecretUse{bound},
		}, given, policy.Allow, ""},
		"bound, to another": {policy.Effect{
			Risk:    policy.NetworkGet,
			Hosts:   []string{"api.example", "npm.example"},
			Secrets: []policy.SecretUse{bound},
		}, given, policy.Deny, "belongs to api.example and not to npm.example"},
		"bound, in a program's hands": {policy.Effect{
			Risk:        policy.WriteLocal,
			CommandLine: "curl x",
			Secrets:     []policy.SecretUse{bound},
		}, given, policy.Ask, "could send it"},
		"bound, in a file that programs read": {policy.Effect{
			Risk:    policy.WriteLocal,
			Paths:   []string{dir + "/.env"},
			Secrets: []policy.SecretUse{bound},
		}, given, policy.Ask, "could send it"},
		"bound, to a server that is a program": {policy.Effect{
			Risk:    policy.ReadOnly,
			Program: true,
			Secrets: []policy.SecretUse{bound},
		}, given, policy.Ask, "could send it"},
		"bound, in a file, and nowhere else to go": {policy.Effect{
			Risk:    policy.WriteLocal,
			Paths:   []string{dir + "/.env"},
			Secrets: []policy.SecretUse{bound},
		}, narrow, policy.Allow, ""},
		"bound, in a goal without a sandbox": {policy.Effect{
			Risk:        policy.WriteLocal,
			CommandLine: "curl x",
			Secrets:     []policy.SecretUse{bound},
		}, policy.Policy{
			Risk:       policy.WriteLocal,
			Dir:        dir,
			Secrets:    []string{"bound"},
			Unconfined: true,
		}, policy.Ask, "could send it"},
		"bound, in a script": {policy.Effect{
			Risk:    policy.WriteLocal,
			Script:  true,
			Secrets: []policy.SecretUse{bound},
		}, narrow, policy.Ask, "a script could send it"},
		"bound, and nowhere else to go": {policy.Effect{
			Risk:        policy.WriteLocal,
			CommandLine: "curl x",
			Secrets:     []policy.SecretUse{bound},
		}, narrow, policy.Allow, ""},
		"bound, in a goal without a net": {policy.Effect{
			Risk:        policy.WriteLocal,
			CommandLine: "curl x",
			Secrets:     []policy.SecretUse{bound},
		}, local, policy.Allow, ""},
	} {
		t.Run(name, func(t *testing.T) {
			call := policy.Call{Tool: "tool", Key: "k", Effect: c.effect}
			d := policy.RuleSet{}.Decide(call, c.policy, nil)
			if d.Answer != c.want || !strings.Contains(d.Reason, c.reason) {
				t.Errorf("%s (%s), want %s (%s)", d.Answer, d.Reason, c.want, c.reason)
			}
			if d.Answer != policy.Ask {
				return
			}
			if len(d.Offers) != 2 {
				t.Errorf("%d offers, want once and secret", len(d.Offers))
			}
			for _, g := range d.Offers {
				if got := (policy.RuleSet{}).Decide(call, c.policy, []policy.Grant{g}); got.Answer != policy.Allow {
					t.Errorf("the offer %q does not allow it: %s", g.Describe(), got.Reason)
				}
				more := call
				more.Key, more.Effect.Secrets = "other", append([]policy.SecretUse{{Name: "more"}}, call.Effect.Secrets...)
				if got := (policy.RuleSet{}).Decide(more, c.policy, []policy.Grant{g}); got.Answer == policy.Allow {
					t.Errorf("the offer %q covers another secret", g.Describe())
				}
			}
		})
	}
}

// TestBoundSecret_HostGrantedLater_Asks: programs can reach a host that the user grants later at every risk level.
func TestBoundSecret_HostGrantedLater_Asks(t *testing.T) {
	call := policy.Call{
		Tool: "run_command",
		Key:  "k",
		Effect: policy.Effect{
			Risk:        policy.WriteLocal,
			CommandLine: "curl x",
			Secrets:     []policy.SecretUse{{Name: "bound", Hosts: []string{"api.example"}}},
		},
	}
	for _, risk := range []policy.Risk{policy.ReadOnly, policy.WriteLocal, policy.NetworkGet, policy.NetworkWrite} {
		p := policy.Policy{Risk: risk, Dir: dir, Secrets: []string{"bound"}}
		for host, want := range map[string]policy.Answer{"evil.example": policy.Ask, "api.example": policy.Allow} {
			if risk == policy.NetworkWrite || risk == policy.ReadOnly {
				want = policy.Ask // every host is open; the call itself is beyond the level
			}
			open := policy.Grant{ID: "a1", Scope: policy.ScopeHost, Risk: policy.NetworkWrite, Hosts: []string{host}}
			d := policy.RuleSet{}.Decide(call, p, []policy.Grant{open})
			if d.Answer != want || (host == "evil.example") && !strings.Contains(d.Reason, "a program could send it") {
				t.Errorf("%s at %s: %s (%s), want %s", host, risk, d.Answer, d.Reason, want)
			}
		}
	}
}

// TestBoundSecret_UnconfinedPane_Asks: an approval for the pane does not cover a secret that could be sent anywhere
// from there.
func TestBoundSecret_UnconfinedPane_Asks(t *testing.T) {
	p := policy.Policy{Risk: policy.WriteLocal, Dir: dir, Secrets: []string{"bound"}}
	typed := policy.Call{
		Tool: "terminal_run",
		Key:  "k",
		Effect: policy.Effect{
			Risk:        policy.NetworkWrite,
			CommandLine: "curl x",
			Pane:        "t1",
			Secrets:     []policy.SecretUse{{Name: "bound", Hosts: []string{"api.example"}}},
		},
	}
	pane := policy.Grant{ID: "a1", Scope: policy.ScopePane, Risk: policy.NetworkWrite, Pane: "t1"}
	secret := policy.Grant{ID: "a2", Scope: policy.ScopeSecret, Secrets: []string{"bound"}}
	if d := (policy.RuleSet{}).Decide(typed, p, []policy.Grant{pane}); d.Answer != policy.Ask ||
		!strings.Contains(d.Reason, "a program could send it") {
		t.Errorf("%s (%s)", d.Answer, d.Reason)
	}
	if d := (policy.RuleSet{}).Decide(typed, p, []policy.Grant{pane, secret}); d.Answer != policy.Allow {
		t.Errorf("with both: %s (%s)", d.Answer, d.Reason)
	}
}
