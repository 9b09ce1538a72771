package runner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// settling is how long after a failed claim time itself counts as something
// done: a server may have come up, a build may have ended.
const settling = 60 * time.Second

// settleClaim verifies the claim of this iteration, if there is one. A pass
// stops the run as done; a failure enters the conversation and the loop goes on.
func (r *Run) settleClaim(ctx context.Context) *Stop {
	if r.claim == nil {
		return stopOf(ctx)
	}
	c := *r.claim
	r.claim = nil
	r.claims++
	if stop := r.append(ctx, &event.Claim{N: r.claims, Rationale: c.rationale, Result: c.result}); stop != nil {
		return stop
	}
	if r.idle && r.cfg.Clock.Now().Sub(r.failedAt) < settling {
		return r.failedClaim(ctx, "nothing was done since the last failed claim, so the checks were not run again. "+detail(r.last))
	}
	passed, err := r.verify(ctx)
	if err != nil {
		return r.fault(ctx, "verifying", err)
	}
	r.failedAt = r.cfg.Clock.Now()
	if stop := stopOf(ctx); stop != nil && !passed {
		return stop
	}
	if passed {
		r.rationale = c.rationale
		return &Stop{goal.Done, "the claim was verified"}
	}
	return r.failedClaim(ctx, detail(r.last))
}

func (r *Run) verify(ctx context.Context) (bool, error) {
	r.last = r.last[:0]
	found, err := r.room.Judge().Criterion(ctx, r.goal, goal.Claim{N: r.claims}, func(v goal.Verdict) error {
		r.last = append(r.last, v)
		if stop := r.append(ctx, &event.Verdict{Claim: r.claims, Verdict: v}); stop != nil {
			return stop
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("claim %d: %w", r.claims, err)
	}
	return found == goal.Verified, nil
}

// failedClaim tells the agent why, and counts per check: too many in a row on
// the same one are stuck.
func (r *Run) failedClaim(ctx context.Context, why string) *Stop {
	r.idle = true
	stop := r.say(ctx, "Verification failed: "+why+"\n\nKeep working: find out why, repair it, and claim again; or call abort_with_report if it cannot be done.",
		&event.VerificationFailed{Claim: r.claims, Detail: why})
	if stop != nil {
		return stop
	}
	for _, v := range r.last {
		if v.Outcome == goal.Pass {
			r.failed[v.Check] = 0
			continue
		}
		r.failed[v.Check]++
		if most := r.goal.Limits.ClaimsPerGate; most > 0 && r.failed[v.Check] >= most {
			return &Stop{goal.Stuck, fmt.Sprintf("%d claims in a row failed on the same check: %s", most, v.Name)}
		}
	}
	return nil
}

// detail says of every check that did not pass what it said.
func detail(verdicts []goal.Verdict) string {
	var parts []string
	for _, v := range verdicts {
		if v.Outcome == goal.Pass {
			continue
		}
		part := fmt.Sprintf("check %d (%s): %s", v.Check+1, v.Name, v.Detail)
		if v.Tail != "" {
			part += "\nOutput tail:\n" + v.Tail
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n\n")
}
