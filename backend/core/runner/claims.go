package runner

import (
	"fmt"
	"slices"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// pendingClaim is a claim that is verified in this iteration.
type pendingClaim struct {
	rationale, result string
	by                string // "user" for the user, "" for the agent
	accepted          *bool  // the user's answer, nil before it
	note              string
	unjudged          []int // the checks that the answer is about because no judge decided them
	openTodos         int   // in the agent's plan when it claimed
}

// claimHistory records the results of a goal's claims.
type claimHistory struct {
	total     int                // over the goal's life
	failed    map[int]int        // failed claims in a row, by check
	errors    map[int]failureKey // claims in a row with the same error, by check
	last      []goal.Verdict
	rationale string        // of the claim that last belongs to
	ran       int           // the number of the claim that last belongs to
	idle      bool          // no action since the last failed claim
	at        time.Time     // when the checks ran last
	accepted  *pendingClaim // the one that was verified
	waiting   *pendingClaim // the one that waits for the user's decision
	review    *goal.Review
	// lookReminded says that the agent was once told to look at its work before a claim.
	lookReminded bool
}

// volatileText matches the parts of an error that differ between occurrences: ports, times, ids of requests.
var volatileText = text.NewPattern(
	`\b(0x)?[0-9a-f]*[0-9][0-9a-f]*\b|\b[A-Za-z]+[-_]?[A-Za-z0-9]*[0-9][A-Za-z0-9]{5,}\b`)

type failureKey struct {
	detail string
	times  int
}

func newClaims(total int) *claimHistory {
	return &claimHistory{
		total: total, failed: map[int]int{}, errors: map[int]failureKey{},
	}
}

// restore counts the failures since the user last saw the goal. checks is the number of checks in the criterion.
func (c *claimHistory) restore(past goal.RunHistory, checks int) {
	for _, p := range past.Claims {
		c.last = p.Verdicts
		if p.Review != nil && !p.Review.Confirmed && !p.Review.Error {
			c.last = append(slices.Clone(c.last), reviewRejection(checks, *p.Review))
		}
		if p.By == "" {
			c.record(c.last)
		}
	}
}

// reviewRejection returns the review as one more check after those of the criterion.
func reviewRejection(checks int, rv goal.Review) goal.Verdict {
	return goal.Verdict{
		Check: checks, Name: "review", Outcome: goal.Fail, Detail: "the reviewer rejected it: " + rv.Reason,
	}
}

// judgeFailure returns why no judge decided the last claim, "" if one did.
func (c *claimHistory) judgeFailure() string {
	for _, v := range c.last {
		if v.JudgeFailed {
			return v.Detail
		}
	}
	return ""
}

// record stores the verdicts of one claim of the agent.
func (c *claimHistory) record(verdicts []goal.Verdict) {
	for _, v := range verdicts {
		if v.JudgeFailed { // not the agent's
			continue
		}
		if v.Outcome == goal.Pass {
			c.failed[v.Check] = 0
		} else {
			c.failed[v.Check]++
		}
		f := c.errors[v.Check]
		switch {
		case v.Outcome != goal.CheckErr:
			f = failureKey{}
		case volatileText.ReplaceAllString(v.Detail, "") == volatileText.ReplaceAllString(f.detail, ""):
			f.times, f.detail = f.times+1, v.Detail
		default:
			f = failureKey{v.Detail, 1}
		}
		c.errors[v.Check] = f
	}
}

// stopReason returns the stop after too many failed claims, nil if there were fewer. limit is the number of failed
// claims per check; 0 means no limit.
func (c *claimHistory) stopReason(limit int) *Stop {
	const sameErrors = 3
	for _, v := range c.last {
		if f := c.errors[v.Check]; f.times >= sameErrors {
			return &Stop{
				Exit: goal.NeedsUser,
				Reason: fmt.Sprintf("%d claims in a row could not be decided: check %d (%s): %s", f.times, v.Check+1, v.Name,
					f.detail),
			}
		}
	}
	for _, v := range c.last {
		if n := c.failed[v.Check]; limit > 0 && n >= limit {
			return &Stop{Exit: goal.Stuck, Reason: fmt.Sprintf("%d claims in a row failed on the same check: %s", n, v.Name)}
		}
	}
	return nil
}

// failedInARow returns how many claims in a row failed on the check that failed most often.
func (c *claimHistory) failedInARow() int {
	highest := 0
	for _, n := range c.failed {
		highest = max(highest, n)
	}
	return highest
}

// result returns what the agent handed over with the claim that was verified or waits for the user.
func (c *claimHistory) result() string {
	for _, claim := range []*pendingClaim{c.accepted, c.waiting} {
		if claim != nil {
			return claim.result
		}
	}
	return ""
}

// isVerifiedByHost reports whether the host verified what passed, instead of the user or the agent alone.
func (c *claimHistory) isVerifiedByHost() bool {
	return slices.ContainsFunc(c.last, func(v goal.Verdict) bool {
		return v.Outcome == goal.Pass && v.Type != goal.Manual
	})
}

// isReviewRejected reports whether the reviewer decided last and did not confirm.
func (c *claimHistory) isReviewRejected() bool { return c.review != nil && !c.review.Confirmed }

// isJudgedByModel reports whether a model made the decision: no command or predicate passed, and the other checks that
// passed only tested that a file exists or a server answers.
func (c *claimHistory) isJudgedByModel() bool {
	judged := false
	for _, v := range c.last {
		if v.Outcome != goal.Pass {
			continue
		}
		if v.Type == goal.Shell || v.Type == goal.JSONPredicate && v.Assurance != goal.Claimed {
			return false
		}
		judged = judged || v.Type == goal.Visual || v.Type == goal.ModelQuestion
	}
	return judged
}

// hasProgramPassed reports whether a check that a program decides passed.
func (c *claimHistory) hasProgramPassed() bool {
	return slices.ContainsFunc(c.last, func(v goal.Verdict) bool {
		return v.Outcome == goal.Pass && v.Type.IsDeterministic()
	})
}

// failingChecks names the checks that failed at the last claim.
func (c *claimHistory) failingChecks() string {
	s := ""
	for _, v := range c.last {
		if v.Outcome != goal.Pass {
			s += fmt.Sprintf("%d:%s;", v.Check, v.Outcome)
		}
	}
	return s
}
