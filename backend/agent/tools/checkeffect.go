package tools

import (
	"goalpost/backend/agent/tools/commandline"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// CheckEffect returns the effect of checks that an agent wrote. The host runs their commands, and tries them before the
// start, so the rules that always ask apply. The folder in which they run is not known yet.
func CheckEffect(checks []goal.Check) policy.Effect {
	e := policy.Effect{Risk: policy.ReadOnly}
	for _, c := range checks {
		line := commandline.Analyze("", c.Command).Effect(c.Command, e.Risk)
		e.Commands, e.Deletes = append(e.Commands, line.Commands...), append(e.Deletes, line.Deletes...)
		if e.Unparsed == "" {
			e.Unparsed = line.Unparsed
		}
	}
	return e
}
