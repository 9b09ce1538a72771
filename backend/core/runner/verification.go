package runner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"goalpost/backend/core/runner/conversation"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// verification decides the claims of a goal: first the host's criterion, then the reviewer.
type verification struct {
	goal      *goal.Goal
	clock     Clock
	journal   *journalWriter
	messages  *messageLog
	pauser    *pauser
	budget    *budget
	plan      *plan
	recent    *recentSteps
	history   History
	progress  *progressWatch
	integrity *integrity
	requests  *agentRequests
	judge     Verifier
	snapshots SnapshotTaker // nil if no snapshots are taken

	claims *claimHistory
}

// reclaimCooldown is the time after a failed claim until the agent may claim again without an action: a server may
// have started, or a build may have ended.
const reclaimCooldown = 60 * time.Second

// verifyClaim verifies the claim of this iteration, if there is one. A pass stops the run as done; a failure enters
// the conversation and the loop continues.
func (v *verification) verifyClaim(ctx context.Context) *Stop {
	c := v.requests.takeClaim()
	if c == nil {
		return stopCause(ctx)
	}
	return v.decideClaim(ctx, *c)
}

// decideClaim verifies a claim of the agent or the user.
func (v *verification) decideClaim(ctx context.Context, c pendingClaim) (decided *Stop) {
	if v.snapshots != nil { // a check may change the folder, too
		v.snapshots.AwaitSnapshot(ctx)
	}
	if reminder := v.verificationReminder(c); reminder != "" {
		return v.messages.addUserMessage(ctx, reminder)
	}
	v.claims.total++
	c.openTodos = v.plan.countOpen()
	if stop := v.journal.append(ctx, &event.Claim{
		N:         v.claims.total,
		Rationale: c.rationale,
		Result:    c.result,
		By:        c.by,
		OpenTodos: c.openTodos,
	}); stop != nil {
		return stop
	}
	if c.by == "" && v.claims.idle && v.clock.Now().Sub(v.claims.at) < reclaimCooldown {
		return v.reportFailedClaim(ctx, c,
			"nothing was done since the last failed claim, so the checks were not run again. "+
				failureDetail(v.claims.ran, v.goal.LimitVerdicts(v.claims.last)))
	}
	if c.accepted != nil && !*c.accepted {
		return v.reportFailedClaim(ctx, c, "the user looked at the result and sent it back: "+c.note)
	}
	defer func() {
		if decided == nil || decided.Exit != goal.Done {
			v.judge.ResumeAgent()
		}
	}()
	found, stop := v.runCriterion(ctx, c)
	if stop != nil {
		return stop
	}
	switch found {
	case goal.Verified:
		if why := assuranceShortfall(v.goal.Criterion, v.claims.last); why != "" {
			return v.rejectAssurance(ctx, c, why)
		}
		return v.reviewAndFinish(ctx, c)
	case goal.Waiting:
		return v.waitForManualCheck(ctx, c)
	case goal.NotVerified:
	}
	if why := v.claims.judgeFailure(); why != "" {
		return v.waitForUserInstead(c, why)
	}
	return v.reportFailedClaim(ctx, c, failureDetail(v.claims.total, v.goal.LimitVerdicts(v.claims.last)))
}

// reviewWorkPrefix begins the reminder to look at the work before a claim.
const reviewWorkPrefix = "Before the host asks a judge or the user: "

const lookReminder = "you changed something and did not look at the result. Look at it, and claim again."

// verificationReminder returns a reminder, once, instead of a verification that would be too early. A claim in the last
// turn is verified as it is.
func (v *verification) verificationReminder(c pendingClaim) string {
	if c.by != "" || v.budget.exhaustedLimit() != "" || v.claims.lookReminded ||
		!v.progress.detector.HasUnreadChange() || v.goal.Criterion.HasDeterministicCheck() {
		return ""
	}
	v.claims.lookReminded = true
	return reviewWorkPrefix + lookReminder
}

