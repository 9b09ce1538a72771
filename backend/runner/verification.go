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

// verification decides claims.
type verification struct {
	run *Run

	claims claimHistory
}

// reclaimCooldown is how long after a failed claim time itself counts as something
// done: a server may have come up, a build may have ended.
const reclaimCooldown = 60 * time.Second

// verifyClaim verifies the claim of this iteration, if there is one. A pass
// stops the run as done; a failure enters the conversation and the loop continues.
func (ver *verification) verifyClaim(ctx context.Context) *Stop {
	if ver.run.control.claim == nil {
		return stopCause(ctx)
	}
	c := *ver.run.control.claim
	ver.run.control.claim = nil
	if held := ver.verificationReminder(c); held != "" {
		return ver.run.messages.addUserMessage(ctx, held)
	}
	ver.claims.made++
	if stop := ver.run.journal_.journal(ctx, &event.Claim{N: ver.claims.made, Rationale: c.rationale, Result: c.result, By: c.by}); stop != nil {
		return stop
	}
	if c.by == "" && ver.claims.idle && ver.run.cfg.Clock.Now().Sub(ver.claims.at) < reclaimCooldown {
		return ver.reportFailedClaim(ctx, c, "nothing was done since the last failed claim, so the checks were not run again. "+failureDetail(ver.claims.ran, ver.claims.last))
	}
	if c.accepted != nil && !*c.accepted {
		return ver.reportFailedClaim(ctx, c, "the user looked at the result and sent it back: "+c.note)
	}
	found, stop := ver.runCriterion(ctx, c)
	if stop != nil {
		return stop
	}
	switch found {
	case goal.Verified:
		return ver.reviewAndFinish(ctx, c)
	case goal.Waiting:
		return ver.waitForManualCheck(ctx, c)
	case goal.NotVerified:
	}
	return ver.reportFailedClaim(ctx, c, failureDetail(ver.claims.made, ver.claims.last))
}

// How the reminders of verificationReminder begin.
const (
	todosPrefix      = "Before the host verifies: "
	reviewWorkPrefix = "Before the host asks a judge or the user: "
)

// verificationReminder is what the agent is told, once each, instead of a verification that
// would come too early. A claim after which no turn is left is verified as it is.
func (ver *verification) verificationReminder(c pendingClaim) string {
	if c.by != "" || ver.run.budget.exhaustedLimit() != "" {
		return ""
	}
	if open := ver.run.plan.openTodos(); open != "" && !ver.claims.reminded["todos"] {
		ver.claims.reminded["todos"] = true
		return todosPrefix + "these todos of your plan are open.\n" + open + "\nDo them, or complete or rewrite the plan, and claim again."
	}
	if ver.run.movement.progress.HasUnreadChange() && !ver.run.goal.Criterion.HasDeterministicCheck() && !ver.claims.reminded["look"] {
		ver.claims.reminded["look"] = true
		return reviewWorkPrefix + "you changed something and did not look at the result. Look at it, and claim again."
	}
	return ""
}

