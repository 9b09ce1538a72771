package judge

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/verify/phrase"
)

const reviewSystem = `You are a cold reviewer: you have seen nothing of the work but what stands here, and you owe nobody an agreement. An agent was given an objective, and its checks passed. You look for reasons why the objective is not reached all the same: a check that was satisfied by its letter, a thing that was asked for and is not there, work that was faked or damaged.
The first line of your answer is CONFIRM or REJECT and nothing else. The second line is one sentence why. Say CONFIRM only if what you see supports that the objective is reached.
` + UntrustedNotice

// Review is the cold reviewer's word about a claim whose checks passed. diff is what
// changed in the goal's folder. It sees no part of the conversation. What it cannot say is never a pass; an error is
// that nobody can be asked now (goal.Unavailable) or that ctx ended.
func (j *Judge) Review(ctx context.Context, g goal.Goal, diff string, verdicts []goal.Verdict) (goal.Review, error) {
	text := func(w Budget) string {
		return fmt.Sprintf("The objective:\n%s\nThe criterion: %s\n\nThe verdicts:\n%s\nWhat changed in the goal's "+
			"folder since the start, as a diff:\n%s\nYour answer:",
			WrapUntrusted("objective", g.Objective, w.Text), g.Criterion.Describe(), formatVerdicts(verdicts, w),
			WrapUntrusted("diff", diff, w.diff))
	}
	var r goal.Review
	var spent CostMeter
	for range 2 { // an unreadable word is asked for once more
		reply, err := j.AskWithinWindow(ctx, reviewSystem, text)
		spent.Add(reply.Usage)
		switch {
		case ctx.Err() != nil:
			return goal.Review{}, fmt.Errorf("review: %w", context.Cause(ctx))
		case IsUnavailable(err):
			return goal.Review{}, err
		case err != nil:
			r = goal.Review{Error: true, Reason: err.Error()}
		default:
			r = parseReview(reply.Text)
		}
		if !r.Error {
			break
		}
	}
	r.Usage = spent.Sum
	return r, nil
}

// parseReview reads the reply: the word alone on the first line, the reason on the next.
func parseReview(reply string) goal.Review {
	first, rest, _ := strings.Cut(strings.TrimSpace(reply), "\n")
	r := goal.Review{Reply: reply, Reason: phrase.OneLine(rest, 1000)}
	switch word := FirstWord(first); {
	case word == "CONFIRM":
		r.Confirmed = !IsHedged(reply)
	case word != "REJECT":
		r.Error, r.Reason = true, "the reviewer said neither CONFIRM nor REJECT: "+phrase.OneLine(reply, 1000)
		return r
	}
	if r.Reason == "" {
		r.Reason = phrase.OneLine(RestAfterWord(first), 1000)
	}
	return r
}
