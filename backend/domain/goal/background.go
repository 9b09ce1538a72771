package goal

// Background is what the journal says about a goal besides the work: critic, judges and reviewer see it.
type Background struct {
	Words  []UserWord // oldest first
	Plan   []Todo
	Notes  []Note      // of the agent
	Claims []PastClaim // oldest first
}

// UserWord is what the user said to the agent: a note, an answer to its question, or the answer to an approval.
type UserWord struct {
	Question   string // of the agent or the host; "" if the user was not asked
	Text       string
	IsApproval bool // the answer to an approval
}

// PastClaim is a claim with the host's answer.
type PastClaim struct {
	N         int
	By        string // user; "" is the agent
	Rationale string
	Answer    string // why it failed; "" if it did not
}

// Before returns the background without the claims from the nth on.
func (b Background) Before(n int) Background {
	for i, c := range b.Claims {
		if c.N >= n {
			b.Claims = b.Claims[:i]
			break
		}
	}
	return b
}