// describeClaim returns a claim as a judge and the reviewer see it, without the user's decision.
func (v *verification) describeClaim(ctx context.Context, c pendingClaim) (goal.Claim, *Stop) {
	background, err := v.history.Background(ctx, v.goal.ID)
	if err != nil {
		return goal.Claim{}, v.pauser.stopForError(ctx, "reading what the judge sees", err)
	}
	return goal.Claim{
		N:          v.claims.total,
		By:         c.by,
		Rationale:  c.rationale,
		Result:     c.result,
		Steps:      v.recent.steps,
		Background: background.Before(v.claims.total),
	}, nil
}

// runCriterion runs the criterion, and counts what the judges spent.
func (v *verification) runCriterion(ctx context.Context, c pendingClaim) (goal.VerificationResult, *Stop) {
	v.claims.last, v.claims.rationale = nil, c.rationale
	claim, stop := v.describeClaim(ctx, c)
	if stop != nil {
		return "", stop
	}
	claim.Accepted, claim.Note, claim.Unjudged = c.accepted, c.note, c.unjudged
	found, err := v.judge.DecideClaim(ctx, *v.goal, claim, func(verdict goal.Verdict) error {
		v.claims.last = append(v.claims.last, verdict)
		if stop := v.journal.append(ctx, &event.Verdict{Claim: v.claims.total, Verdict: verdict}); stop != nil {
			return stop
		}
		if stop := v.budget.recordUsage(ctx, verdict.Usage, "judge"); stop != nil {
			return stop
		}
		return nil
	})
	if err != nil {
		return "", v.pauser.stopForError(ctx, fmt.Sprintf("verifying claim %d", v.claims.total), err)
	}
	v.claims.at, v.claims.ran = v.clock.Now(), v.claims.total
	for _, verdict := range v.claims.last {
		if verdict.Outcome == goal.Tampered {
			return "", v.integrity.pauseTampered(ctx, verdict.Tail)
		}
	}
	if found != goal.Verified { // a pass counts even if the time ran out during it
		if stop := stopCause(ctx); stop != nil {
			return "", stop
		}
	}
	return found, nil
}

// rejectAssurance fails a claim whose checks passed but prove too little.
func (v *verification) rejectAssurance(ctx context.Context, c pendingClaim, why string) *Stop {
	v.claims.last = append(v.claims.last, goal.Verdict{
		Check:   len(v.goal.Criterion.Checks),
		Name:    "required assurance",
		Outcome: goal.Fail,
		Detail:  why,
	})
	return v.reportFailedClaim(ctx, c, why)
}

// waitForManualCheck pauses the run for the user's decision when everything else about a claim is decided. It asks
// the reviewer first, because the user's decision is final.
func (v *verification) waitForManualCheck(ctx context.Context, c pendingClaim) *Stop {
	if stop := v.reviewClaim(ctx, c); stop != nil || v.claims.isReviewRejected() {
		return stop
	}
	v.claims.waiting = &c
	passed := "everything else passed"
	if v.goal.Criterion.Any && len(v.claims.last) > 0 {
		passed = "no other check passed, and one is enough"
	}
	return &Stop{Exit: goal.NeedsUser, Reason: passed + "; the user must accept the result or send it back"}
}

// waitForUserInstead pauses the run for the user's decision about a claim because no model gave an answer that could be
// read. The agent cannot repair that.
func (v *verification) waitForUserInstead(c pendingClaim, why string) *Stop {
	v.claims.waiting = &c
	return &Stop{
		Exit:   goal.NeedsUser,
		Reason: why + "; accept the result, send it back with a note, or resume the goal to ask again",
	}
}

// reviewAndFinish asks the independent reviewer, if the goal has one, and stops as done.
func (v *verification) reviewAndFinish(ctx context.Context, c pendingClaim) *Stop {
	// The user's decision does not replace a review that is missing.
	if c.accepted != nil && (v.claims.review != nil || !v.needsReview()) {
		if stop := v.journalReview(ctx, c); stop != nil { // the review of the work that the user was shown
			return stop
		}
	} else if stop := v.reviewClaim(ctx, c); stop != nil || v.claims.isReviewRejected() {
		return stop
	}
	v.claims.accepted = &c
	return &Stop{Exit: goal.Done, Reason: "the claim was verified"}
}

