package policy_test

import (
	"os"
	"strings"
	"testing"

	"goalpost/backend/domain/policy"
)

func rules(t *testing.T) policy.RuleSet {
	t.Helper()
	l, err := policy.DefaultRules("/home/anna", "/home/anna/.local/share/goalpost")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestRules_WrongExample_AreRefused checks that rules with a wrong example are not loaded, and that the error names the
// example.
func TestRules_WrongExample_AreRefused(t *testing.T) {
	for _, c := range []struct{ rules, want string }{
		{
			`[{"name":"a","answer":"ask","why":"w","program":["git"],"match":["git x"],"not":["git y"]}]`,
			`should not match "git y"`,
		},
		{
			`[{"name":"a","answer":"ask","why":"w","program":["git"],"words":["push"],"match":["git pull"],"not":["git y"]}]`,
			`should match "git pull"`,
		},
		{`[{"name":"a","answer":"allow","why":"w","program":["git"],"match":["git"],"not":["x"]}]`, `not "allow"`},
		{`[{"name":"a","answer":"ask","why":"","program":["git"],"match":["git"],"not":["x"]}]`, "no reason"},
		{`[{"name":"a","answer":"ask","why":"w","match":["git"],"not":["x"]}]`, "either programs or paths"},
		{`[{"name":"a","answer":"deny","why":"w","path":["/a/**"],"match":["/a/b"],"not":[]}]`, "one that does not"},
		{`[{"name":"a","answer":"deny","why":"w","path":["/a/[b"],"match":["/a/b"],"not":["/c"]}]`, "pattern"},
		{`{}`, "rules"},
	} {
		if _, err := policy.Load([]byte(c.rules), "/home/anna"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v, want %s", c.rules, err, c.want)
		}
	}
	if n := len(rules(t).Rules()); n < 8 {
		t.Errorf("only %d rules", n)
	}
}

func TestDefaultRules_Examples_Match(t *testing.T) {
	b, err := os.ReadFile("rules.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := policy.Load(b, "/home/anna"); err != nil {
		t.Error(err)
	}
}

// TestDecide_DeleteInTmp_AsksIfUnconfined: in the sandbox, /tmp is the goal's own; outside of it, /tmp is shared.
func TestDecide_DeleteInTmp_AsksIfUnconfined(t *testing.T) {
	for _, file := range []string{"/tmp/x", "/var/tmp/x"} {
		c := policy.Call{
			Tool:   "tool",
			Key:    "k",
			Effect: policy.Effect{Risk: policy.WriteLocal, Deletes: []string{file}, CommandLine: "rm " + file},
		}
		for unconfined, want := range map[bool]policy.Answer{false: policy.Allow, true: policy.Ask} {
			if d := rules(t).Decide(c, policy.Policy{
				Risk:       policy.WriteLocal,
				Dir:        "/w",
				Unconfined: unconfined,
			}, nil); d.Answer != want {
				t.Errorf("%s, unconfined %v: %+v", file, unconfined, d)
			}
		}
	}
}

// TestDecide_AlwaysAskedEffect_IgnoresGrants also checks that the highest risk level and the allow lists do not prevent
// the question.
func TestDecide_AlwaysAskedEffect_IgnoresGrants(t *testing.T) {
	top := policy.Policy{Risk: policy.SpendsMoney, Dir: "/w", AllowHosts: []string{"*"}, AllowTools: []string{"tool"}}
	for name, e := range map[string]policy.Effect{
		"paying":           {Risk: policy.SpendsMoney, Hosts: []string{"shop.example"}},
		"deleting outside": {Risk: policy.WriteLocal, Deletes: []string{"/home/anna/photos"}, CommandLine: "x"},
		"force push": {
			Risk:        policy.WriteLocal,
			CommandLine: "x",
			Commands:    [][]string{{"true"}, {"git", "push", "-f"}},
		},
		"publishing":         {Risk: policy.WriteLocal, CommandLine: "x", Commands: [][]string{{"npm", "publish"}}},
		"credentials":        {Risk: policy.WriteLocal, CommandLine: "x", Commands: [][]string{{"passwd"}}},
		"the root of a /tmp": {Risk: policy.WriteLocal, Deletes: []string{"/tmp"}, CommandLine: "x"},
	} {
		c := policy.Call{Tool: "tool", Key: "k", Effect: e}
		d := rules(t).Decide(c, top, nil)
		if d.Answer != policy.Ask || !d.Always || len(d.Offers) != 1 || d.Offers[0].Scope != policy.ScopeOnce {
			t.Errorf("%s: %+v", name, d)
		}
		wide := []policy.Grant{{
			Scope:   policy.ScopeCommand,
			Tool:    "tool",
			Command: "x",
			Risk:    policy.SpendsMoney,
		}, {Scope: policy.ScopeHost, Hosts: e.Hosts, Risk: policy.SpendsMoney}}
		if d := rules(t).Decide(c, top, wide); d.Answer != policy.Ask {
			t.Errorf("%s is %s by a grant for the goal", name, d.Answer)
		}
		once := d.Offers[0]
		once.ID = "r1"
		if d := rules(t).Decide(c, top, []policy.Grant{once}); d.Answer != policy.Allow || d.Grant != "r1" {
			t.Errorf("%s after a user's yes: %+v", name, d)
		}
		if d := rules(t).Decide(policy.Call{
			Tool:   "tool",
			Key:    "other",
			Effect: e,
		}, top, []policy.Grant{once}); d.Answer != policy.Ask {
			t.Errorf("%s: one yes is taken for another call", name)
		}
	}
	pane := policy.Effect{Risk: policy.WriteLocal, Pane: "t1"}
	d := rules(t).Decide(policy.Call{Tool: "tool", Key: "k", Effect: pane}, top, nil)
	if d.Answer != policy.Ask || len(d.Offers) != 2 || d.Offers[1].Scope != policy.ScopePane {
		t.Errorf("an unconfined pane: %+v", d)
	}
}

func TestDecide_NeverWritablePath_IsDenied(t *testing.T) {
	everywhere := policy.Policy{Risk: policy.SpendsMoney, Dir: "/", AllowWrite: []string{"/home/anna"}}
	for _, file := range []string{
		"/w/.git/hooks/pre-commit", "/w/.git/config", "/home/anna/.bashrc", "/etc/profile.d/a.sh", "/home/anna/.ssh/config",
		"/home/anna/.local/share/goalpost", "/home/anna/.local/share/goalpost/state/goalpost.db",
	} {
		d := rules(t).Decide(policy.Call{
			Tool:   "write_file",
			Key:    "k",
			Effect: policy.Effect{Risk: policy.WriteLocal, Paths: []string{file}},
		}, everywhere,
			[]policy.Grant{{Scope: policy.ScopeOnce, Call: "k", Risk: policy.WriteLocal, Paths: []string{file}}})
		if d.Answer != policy.Deny {
			t.Errorf("%s may be written: %s", file, d.Answer)
		}
	}
}

// TestGrant_EachScope_CoversItsCalls also checks that a grant covers no other calls.
func TestGrant_EachScope_CoversItsCalls(t *testing.T) {
	p := policy.Policy{Risk: policy.NetworkGet, Dir: "/w"}
	on := func(r policy.Risk, hosts ...string) policy.Call {
		return policy.Call{Tool: "browser_click", Key: "k", Effect: policy.Effect{Risk: r, Hosts: hosts}}
	}
	d := rules(t).Decide(on(policy.NetworkWrite, "docs.example"), p, nil)
	if d.Answer != policy.Ask || len(d.Offers) != 2 || d.Offers[1].Scope != policy.ScopeHost {
		t.Fatalf("%+v", d)
	}
	host := d.Offers[1]
	for _, c := range []struct {
		call policy.Call
		want policy.Answer
	}{
		{on(policy.NetworkWrite, "docs.example"), policy.Allow},
		{on(policy.NetworkGet, "docs.example"), policy.Allow},
		{on(policy.NetworkWrite, "docs.example", "evil.example"), policy.Ask},
		{on(policy.NetworkWrite, "evil.example"), policy.Ask},
		{on(policy.NetworkWrite), policy.Ask},
		{on(policy.SpendsMoney, "docs.example"), policy.Ask},
	} {
		if got := rules(t).Decide(c.call, p, []policy.Grant{host}); got.Answer != c.want {
			t.Errorf("%+v with a grant for the host: %s", c.call.Effect, got.Answer)
		}
	}
	look := policy.Policy{Risk: policy.ReadOnly, Dir: "/w"}
	write := policy.Call{
		Tool:   "write_file",
		Key:    "k",
		Effect: policy.Effect{Risk: policy.WriteLocal, Paths: []string{"/w/a"}},
	}
	d = rules(t).Decide(write, look, nil)
	if len(d.Offers) != 2 || d.Offers[1].Scope != policy.ScopePath || !strings.Contains(d.Offers[1].Describe(), "/w/a") {
		t.Fatalf("%+v", d.Offers)
	}
	write.Effect.Paths = []string{"/w/b"}
	if got := rules(t).Decide(write, look, d.Offers[1:]); got.Answer != policy.Ask {
		t.Error("a grant for a path covers another")
	}
	run := policy.Call{Tool: "run_command", Key: "k", Effect: policy.Effect{Risk: policy.WriteLocal, CommandLine: "make"}}
	d = rules(t).Decide(run, look, nil)
	run.Key = "same line, another time-out"
	if got := rules(t).Decide(run, look, d.Offers[1:]); got.Answer != policy.Allow {
		t.Errorf("a grant for a command does not cover it: %+v", d.Offers)
	}
	run.Effect.CommandLine = "make install"
	if got := rules(t).Decide(run, look, d.Offers[1:]); got.Answer != policy.Ask {
		t.Error("a grant for a command covers another")
	}
}

// TestDefaultRules_TwoHomes_KeepTheirOwn: all rule sets share one parsed file, but each has its own home folder.
func TestDefaultRules_TwoHomes_KeepTheirOwn(t *testing.T) {
	homes := []string{"/home/anna", "/home/ben"}
	sets := map[string]policy.RuleSet{}
	for _, home := range homes {
		set, err := policy.DefaultRules(home, home+"/state")
		if err != nil {
			t.Fatal(err)
		}
		sets[home] = set
	}
	for _, home := range homes {
		for _, other := range homes {
			for _, file := range []string{home + "/.ssh/id_ed25519", home + "/state/goalpost.db"} {
				d := sets[other].Decide(policy.Call{
					Tool:   "tool",
					Key:    "k",
					Effect: policy.Effect{Risk: policy.WriteLocal, Paths: []string{file}},
				}, policy.Policy{Risk: policy.WriteLocal, Dir: home}, nil)
				if isAllowed := d.Answer == policy.Allow; isAllowed != (home != other) {
					t.Errorf("%s with the rules of %s: %+v", file, other, d)
				}
			}
		}
	}
}
