package policy

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzOrder checks that the order of the checks does not change the decision, that further checks never make it laxer,
// and that no grant lifts a denial.
func FuzzOrder(f *testing.F) {
	f.Add(uint64(1), "run_command", "git push --force", "write_local", "write_local", "/w/.git/config", "example.org",
		"*.org", true)
	f.Add(uint64(2), "browser_click", "", "network_write", "read_only", "/etc/passwd", "a.b", "**", false)
	f.Add(uint64(3), "write_file", "rm -rf /", "", "spends_money", "/w/a", "", "b", false)
	rules, err := DefaultRules("/home/anna", "/state")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, seed uint64, tool, line, risk, top, file, host, denied string, undo bool) {
		c := Call{Tool: tool, Key: "k", Effect: Effect{
			Risk:         Risk(risk),
			Paths:        []string{file},
			Deletes:      []string{file},
			Hosts:        []string{host},
			CommandLine:  line,
			Commands:     [][]string{fields(line)},
			Irreversible: undo,
		}}
		p := Policy{Risk: Risk(top), Dir: "/w", DenyHosts: []string{denied}, DenyTools: []string{denied}}
		want := rules.Decide(c, p, nil)
		questions := rules.checks(c)
		random := rand.New(rand.NewPCG(seed, seed))
		for range 4 {
			random.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
			if got := combineChecks(questions, c, p, nil); got.Answer != want.Answer || got.Always != want.Always ||
				len(got.Offers) != len(want.Offers) {
				t.Fatalf("%s (%s) in another order, want %s (%s)", got.Answer, got.Reason, want.Answer, want.Reason)
			}
		}
		for i := range questions { // another check never makes the decision laxer
			if got := combineChecks(questions[:i], c, p, nil); got.Answer.rank() < want.Answer.rank() {
				t.Fatalf("%s with fewer questions, %s with all", got.Answer, want.Answer)
			}
		}
		grants := []Grant{{
			ID:    "1",
			Scope: ScopeOnce,
			Call:  "k",
			Risk:  Risk(risk),
			Hosts: []string{host},
			Paths: []string{file},
		}, {
			ID:    "2",
			Scope: ScopeHost,
			Hosts: []string{host},
			Risk:  SpendsMoney,
		}, {ID: "3", Scope: ScopePath, Paths: []string{file}, Risk: SpendsMoney}}
		if got := rules.Decide(c, p, grants); want.Answer == Deny && got.Answer != Deny {
			t.Fatalf("%s by a grant, although denied: %s", got.Answer, want.Reason)
		}
	})
}

func fields(line string) []string {
	var list []string
	word := ""
	for _, r := range line + " " {
		if r != ' ' {
			word += string(r)
		} else if word != "" {
			list, word = append(list, word), ""
		}
	}
	return list
}

// TestDecide_CheckFails_Denies covers a check that returns an error, panics or returns an invalid answer.
func TestDecide_CheckFails_Denies(t *testing.T) {
	c, p := Call{Tool: "t", Effect: Effect{Risk: ReadOnly}}, Policy{Risk: SpendsMoney, Dir: "/w"}
	for name, q := range map[string]checkFunc{
		"error":     func(Call, Policy) (checkResult, error) { return checkResult{answer: Allow}, errors.New("no disk") },
		"panic":     func(Call, Policy) (checkResult, error) { panic("index") },
		"no answer": func(Call, Policy) (checkResult, error) { return checkResult{}, nil },
		"nonsense":  func(Call, Policy) (checkResult, error) { return checkResult{answer: "yes"}, nil },
	} {
		if d := combineChecks([]checkFunc{checkRiskCeiling, q, checkHosts}, c, p, nil); d.Answer != Deny || d.Reason == "" {
			t.Errorf("%s: %s (%s)", name, d.Answer, d.Reason)
		}
	}
	broken := Policy{Risk: NetworkWrite, Dir: "/w", DenyHosts: []string{"a*b"}}
	if d := (RuleSet{}).Decide(Call{
		Tool:   "t",
		Effect: Effect{Risk: NetworkGet, Hosts: []string{"x.example"}},
	}, broken, nil); d.Answer != Deny {
		t.Errorf("a list of hosts that cannot be read: %s", d.Answer)
	}
}

