package policy_test

import (
	"slices"
	"strings"
	"testing"

	"goalpost/backend/domain/policy"
)

const dir = "/home/anna/work"

func TestDecide_EachEffect_GetsItsAnswer(t *testing.T) {
	write := policy.Policy{Risk: policy.WriteLocal, Dir: dir}
	get := policy.Policy{Risk: policy.NetworkGet, Dir: dir, AllowHosts: []string{"docs.example"}}
	post := policy.Policy{Risk: policy.NetworkWrite, Dir: dir}
	for _, c := range []struct {
		name   string
		effect policy.Effect
		policy policy.Policy
		want   policy.Answer
		reason string
	}{
		{"below the ceiling", policy.Effect{Risk: policy.ReadOnly}, write, policy.Allow, "within write_local"},
		{"at the ceiling", policy.Effect{Risk: policy.WriteLocal}, write, policy.Allow, ""},
		{"over the ceiling", policy.Effect{Risk: policy.NetworkGet}, write, policy.Ask, "needs network access"},
		{"no risk said", policy.Effect{}, write, policy.Ask, ""},
		{"unknown risk", policy.Effect{Risk: "harmless"}, post, policy.Ask, "harmless"},
		{
			"unknown ceiling",
			policy.Effect{Risk: policy.ReadOnly},
			policy.Policy{Risk: "anything", Dir: dir},
			policy.Ask,
			"anything",
		},

		{"path inside", policy.Effect{Risk: policy.WriteLocal, Paths: []string{dir + "/a"}}, write, policy.Allow, ""},
		{"path outside", policy.Effect{
			Risk:  policy.WriteLocal,
			Paths: []string{dir + "/a", "/etc/passwd"},
		}, write, policy.Deny, "/etc/passwd"},
		{"path beside", policy.Effect{
			Risk:  policy.WriteLocal,
			Paths: []string{dir + "2/a"},
		}, write, policy.Deny, dir + "2/a"},
		{"path outside and over the ceiling", policy.Effect{
			Risk:  policy.SpendsMoney,
			Paths: []string{"/etc/passwd"},
			Hosts: []string{"evil.example"},
		}, write, policy.Deny, "/etc/passwd"},

		{"host under write_local", policy.Effect{
			Risk:  policy.ReadOnly,
			Hosts: []string{"docs.example"},
		}, write, policy.Ask, "docs.example"},
		{"listed host", policy.Effect{Risk: policy.NetworkGet, Hosts: []string{"docs.example"}}, get, policy.Allow, ""},
		{"a host that is not listed", policy.Effect{
			Risk:  policy.NetworkGet,
			Hosts: []string{"docs.example", "evil.example"},
		}, get, policy.Ask, "evil.example"},
		{"a host that only ends alike", policy.Effect{
			Risk:  policy.NetworkGet,
			Hosts: []string{"docs.example.evil"},
		}, get, policy.Ask, ""},
		{"any host under network_write", policy.Effect{
			Risk:  policy.NetworkGet,
			Hosts: []string{"evil.example"},
		}, post, policy.Allow, ""},

		{"a control tool has no risk", policy.Effect{Control: true}, write, policy.Allow, "control"},
		{"a control tool outside the allow list", policy.Effect{Control: true}, policy.Policy{
			Risk:       policy.ReadOnly,
			AllowTools: []string{"other"},
		}, policy.Allow, ""},
		{"a denied control tool", policy.Effect{Control: true}, policy.Policy{
			Risk:      policy.ReadOnly,
			DenyTools: []string{"tool"},
		}, policy.Deny, "denied"},
		{"denied before allowed", policy.Effect{Risk: policy.ReadOnly}, policy.Policy{
			Risk:       policy.ReadOnly,
			AllowTools: []string{"tool"},
			DenyTools:  []string{"tool"},
		}, policy.Deny, "denied"},
		{"on the allow list", policy.Effect{Risk: policy.ReadOnly}, policy.Policy{
			Risk:       policy.ReadOnly,
			AllowTools: []string{"tool"},
		}, policy.Allow, ""},
		{"the allow list lifts no ceiling", policy.Effect{Risk: policy.WriteLocal}, policy.Policy{
			Risk:       policy.ReadOnly,
			AllowTools: []string{"tool"},
		}, policy.Ask, ""},
		{"not on the allow list", policy.Effect{Risk: policy.ReadOnly}, policy.Policy{
			Risk:       policy.ReadOnly,
			AllowTools: []string{"other"},
		}, policy.Deny, "not among"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := policy.RuleSet{}.Decide(policy.Call{Tool: "tool", Effect: c.effect}, c.policy, nil)
			if got.Answer != c.want {
				t.Errorf("%s (%s), want %s", got.Answer, got.Reason, c.want)
			}
			if got.Reason == "" || !strings.Contains(got.Reason, c.reason) {
				t.Errorf("the reason is %q and should name %q", got.Reason, c.reason)
			}
		})
	}
}

