package verify

import "goalpost/backend/goal"

// byCritic is what goal.Claim.By says of a claim that the critic made.
const byCritic = "critic"

// manual takes the agent's word, or the user's where the check waits for it.
func manual(claim goal.Claim) attempt {
	said := claim.Accepted
	switch {
	case said == nil && claim.By == byCritic: // the word of a model that was not asked for it
		return verdict(goal.Fail, "the agent has not claimed it; the critic's word does not count here")
	case said == nil:
		return verdict(goal.Pass, "the agent's word is taken; the host did not verify it")
	case *said:
		return verdict(goal.Pass, withNote("the user accepted it", claim.Note))
	}
	return verdict(goal.Fail, withNote("the user sent it back", claim.Note))
}

func withNote(s, note string) string {
	if note == "" {
		return s
	}
	return s + ": " + note
}
