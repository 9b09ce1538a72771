package runner

import (
	"context"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/process"
	"goalpost/backend/runner/conversation"
)

// reclaimCooldown is how long after a failed claim time itself counts as something
// done: a server may have come up, a build may have ended.
const reclaimCooldown = 60 * time.Second

// verifyClaim verifies the claim of this iteration, if there is one. A pass
// stops the run as done; a failure enters the conversation and the loop continues.
func (r *Run) verifyClaim(ctx context.Context) *Stop {
	if r.claim == nil {
		return stopCause(ctx)
	}
	c := *r.claim
	r.claim = nil
	if held := r.verificationReminder(c); held != "" {
		return r.addUserMessage(ctx, held)
	}
	r.claims.made++
	if stop := r.journal(ctx, &event.Claim{N: r.claims.made, Rationale: c.rationale, Result: c.result, By: c.by}); stop != nil {
		return stop
	}
	if c.by == "" && r.claims.idle && r.cfg.Clock.Now().Sub(r.claims.at) < reclaimCooldown {
		return r.reportFailedClaim(ctx, c, "nothing was done since the last failed claim, so the checks were not run again. "+failureDetail(r.claims.ran, r.claims.last))
	}
	if c.accepted != nil && !*c.accepted {
		return r.reportFailedClaim(ctx, c, "the user looked at the result and sent it back: "+c.note)
	}
	found, stop := r.runCriterion(ctx, c)
	if stop != nil {
		return stop
	}
	switch found {
	case goal.Verified:
		return r.reviewAndFinish(ctx, c)
	case goal.Waiting:
		return r.waitForManualCheck(ctx, c)
	case goal.NotVerified:
	}
	return r.reportFailedClaim(ctx, c, failureDetail(r.claims.made, r.claims.last))
}

// How the reminders of verificationReminder begin.
const (
	todosPrefix      = "Before the host verifies: "
	reviewWorkPrefix = "Before the host asks a judge or the user: "
)

// verificationReminder is what the agent is told, once each, instead of a verification that
// would come too early. A claim after which no turn is left is verified as it is.
func (r *Run) verificationReminder(c pendingClaim) string {
	if c.by != "" || r.exhaustedLimit() != "" {
		return ""
	}
	if open := r.openTodos(); open != "" && !r.claims.reminded["todos"] {
		r.claims.reminded["todos"] = true
		return todosPrefix + "these todos of your plan are open.\n" + open + "\nDo them, or complete or rewrite the plan, and claim again."
	}
	if r.progress.HasUnreadChange() && !r.goal.Criterion.HasDeterministicCheck() && !r.claims.reminded["look"] {
		r.claims.reminded["look"] = true
		return reviewWorkPrefix + "you changed something and did not look at the result. Look at it, and claim again."
	}
	return ""
}

// runCriterion runs the criterion. What was spent on judges counts.
func (r *Run) runCriterion(ctx context.Context, c pendingClaim) (goal.VerificationResult, *Stop) {
	r.claims.last = nil
	asked := goal.Claim{N: r.claims.made, By: c.by, Rationale: c.rationale, Result: c.result, Accepted: c.accepted, Note: c.note, Steps: r.stepsForJudge()}
	found, err := r.session.Judge().Criterion(ctx, r.goal, asked, func(v goal.Verdict) error {
		r.claims.last = append(r.claims.last, v)
		if stop := r.journal(ctx, &event.Verdict{Claim: r.claims.made, Verdict: v}); stop != nil {
			return stop
		}
		if stop := r.recordUsage(ctx, v.Usage, "judge"); stop != nil {
			return stop
		}
		return nil
	})
	if err != nil {
		return "", r.stopForError(ctx, fmt.Sprintf("verifying claim %d", r.claims.made), err)
	}
	r.claims.at, r.claims.ran = r.cfg.Clock.Now(), r.claims.made
	for _, v := range r.claims.last {
		if v.Outcome == goal.Tampered {
			return "", r.tampered(ctx, v.Tail)
		}
	}
	if found != goal.Verified { // a pass counts, even if the time ran out with it
		if stop := stopCause(ctx); stop != nil {
			return "", stop
		}
	}
	return found, nil
}

// waitForManualCheck pauses the run for the user's word about a claim that is decided but for
// that. The reviewer is asked before: the user's word is the last one.
func (r *Run) waitForManualCheck(ctx context.Context, c pendingClaim) *Stop {
	if stop := r.review(ctx, c); stop != nil || r.claims.reviewRejected() {
		return stop
	}
	passed := "everything else passed"
	if r.goal.Criterion.Any && len(r.claims.last) > 0 {
		passed = "no other check passed, and one is enough"
	}
	return &Stop{Exit: goal.NeedsUser, Reason: passed + "; it waits for the user to accept the result or send it back"}
}