func TestRisk_EveryPairOfEffectAndCeiling(t *testing.T) {
	ladder := policy.Risks()
	for i, effect := range ladder {
		for j, ceiling := range ladder {
			if got := effect.Exceeds(ceiling); got != (i > j) {
				t.Errorf("%s over %s: %v", effect, ceiling, got)
			}
			want := policy.Allow
			if i > j || effect == policy.SpendsMoney { // paying always asks
				want = policy.Ask
			}
			if got := (policy.RuleSet{}).Decide(policy.Call{Tool: "tool", Effect: policy.Effect{Risk: effect}},
				policy.Policy{Risk: ceiling, Dir: dir}, nil); got.Answer != want {
				t.Errorf("%s under %s: %s, want %s", effect, ceiling, got.Answer, want)
			}
		}
		if !effect.IsValid() || !strings.Contains(policy.RiskNames(), string(effect)) {
			t.Errorf("%s is not a risk that messages name", effect)
		}
		if policy.Risk("").IsValid() || !policy.Risk("").Exceeds(effect) || !effect.Exceeds("") {
			t.Errorf("an empty risk is not stricter than %s", effect)
		}
	}
}

func TestIsWithin_CleanPathsBelow_AreWithin(t *testing.T) {
	for _, c := range []struct {
		dir, path string
		want      bool
	}{
		{"/w", "/w", true},
		{"/w", "/w/a", true},
		{"/w", "/w/..a", true},
		{"/w/", "/w/a", true},
		{"/", "/etc", true},
		{"/w", "/", false},
		{"/w", "/wide", false},
		{"/w/a", "/w", false},
		{"/w", "w/a", false},
		{"/w", "", false},
		{"/w", "/W/a", false},
		{"/w", "/w/../etc/passwd", false},
		{"/w", "/w/a/../../etc", false},
		{"/w", "/w/..", false},
		{"/w", "//w/a", false},
		{"", "/etc", false},
		{"", "", false},
		{"work", "work/a", false},
	} {
		if got := policy.IsWithin(c.dir, c.path); got != c.want {
			t.Errorf("Inside(%q, %q) is %v", c.dir, c.path, got)
		}
	}
}

// FuzzDenyTools checks that a denied tool is never allowed, whatever the rest of the policy and the grants are.
func FuzzDenyTools(f *testing.F) {
	f.Add("run_command", "write_local", "write_local", "/w/a", "example.org", "run_command", true)
	f.Add("", "", "", "", "", "", false)
	f.Fuzz(func(t *testing.T, tool, risk, ceiling, path, host, allowed string, control bool) {
		e := policy.Effect{Risk: policy.Risk(risk), Control: control, Paths: []string{path}, Hosts: []string{host}}
		p := policy.Policy{Risk: policy.Risk(ceiling), Dir: "/w", AllowTools: []string{allowed}, AllowHosts: []string{host}}
		before := policy.RuleSet{}.Decide(policy.Call{Tool: tool, Effect: e}, p, nil)
		if !slices.Contains([]policy.Answer{policy.Allow, policy.Ask, policy.Deny}, before.Answer) {
			t.Errorf("answer %q", before.Answer)
		}
		if !policy.Risk(risk).IsValid() && !control && before.Answer == policy.Allow {
			t.Errorf("the unknown risk %q is allowed", risk)
		}
		p.DenyTools = []string{"another", tool}
		grants := []policy.Grant{{
			Scope: policy.ScopeOnce,
			Call:  "key",
			Risk:  e.Risk,
			Hosts: e.Hosts,
			Paths: e.Paths,
		}, {Scope: policy.ScopeHost, Hosts: []string{host}, Risk: policy.SpendsMoney}}
		if got := (policy.RuleSet{}).Decide(policy.Call{
			Tool:   tool,
			Key:    "key",
			Effect: e,
		}, p, grants); got.Answer != policy.Deny {
			t.Errorf("%s although denied", got.Answer)
		}
	})
}

