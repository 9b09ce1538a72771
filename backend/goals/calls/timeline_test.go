package calls

import (
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

func TestTimeline_ClaimWithoutVerdicts_SaysWhy(t *testing.T) {
	t.Parallel()
	earlier := store.Claim{N: 1}
	newest := store.Claim{N: 2}
	for _, c := range []struct {
		name   string
		facts  goalFacts
		status goal.Status
		want   string
	}{
		{"a user decides", goalFacts{waits: true}, goal.Paused, "verify:waits"},
		{"the checks are under way", goalFacts{}, goal.Running, "verify:running"},
		{"it was interrupted", goalFacts{}, goal.Aborted, "verify:fail"},
	} {
		c.facts.claims = []store.Claim{earlier, newest}
		list := buildTimeline(c.facts, c.status)
		if list[0].What != "verify:fail" || list[1].What != c.want {
			t.Errorf("%s: %s, %s", c.name, list[0].What, list[1].What)
		}
	}
}
