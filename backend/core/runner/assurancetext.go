package runner

import (
	"fmt"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// assuranceText says in words what the verdicts prove, and names the checks that prove less than others could, with the
// reason. It is empty if nothing passed.
func assuranceText(c goal.Criterion, verdicts []goal.Verdict) string {
	proof := c.ProofOf(verdicts)
	if proof.Assurance == "" {
		return ""
	}
	var weak []string
	changed := 0
	for _, v := range verdicts {
		changed += len(v.Changes)
		if v.Outcome == goal.Pass && v.AssuranceReason != "" {
			weak = append(weak, fmt.Sprintf("%s (%s)", text.Truncate(v.Name, 60), text.Truncate(v.AssuranceReason, 200)))
		}
	}
	s := " " + proof.Describe("")
	if len(weak) > 0 {
		s += ": " + strings.Join(weak[:min(3, len(weak))], "; ")
	}
	if changed > 0 {
		s += fmt.Sprintf("; the checks used %s", goal.FormatCount(changed, "new or changed file"))
	}
	return s + "."
}

// assuranceShortfall returns why verified checks prove less than the goal requires, "" if they prove enough.
func assuranceShortfall(c goal.Criterion, verdicts []goal.Verdict) string {
	if level := c.ProofOf(verdicts).Assurance; !level.AtLeast(c.Require) {
		return fmt.Sprintf("the checks passed, but the goal requires the assurance %s, and they are %s.%s", c.Require, level,
			assuranceText(c, verdicts))
	}
	return ""
}