func TestHostMatches_EachPattern_CoversItsHosts(t *testing.T) {
	for _, c := range []struct {
		pattern, host string
		want          bool
	}{
		{"example.org", "example.org", true},
		{"example.org", "EXAMPLE.org.", true},
		{"example.org", "www.example.org", false},
		{"*.example.org", "www.example.org", true},
		{"*.example.org", "a.b.example.org", true},
		{"*.example.org", "example.org", false},
		{"*.example.org", "badexample.org", false},
		{"*.example.org", ".example.org", false},
		{"example.org.", "example.org", true},
		{"1.2.3.4", "::ffff:1.2.3.4", true},
		{"::1", "[0:0::1]", true},
		{"*", "anything", true},
		{"*", "", false},
		{"127.0.0.1", "127.0.0.1", true},
	} {
		got, err := HostMatches(c.pattern, c.host, "")
		if got != c.want || err != nil {
			t.Errorf("%s for %s: %v %v", c.pattern, c.host, got, err)
		}
	}
	for _, good := range []string{
		"a.example:8080", "[::1]:80", "127.0.0.1:8080", "::1", "fe80::", "EXAMPLE.org.",
		"xn--bcher-kva.example", "a_b.example", "localhost",
	} {
		if err := (Policy{Risk: ReadOnly, DenyHosts: []string{good}}).Validate(); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{
		"", "*.", "a*b", "*.*.org", "http://x", "a b", "a..b", "*.a/b", "user@host",
		"bücher.example", "*.bücher.example", "a.example,b.example", "2130706433", "127.1", "0x7f.1", "*.1.2.3.4",
		"a.example:http", "a.example:", ":80", "[::1", "a;b",
	} {
		if _, err := HostMatches(bad, "x", ""); err == nil {
			t.Errorf("%q is taken for a host", bad)
		}
		if (Policy{Risk: ReadOnly, AllowHosts: []string{bad}}).Validate() == nil {
			t.Errorf("%q is taken into a policy", bad)
		}
	}
}

// TestHostMatches_PatternWithPort_CoversThatPort checks Decide, which must treat ports as the proxy does.
func TestHostMatches_PatternWithPort_CoversThatPort(t *testing.T) {
	p := Policy{
		Risk:       NetworkGet,
		AllowHosts: []string{"example.org:8080", "*.pkg.example"},
		DenyHosts:  []string{"a.pkg.example:22"},
	}
	for at, want := range map[[2]string]Answer{
		{"example.org", "8080"}: Allow, {"example.org", "443"}: Ask, {"example.org", ""}: Ask,
		{"a.pkg.example", "443"}: Allow, {"a.pkg.example", "22"}: Deny,
	} {
		e := Effect{Risk: NetworkGet, Hosts: []string{at[0]}, Ports: []string{at[1]}}
		if d := (RuleSet{}).Decide(Call{
			Tool:   "x",
			Key:    "k",
			Effect: e,
		}, p, nil); d.Answer != want || want == Deny && !strings.Contains(d.Reason, "a.pkg.example:22") {
			t.Errorf("%s at port %q: %+v", at[0], at[1], d)
		}
	}
	one := Effect{Risk: NetworkGet, Hosts: []string{"example.org"}, Ports: []string{"80"}}
	other := one
	other.Ports = []string{"8080"}
	if one.Equal(other) || !one.Equal(one) {
		t.Error("another port is the same")
	}
}

// TestUnusedParts_AllowedHosts checks that allowed hosts are reported at risk levels at which they have no effect.
func TestUnusedParts_AllowedHosts(t *testing.T) {
	for _, risk := range []Risk{ReadOnly, WriteLocal, NetworkGet, NetworkWrite, SpendsMoney} {
		p := Policy{Risk: risk, AllowHosts: []string{"docs.example"}}
		if said := p.UnusedParts(); (said != "") != NetworkGet.Exceeds(risk) || said != "" &&
			!strings.Contains(said, "docs.example") {
			t.Errorf("%s: %q", risk, said)
		}
		if p.AllowHosts = nil; p.UnusedParts() != "" {
			t.Errorf("%s without a host: %q", risk, p.UnusedParts())
		}
	}
}
