package check

import "goalpost/backend/domain/goal"

// decideManually accepts the agent's claim, or uses the user's answer if the check waits for it.
func decideManually(claim goal.Claim) Result {
	answer := claim.Accepted
	switch {
	case answer == nil:
		return NewResult(goal.Pass, "accepted on the agent's word; the host did not verify it")
	case *answer:
		r := NewResult(goal.Pass, withNote("the user accepted it", claim.Note))
		r.Assurance, r.Basis = goal.Claimed, goal.BasisUser
		return r
	}
	return NewResult(goal.Fail, withNote("the user sent it back", claim.Note))
}

func withNote(s, note string) string {
	if note == "" {
		return s
	}
	return s + ": " + note
}
