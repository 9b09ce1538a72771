package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/core/verify/baseline"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

const reviewSystem = `You are an independent reviewer. You have seen nothing of the work except what this message ` +
	`shows, and you do not have to agree with anybody. An agent was given an objective, and its checks passed. You ` +
	`look for reasons why the objective is not reached all the same: a check that was satisfied by its letter, a thing ` +
	`that was asked for and is not there, work that was faked or damaged.
The first line of your answer is CONFIRM or REJECT and nothing else. The second line is one sentence why. The result ` +
	`is a part of the work where the objective asks for an answer; otherwise it proves nothing. Say CONFIRM only if ` +
	`what you see supports that the objective is reached.
` + UntrustedNotice

// Work is what a claim delivers.
type Work struct {
	Diff   string                  // of the goal's folder from its start
	Files  []baseline.FileEvidence // that the objective or a check names, or that changed
	Result string                  // what the agent hands over, "" if nothing
}

// Review lets an independent reviewer decide about a claim whose checks passed. It sees no part of the conversation. An
// unreadable reply is never a pass. An error means that nobody can be asked now (goal.Unavailable) or that ctx
// ended.
func (j *Judge) Review(ctx context.Context, g goal.Goal, work Work, verdicts []goal.Verdict) (goal.Review, error) {
	files := slices.DeleteFunc(slices.Clone(work.Files), func(f baseline.FileEvidence) bool {
		return !f.Named && f.Change == "new" // the diff has all of it
	})
	text := func(w Budget) string {
		return fmt.Sprintf("The objective:\n%s\nThe criterion: %s\n\nThe verdicts:\n%s\nWhat changed in the goal's "+
			"folder since the start, as a diff:\n%s\nThe files that the objective names, and those that changed:\n%s\n"+
			"What the agent hands over as the result:\n%s\nYour answer:",
			WrapData("objective", g.Objective, w.Text), g.Criterion.Describe(), formatVerdicts(verdicts, w),
			WrapData("diff", work.Diff, w.diff), formatFiles(files, w), WrapData("result", work.Result, w.Text))
	}
	var r goal.Review
	var usage goal.Usage
	for range 2 { // an unreadable reply is asked for once more
		reply, err := j.AskWithinWindow(ctx, reviewSystem, text)
		usage = usage.Plus(reply.Usage)
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
	r.Usage = usage
	return r, nil
}

// parseReview reads the reply: the word alone on the first line, the reason on the next.
func parseReview(reply string) goal.Review {
	first, rest, _ := strings.Cut(strings.TrimSpace(reply), "\n")
	r := goal.Review{Reply: reply, Reason: text.SanitizeLine(rest, 1000)}
	switch word := FirstWord(first); {
	case word == "CONFIRM":
		r.Confirmed = !IsHedged(reply)
	case word != "REJECT":
		r.Error, r.Reason = true, "the reviewer said neither CONFIRM nor REJECT: "+text.SanitizeLine(reply, 1000)
		return r
	}
	if r.Reason == "" {
		r.Reason = text.SanitizeLine(RestAfterWord(first), 1000)
	}
	return r
}
