package runner

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"goalpost/backend/goal"
)

// claim is what is verified in this iteration.
type claim struct {
	rationale, result string
	by                string // critic, person; "" is the agent
	of                string // by the person: whose claim it was
	accepted          *bool  // the person's word
	note              string
}

// claims is what became of a goal's claims so far.
type claims struct {
	made     int           // over the goal's life
	failed   map[int]int   // failed claims in a row, by check
	errors   map[int]fault // claims in a row with the same error, by check
	last     []goal.Verdict
	ran      int       // the claim that last is of
	idle     bool      // nothing done since the last failed claim
	at       time.Time // when the checks ran last
	accepted *claim    // the one that was verified
	review   *goal.Review
	told     map[string]bool // reminders before a verification, once each
}

// varying is what differs from one time to the next in errors that are the same:
// ports, times, ids of requests.
var varying = regexp.MustCompile(`\b(0x)?[0-9a-f]*[0-9][0-9a-f]*\b|\b[A-Za-z]+[-_]?[A-Za-z0-9]*[0-9][A-Za-z0-9]{5,}\b`)

type fault struct {
	detail string
	times  int
}

func newClaims(made int) claims {
	return claims{made: made, failed: map[int]int{}, errors: map[int]fault{}, told: map[string]bool{}}
}

// restore counts again what failed since the person last looked at the goal.
// The criterion has so many checks.
func (c *claims) restore(past goal.RunHistory, checks int) {
	for _, p := range past.Claims {
		c.last = p.Verdicts
		if p.Review != nil && !p.Review.Confirmed {
			c.last = append(slices.Clone(c.last), rejection(checks, *p.Review))
		}
		if p.By == "" {
			c.count(c.last)
		}
	}
}

// rejection is the review as one more check after those of the criterion.
func rejection(checks int, rv goal.Review) goal.Verdict {
	v := goal.Verdict{Check: checks, Name: "review", Outcome: goal.Fail, Detail: "the reviewer rejected it: " + rv.Reason}
	if rv.Error {
		v.Outcome, v.Detail = goal.CheckErr, "the reviewer could not decide: "+rv.Reason
	}
	return v
}

// count takes the verdicts of one claim of the agent.
func (c *claims) count(verdicts []goal.Verdict) {
	for _, v := range verdicts {
		if v.Outcome == goal.Pass {
			c.failed[v.Check] = 0
		} else {
			c.failed[v.Check]++
		}
		f := c.errors[v.Check]
		switch {
		case v.Outcome != goal.CheckErr:
			f = fault{}
		case varying.ReplaceAllString(v.Detail, "") == varying.ReplaceAllString(f.detail, ""):
			f.times, f.detail = f.times+1, v.Detail
		default:
			f = fault{v.Detail, 1}
		}
		c.errors[v.Check] = f
	}
}

// stop says whether claims failed too often. most is the limit of claims per
// gate; 0 is none.
func (c *claims) stop(most int) *Stop {
	const sameErrors = 3
	for _, v := range c.last {
		if f := c.errors[v.Check]; f.times >= sameErrors {
			return &Stop{Exit: goal.NeedsUser, Reason: fmt.Sprintf("%d claims in a row could not be decided: check %d (%s): %s", f.times, v.Check+1, v.Name, f.detail)}
		}
	}
	for _, v := range c.last {
		if n := c.failed[v.Check]; most > 0 && n >= most {
			return &Stop{Exit: goal.Stuck, Reason: fmt.Sprintf("%d claims in a row failed on the same check: %s", n, v.Name)}
		}
	}
	return nil
}

// decided says whether the host, and not only the person's or the agent's word,
// verified what passed.
func (c *claims) decided() bool {
	for _, v := range c.last {
		if v.Outcome == goal.Pass && v.Type != goal.Manual {
			return true
		}
	}
	return false
}

// rejected says whether the reviewer was asked last and did not confirm.
func (c *claims) rejected() bool { return c.review != nil && !c.review.Confirmed }

// judged says whether a model decided what passed, and no program.
func (c *claims) judged() bool {
	judged := false
	for _, v := range c.last {
		if v.Outcome != goal.Pass {
			continue
		}
		if v.Type.IsGate() {
			return false
		}
		judged = judged || v.Type != goal.Manual
	}
	return judged
}

// failing names the checks that failed at the last claim.
func (c *claims) failing() string {
	s := ""
	for _, v := range c.last {
		if v.Outcome != goal.Pass {
			s += fmt.Sprintf("%d:%s;", v.Check, v.Outcome)
		}
	}
	return s
}
