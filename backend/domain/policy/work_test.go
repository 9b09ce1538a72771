package policy_test

import (
	"strings"
	"testing"

	"goalpost/backend/domain/policy"
)

func TestDecide_OutsideWorkPaths_IsDeniedWithTheirNames(t *testing.T) {
	p := policy.Policy{
		Risk:       policy.WriteLocal,
		Dir:        "/w",
		Work:       []string{"notes.md", "src/"},
		AllowWrite: []string{"/other"},
	}
	for file, want := range map[string]policy.Answer{
		"/w/src/a":     policy.Allow,
		"/w/src":       policy.Allow,
		"/w/notes.md":  policy.Allow,
		"/other/a":     policy.Allow,
		"/w/srcs":      policy.Deny,
		"/w/Makefile":  policy.Deny,
		"/w/notes.md2": policy.Deny,
		"/elsewhere":   policy.Deny,
	} {
		c := policy.Call{Tool: "write_file", Key: "k", Effect: policy.Effect{Risk: policy.WriteLocal, Paths: []string{file}}}
		d := rules(t).Decide(c, p, nil)
		if d.Answer != want {
			t.Errorf("%s: %+v", file, d)
		}
		named := strings.Contains(d.Reason, "only notes.md and src/ may be changed (--work)")
		if inside := policy.IsWithin(p.Dir, file); want == policy.Deny && named != inside {
			t.Errorf("%s: %q", file, d.Reason)
		}
	}
	granted := []policy.Grant{{
		ID:     "r1",
		Scope:  policy.ScopeMachine,
		Access: &policy.MachineAccess{Kind: policy.WriteAccess, Path: "/w/docs"},
	}}
	c := policy.Call{Tool: "write_file", Key: "k", Effect: policy.Effect{
		Risk:  policy.WriteLocal,
		Paths: []string{"/w/docs/a"},
	}}
	if d := rules(t).Decide(c, p, granted); d.Answer != policy.Allow {
		t.Errorf("after the user extended it: %+v", d)
	}
}

func TestValidate_Work_IsInsideTheFolderAndEnforced(t *testing.T) {
	for _, c := range []struct {
		p    policy.Policy
		want string
	}{
		{policy.Policy{Risk: policy.WriteLocal, Work: []string{"src/", "a.b"}}, ""},
		{policy.Policy{Risk: policy.WriteLocal, Work: []string{"../x"}}, "not inside"},
		{policy.Policy{Risk: policy.WriteLocal, Work: []string{"/w/x"}}, "not inside"},
		{policy.Policy{Risk: policy.WriteLocal, Work: []string{"./"}}, "not inside"},
		{policy.Policy{Risk: policy.ReadOnly, Work: []string{"src/"}}, "changes nothing"},
		{policy.Policy{Risk: policy.WriteLocal, Work: []string{"src/"}, Unconfined: true}, "runs without one"},
	} {
		c.p.Dir = "/w"
		if err := c.p.Validate(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.p.Work, err, c.want)
		}
	}
}

func TestRoundGlob_Pattern_IsTheFolderAboveIt(t *testing.T) {
	for pattern, want := range map[string]string{
		"src": "src", "src/": "src/", "src/**/*.py": "src/", "src/a?/b": "src/", "*.py": ".", "a/b.[ch]": "a/",
	} {
		if got := policy.RoundGlob(pattern); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
}