// FuzzInside checks that a path inside a folder is absolute and has no ".." element.
func FuzzInside(f *testing.F) {
	f.Add("/w", "/w/../etc")
	f.Add("/w", "/w/./a//b")
	f.Fuzz(func(t *testing.T, dir, path string) {
		if !policy.IsWithin(dir, path) {
			return
		}
		if !strings.HasPrefix(path, "/") || slices.Contains(strings.Split(path, "/"), "..") {
			t.Errorf("%q is said to be inside %q", path, dir)
		}
	})
}

// TestGrant_OtherCall_IsNotCovered checks that a grant for an irreversible call covers only its tool, and that an
// approval of one call covers only what the user was shown.
func TestGrant_OtherCall_IsNotCovered(t *testing.T) {
	p := policy.Policy{Risk: policy.NetworkWrite, Dir: dir}
	issue := policy.Call{
		Tool:   "create_issue",
		Key:    "1",
		Effect: policy.Effect{Risk: policy.NetworkWrite, Hosts: []string{"api.example"}, Irreversible: true},
	}
	asked := policy.RuleSet{}.Decide(issue, p, nil)
	var host, once policy.Grant
	for _, g := range asked.Offers {
		if g.Scope == policy.ScopeHost {
			host = g
		}
		if g.Scope == policy.ScopeOnce {
			once = g
		}
	}
	if !strings.Contains(host.Describe(), "only create issue") {
		t.Errorf("it says %q", host.Describe())
	}
	other, shown, more := issue, issue, issue
	other.Tool, shown.Shown, more.Effect.Deletes = "delete_repo", "something else", []string{"/tmp/x"}
	plain := host
	plain.Irreversible = false
	for _, c := range []struct {
		call  policy.Call
		grant policy.Grant
		want  policy.Answer
	}{
		{issue, host, policy.Allow},
		{other, host, policy.Ask},
		{issue, plain, policy.Ask},
		{issue, once, policy.Allow},
		{shown, once, policy.Ask},
		{more, once, policy.Ask},
	} {
		if d := (policy.RuleSet{}).Decide(c.call, p, []policy.Grant{c.grant}); d.Answer != c.want {
			t.Errorf("%+v with %+v: %s (%s)", c.call, c.grant, d.Answer, d.Reason)
		}
	}
	get := policy.Grant{Scope: policy.ScopeHost, Risk: policy.NetworkGet, Hosts: []string{"docs.example"}}
	if words := get.Describe(); !strings.Contains(words, "programs send there encrypted cannot be inspected") {
		t.Errorf("it says %q", words)
	}
}

// TestWritesOverlap_FoldersWithinEachOther_IsTrue: only folders that both goals may write to count.
func TestWritesOverlap_FoldersWithinEachOther_IsTrue(t *testing.T) {
	for name, c := range map[string]struct {
		a, b policy.Policy
		want bool
	}{
		"the same folder":       {policy.Policy{Dir: "/w/a"}, policy.Policy{Dir: "/w/a"}, true},
		"one below the other":   {policy.Policy{Dir: "/w/a"}, policy.Policy{Dir: "/w"}, true},
		"beside each other":     {policy.Policy{Dir: "/w/a"}, policy.Policy{Dir: "/w/ab"}, false},
		"one only reads":        {policy.Policy{Dir: "/w/a", Risk: policy.ReadOnly}, policy.Policy{Dir: "/w/a"}, false},
		"an additional folder":  {policy.Policy{Dir: "/w/a", AllowWrite: []string{"/x"}}, policy.Policy{Dir: "/x/y"}, true},
		"one has no folder yet": {policy.Policy{}, policy.Policy{Dir: "/"}, false},
		"read, and another dir": {policy.Policy{Dir: "/w/a", AllowRead: []string{"/x"}}, policy.Policy{Dir: "/x"}, false},
		"a reader's other folder": {
			policy.Policy{Dir: "/w/a", Risk: policy.ReadOnly, AllowWrite: []string{"/x"}}, policy.Policy{Dir: "/x"}, true,
		},
	} {
		if c.a.WritesOverlap(c.b) != c.want || c.b.WritesOverlap(c.a) != c.want {
			t.Errorf("%s: want %t", name, c.want)
		}
	}
}
