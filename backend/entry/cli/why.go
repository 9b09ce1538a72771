package cli

import (
	"fmt"
	"strings"

	"goalpost/backend/core/verify/why"
	"goalpost/backend/goals/calls"
)

// whyFlag describes --why of the commands that have it.
const whyFlag = "only why each check passed: what that rests on, and what to look at"

// formatWhy says of each check what its pass rests on, and what to look at.
func formatWhy(v calls.GoalView) string {
	var b strings.Builder
	for i, c := range v.CheckStates {
		fmt.Fprintf(&b, "check %d  %s: ", i+1, oneLine(c.Name))
		if c.Why == nil {
			fmt.Fprintf(&b, "%s\n", oneLine(strings.TrimSpace(string(c.Outcome)+" "+c.Detail)))
			continue
		}
		fmt.Fprintf(&b, "%s, %s\n", oneLine(c.AssuranceWords), oneLine(c.Detail))
		writeFacts(&b, "rests on", c.Why.Rests)
		writeFacts(&b, "look at", c.Why.Look)
	}
	if v.ReopenNote != "" {
		fmt.Fprintf(&b, "You decide: goalctl accept %s, or goalctl reopen %[1]s --note %q\n", v.ID, oneLine(v.ReopenNote))
	}
	return b.String()
}

func writeFacts(b *strings.Builder, label string, facts []why.Sentence) {
	for _, s := range facts {
		fmt.Fprintf(b, "  %-8s  %s\n", label, singleLine(s.String()))
	}
}