// reviewAndFinish asks the cold reviewer, if the goal has one, and stops as done.
func (r *Run) reviewAndFinish(ctx context.Context, c pendingClaim) *Stop {
	if c.accepted != nil && (r.claims.review != nil || !r.goal.NeedsReview()) { // else an older program let it wait unreviewed
		if stop := r.journalReview(ctx); stop != nil { // of the work that the user was shown
			return stop
		}
	} else if stop := r.review(ctx, c); stop != nil || r.claims.reviewRejected() {
		return stop
	}
	r.claims.accepted = &c
	return &Stop{Exit: goal.Done, Reason: "the claim was verified"}
}

// review asks the cold reviewer about a claim that passed, if the goal has one.
func (r *Run) review(ctx context.Context, c pendingClaim) *Stop {
	if !r.goal.NeedsReview() {
		return nil
	}
	asked := goal.Claim{N: r.claims.made, By: c.by, Rationale: c.rationale, Result: c.result, Steps: r.stepsForJudge()}
	rv, err := r.session.Judge().Review(ctx, r.goal, asked, r.claims.last)
	if err != nil {
		return r.stopForError(ctx, fmt.Sprintf("reviewing claim %d", r.claims.made), err)
	}
	r.claims.review = &rv
	if stop := firstStop(r.journalReview(ctx), r.recordUsage(ctx, rv.Usage, "reviewer")); stop != nil || rv.Confirmed {
		return stop
	}
	return r.notConfirmed(ctx, c, rv)
}

func (r *Run) journalReview(ctx context.Context) *Stop {
	if r.claims.review == nil {
		return nil
	}
	return r.journal(ctx, &event.Review{Claim: r.claims.made, Review: *r.claims.review})
}

// notConfirmed is a failed claim on the review, which counts as one more check
// after those of the criterion.
func (r *Run) notConfirmed(ctx context.Context, c pendingClaim, rv goal.Review) *Stop {
	r.claims.last = append(r.claims.last, reviewRejection(len(r.goal.Criterion.Checks), rv))
	return r.reportFailedClaim(ctx, c, failureDetail(r.claims.made, r.claims.last))
}

// newPlanRequest ends what the host says about work that did not do.
const newPlanRequest = " Revise your plan with write_todos."

// reportFailedClaim tells the agent why, and stops when too many failed alike.
func (r *Run) reportFailedClaim(ctx context.Context, c pendingClaim, why string) *Stop {
	r.claims.idle = true
	text := conversation.FailurePrefix + why + "\n\nKeep working: find out why, repair it, and claim again; or call abort_with_report if it cannot be done."
	if c.by == "critic" {
		text = conversation.FailurePrefix + "the critic took the goal for achieved, so the host verified. " + why + "\n\nKeep working."
	}
	if len(r.todos) > 0 {
		text += newPlanRequest
	}
	if stop := r.addUserMessage(ctx, text, &event.VerificationFailed{Claim: r.claims.made, Detail: why}); stop != nil {
		return stop
	}
	if c.by != "" { // only what the agent claims counts against it
		r.claims.idle = false
		return nil
	}
	r.claims.record(r.claims.last)
	return r.claims.stopReason(r.goal.Limits.ClaimsPerCheck)
}

// tailSlack is what a tail may be shorter than its output, in bytes, and still be
// all of it: line ends and blanks.
const tailSlack = 80

// failureDetail says of every check that did not pass what it said.
func failureDetail(claim int, verdicts []goal.Verdict) string {
	var parts []string
	for _, v := range verdicts {
		if v.Outcome == goal.Pass {
			continue
		}
		part := fmt.Sprintf("check %d (%s): %s", v.Check+1, v.Name, v.Detail)
		if v.Tail != "" {
			part += "\nOutput tail:\n" + v.Tail
		}
		if v.Bytes > int64(len(v.Tail))+tailSlack {
			part += fmt.Sprintf("\nread_evidence with the handle \"check:%d@%d\" gives %s.", v.Check+1, claim, evidenceBytesKept(v.Bytes))
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "\n\n")
}

// evidenceBytesKept is how much of so many bytes is there as evidence. Two streams of less than
// that are kept whole together.
func evidenceBytesKept(bytes int64) string {
	if bytes > process.CaptureMax {
		return fmt.Sprintf("what was kept of %d bytes: of a stream of more than 1 MiB its beginning and its end", bytes)
	}
	return fmt.Sprintf("all %d bytes", bytes)
}
