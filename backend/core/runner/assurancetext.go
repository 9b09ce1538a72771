package runner

import (
	"fmt"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// assuranceText describes how much the verdicts prove, and names the checks that prove less than a strong one, with
// the reason. It is empty if nothing passed.
func assuranceText(c goal.Criterion, verdicts []goal.Verdict) string {
	level := c.AssuranceOf(verdicts)
	if level == "" {
		return ""
	}
	var weak []string
	changed := 0
	for _, v := range verdicts {
		changed += len(v.Changes)
		if v.Outcome != goal.Pass || v.Assurance == goal.Strong {
			continue
		}
		reason := string(v.Assurance)
		if v.AssuranceReason != "" {
			reason += ": " + v.AssuranceReason
		}
		weak = append(weak, fmt.Sprintf("%s (%s)", text.Truncate(v.Name, 60), text.Truncate(reason, 200)))
	}
	s := fmt.Sprintf(" Assurance: %s", level)
	if len(weak) > 0 {
		s += "; " + strings.Join(weak[:min(3, len(weak))], "; ")
	}
	if changed > 0 {
		s += fmt.Sprintf("; the checks used %s", goal.FormatCount(changed, "new or changed file"))
	}
	return s + "."
}

// assuranceShortfall returns why verified checks prove less than the goal requires, "" if they prove enough.
func assuranceShortfall(c goal.Criterion, verdicts []goal.Verdict) string {
	if level := c.AssuranceOf(verdicts); !level.AtLeast(c.Require) {
		return fmt.Sprintf("the checks passed, but the goal requires the assurance %s.%s", c.Require,
			assuranceText(c, verdicts))
	}
	return ""
}
