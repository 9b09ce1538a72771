package tools

import (
	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

// CheckEffect is the effect of checks that an agent wrote. The host runs their commands, and tries them before the
// start, so rules that always ask apply to them. The folder in which they run is not known yet.
func CheckEffect(checks []goal.Check) policy.Effect {
	e := policy.Effect{Risk: policy.ReadOnly}
	for _, c := range checks {
		line := readLine("", c.Command)
		e.Commands, e.Deletes = append(e.Commands, line.commands...), append(e.Deletes, line.deletes...)
		if e.Unparsed == "" {
			e.Unparsed = line.lost
		}
	}
	return e
}