// needsReview reports whether a reviewer must confirm the claim that passed: if the goal demands it, or if something
// other than the work could have made it pass.
func (v *verification) needsReview() bool {
	if v.goal.NeedsReview() {
		return true
	}
	isWeakened := v.goal.Criterion.ProofOf(v.claims.last).Assurance == goal.Weakened
	return isWeakened && v.goal.Options.Review == goal.ReviewAuto && v.judge.CanReview()
}

// reviewClaim asks the independent reviewer about a claim that passed, if it needs one.
func (v *verification) reviewClaim(ctx context.Context, c pendingClaim) *Stop {
	if !v.needsReview() {
		return nil
	}
	claim, stop := v.describeClaim(ctx, c)
	if stop != nil {
		return stop
	}
	rv, err := v.judge.Review(ctx, *v.goal, claim, v.goal.LimitVerdicts(v.claims.last))
	if err != nil {
		return v.pauser.stopForError(ctx, fmt.Sprintf("reviewing claim %d", v.claims.total), err)
	}
	v.claims.review = &rv
	if stop := firstStop(v.journalReview(ctx, c), v.budget.recordUsage(ctx, rv.Usage, "reviewer")); stop != nil ||
		rv.Confirmed {
		return stop
	}
	switch {
	case rv.Error && !v.goal.NeedsReview(): // a program decided, and the user still sees the doubt
		v.claims.review = nil
		return nil
	case rv.Error:
		return v.waitForUserInstead(c, rv.Reason)
	}
	// The review counts as one more check after those of the criterion.
	rejection := reviewRejection(len(v.goal.Criterion.Checks), rv)
	if doubt := v.goal.Criterion.ProofOf(v.claims.last).AssuranceReason; doubt != "" {
		rejection.Detail += "; the host doubts the pass: " + doubt
	}
	v.claims.last = append(v.claims.last, rejection)
	return v.reportFailedClaim(ctx, c, failureDetail(v.claims.total, v.goal.LimitVerdicts(v.claims.last)))
}

func (v *verification) journalReview(ctx context.Context, c pendingClaim) *Stop {
	if v.claims.review == nil || c.accepted != nil && v.claims.review.Error {
		return nil
	}
	return v.journal.append(ctx, &event.Review{Claim: v.claims.total, Review: *v.claims.review})
}

// newPlanRequest ends the message about a failed claim.
const newPlanRequest = " Revise your plan with write_todos."

// reportFailedClaim tells the agent why a claim failed, and stops if too many claims failed in the same way.
func (v *verification) reportFailedClaim(ctx context.Context, c pendingClaim, why string) *Stop {
	v.claims.idle = true
	text := conversation.FailurePrefix + why +
		"\n\nKeep working: find out why, repair it, and claim again; or call abort_with_report if it cannot be done."
	if len(v.plan.todos) > 0 {
		text = goal.WithOpenTodos(text, c.openTodos) + newPlanRequest
	}
	if stop := v.messages.addUserMessage(ctx, text,
		&event.VerificationFailed{Claim: v.claims.total, Detail: why}); stop != nil {
		return stop
	}
	if c.by != "" { // only the agent's own claims count
		v.claims.idle = false
		return nil
	}
	v.claims.record(v.claims.last)
	return v.claims.stopReason(v.goal.Limits.ClaimsPerCheck)
}

// claimWords returns what the agent said with the claim at which the changed files were found, "" if it was none.
func (v *verification) claimWords(stop *Stop) string {
	found := slices.ContainsFunc(v.claims.last, func(d goal.Verdict) bool { return d.Outcome == goal.Tampered })
	if len(stop.Changed) == 0 || !found {
		return ""
	}
	return v.claims.rationale
}

// proofAt returns what a goal that stops in this way proves; the zero value if it is not done.
func (v *verification) proofAt(stop *Stop) goal.Proof {
	if stop.Exit != goal.Done {
		return goal.Proof{}
	}
	return v.goal.Criterion.ProofOf(v.claims.last)
}
