package verify

import "goalpost/backend/goal"

// manual takes the agent's word, or the person's where the check waits for it.
func (e *hearing) manual() ruling {
	said := e.claim.Accepted
	switch {
	case said == nil:
		return rule(goal.Pass, "the agent's word is taken; the host did not verify it")
	case *said:
		return rule(goal.Pass, withNote("the person accepted it", e.claim.Note))
	}
	return rule(goal.Fail, withNote("the person sent it back", e.claim.Note))
}

func withNote(s, note string) string {
	if note == "" {
		return s
	}
	return s + ": " + note
}