// runCriterion runs the criterion. What was spent on judges counts.
func (ver *verification) runCriterion(ctx context.Context, c pendingClaim) (goal.VerificationResult, *Stop) {
	ver.claims.last = nil
	asked := goal.Claim{N: ver.claims.made, By: c.by, Rationale: c.rationale, Result: c.result, Accepted: c.accepted, Note: c.note, Steps: ver.run.steps.stepsForJudge()}
	found, err := ver.run.session.Judge().Criterion(ctx, ver.run.goal, asked, func(v goal.Verdict) error {
		ver.claims.last = append(ver.claims.last, v)
		if stop := ver.run.journal_.journal(ctx, &event.Verdict{Claim: ver.claims.made, Verdict: v}); stop != nil {
			return stop
		}
		if stop := ver.run.budget.recordUsage(ctx, v.Usage, "judge"); stop != nil {
			return stop
		}
		return nil
	})
	if err != nil {
		return "", ver.run.stopForError(ctx, fmt.Sprintf("verifying claim %d", ver.claims.made), err)
	}
	ver.claims.at, ver.claims.ran = ver.run.cfg.Clock.Now(), ver.claims.made
	for _, v := range ver.claims.last {
		if v.Outcome == goal.Tampered {
			return "", ver.run.integrity.tampered(ctx, v.Tail)
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
func (ver *verification) waitForManualCheck(ctx context.Context, c pendingClaim) *Stop {
	if stop := ver.review(ctx, c); stop != nil || ver.claims.reviewRejected() {
		return stop
	}
	passed := "everything else passed"
	if ver.run.goal.Criterion.Any && len(ver.claims.last) > 0 {
		passed = "no other check passed, and one is enough"
	}
	return &Stop{Exit: goal.NeedsUser, Reason: passed + "; it waits for the user to accept the result or send it back"}
}

// reviewAndFinish asks the cold reviewer, if the goal has one, and stops as done.
func (ver *verification) reviewAndFinish(ctx context.Context, c pendingClaim) *Stop {
	if c.accepted != nil && (ver.claims.review != nil || !ver.run.goal.NeedsReview()) { // else an older program let it wait unreviewed
		if stop := ver.journalReview(ctx); stop != nil { // of the work that the user was shown
			return stop
		}
	} else if stop := ver.review(ctx, c); stop != nil || ver.claims.reviewRejected() {
		return stop
	}
	ver.claims.accepted = &c
	return &Stop{Exit: goal.Done, Reason: "the claim was verified"}
}

// review asks the cold reviewer about a claim that passed, if the goal has one.
func (ver *verification) review(ctx context.Context, c pendingClaim) *Stop {
	if !ver.run.goal.NeedsReview() {
		return nil
	}
	asked := goal.Claim{N: ver.claims.made, By: c.by, Rationale: c.rationale, Result: c.result, Steps: ver.run.steps.stepsForJudge()}
	rv, err := ver.run.session.Judge().Review(ctx, ver.run.goal, asked, ver.claims.last)
	if err != nil {
		return ver.run.stopForError(ctx, fmt.Sprintf("reviewing claim %d", ver.claims.made), err)
	}
	ver.claims.review = &rv
	if stop := firstStop(ver.journalReview(ctx), ver.run.budget.recordUsage(ctx, rv.Usage, "reviewer")); stop != nil || rv.Confirmed {
		return stop
	}
	return ver.notConfirmed(ctx, c, rv)
}

func (ver *verification) journalReview(ctx context.Context) *Stop {
	if ver.claims.review == nil {
		return nil
	}
	return ver.run.journal_.journal(ctx, &event.Review{Claim: ver.claims.made, Review: *ver.claims.review})
}

// notConfirmed is a failed claim on the review, which counts as one more check
// after those of the criterion.
func (ver *verification) notConfirmed(ctx context.Context, c pendingClaim, rv goal.Review) *Stop {
	ver.claims.last = append(ver.claims.last, reviewRejection(len(ver.run.goal.Criterion.Checks), rv))
	return ver.reportFailedClaim(ctx, c, failureDetail(ver.claims.made, ver.claims.last))
}

// newPlanRequest ends what the host says about work that did not do.
const newPlanRequest = " Revise your plan with write_todos."

// reportFailedClaim tells the agent why, and stops when too many failed alike.
func (ver *verification) reportFailedClaim(ctx context.Context, c pendingClaim, why string) *Stop {
	ver.claims.idle = true
	text := conversation.FailurePrefix + why + "\n\nKeep working: find out why, repair it, and claim again; or call abort_with_report if it cannot be done."
	if c.by == "critic" {
		text = conversation.FailurePrefix + "the critic took the goal for achieved, so the host verified. " + why + "\n\nKeep working."
	}
	if len(ver.run.plan.todos) > 0 {
		text += newPlanRequest
	}
	if stop := ver.run.messages.addUserMessage(ctx, text, &event.VerificationFailed{Claim: ver.claims.made, Detail: why}); stop != nil {
		return stop
	}
	if c.by != "" { // only what the agent claims counts against it
		ver.claims.idle = false
		return nil
	}
	ver.claims.record(ver.claims.last)
	return ver.claims.stopReason(ver.run.goal.Limits.ClaimsPerCheck)
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
