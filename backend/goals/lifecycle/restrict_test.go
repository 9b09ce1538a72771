package lifecycle

import (
	"slices"
	"testing"

	"goalpost/backend/agent/tools"
	"goalpost/backend/domain/policy"
)

// TestRestrictPolicy_ParentLimitsItsFolder_ChildIsNoWayOut: a child writes only its own folder, or nothing. Neither the
// child nor its checks can read what only the parent's checks may read.
func TestRestrictPolicy_ParentLimitsItsFolder_ChildIsNoWayOut(t *testing.T) {
	parent := policy.Policy{
		Risk:       policy.WriteLocal,
		Dir:        "/parent",
		Work:       []string{"src/"},
		CheckDir:   "/parent/tests",
		AllowWrite: []string{"/granted"},
	}
	for _, c := range []struct {
		child tools.Child
		dir   string
		risk  policy.Risk
	}{
		{tools.Child{}, "/own", policy.WriteLocal},
		{tools.Child{ReadOnly: true}, "/parent", policy.ReadOnly},
	} {
		p := policy.Policy{Dir: c.dir}
		if err := restrictPolicy(&p, parent, c.child); err != nil {
			t.Fatal(err)
		}
		if p.Dir != c.dir || p.Risk != c.risk || len(p.Work)+len(p.AllowWrite) > 0 || p.CheckDir != "" ||
			!slices.Equal(p.Hidden, []string{"/parent/tests"}) {
			t.Errorf("%+v: %+v", c.child, p)
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%+v: %v", c.child, err)
		}
	}
}
