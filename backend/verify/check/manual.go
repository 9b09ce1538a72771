package check

import "goalpost/backend/goal"

// byCritic is what goal.Claim.By says of a claim that the critic made.
const byCritic = "critic"

// manualAttempt takes the agent's word, or the user's where the check waits for it.
func manualAttempt(claim goal.Claim) Result {
	said := claim.Accepted
	switch {
	case said == nil && claim.By == byCritic: // the word of a model that was not asked for it
		return NewResult(goal.Fail, "the agent has not claimed it; the critic's word does not count here")
	case said == nil:
		return NewResult(goal.Pass, "the agent's word is taken; the host did not verify it")
	case *said:
		return NewResult(goal.Pass, withNote("the user accepted it", claim.Note))
	}
	return NewResult(goal.Fail, withNote("the user sent it back", claim.Note))
}

func withNote(s, note string) string {
	if note == "" {
		return s
	}
	return s + ": " + note
}
