package runner

import (
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

func TestAssuranceShortfall_WeakerThanRequired_NamesTheCheck(t *testing.T) {
	c := goal.Criterion{
		Checks:  []goal.Check{{Type: goal.File, Path: "out.txt"}, {Type: goal.Shell, Command: "pytest"}},
		Require: goal.Strong,
	}
	verdicts := []goal.Verdict{
		{Check: 0, Name: "out.txt", Outcome: goal.Pass, Proof: goal.Proof{Assurance: goal.Strong}},
		{
			Check: 1, Name: "pytest", Outcome: goal.Pass,
			Proof:   goal.Proof{Assurance: goal.Weakened, AssuranceReason: "calc.py ran inside it"},
			Changes: []goal.FileChange{{Path: "calc.py", Role: goal.RoleCode, Change: "changed"}},
		},
	}
	why := assuranceShortfall(c, verdicts)
	for _, part := range []string{
		"requires the assurance strong, and they are weakened", "Passed, look at this: pytest (calc.py ran inside it)",
		"1 new or changed file",
	} {
		if !strings.Contains(why, part) {
			t.Errorf("%q is not in %q", part, why)
		}
	}
	if strings.Contains(why, "out.txt") {
		t.Errorf("a strong check is named: %q", why)
	}
	c.Require = goal.Weakened
	if why := assuranceShortfall(c, verdicts); why != "" {
		t.Errorf("weakened is enough, but: %q", why)
	}
}
