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
` + reviewForm + ` The result ` +
	`is a part of the work where the objective asks for an answer; otherwise it proves nothing. Say CONFIRM only if ` +
	`what you see supports that the objective is reached. Where the host doubts a pass, find in the diff whether the ` +
	`doubt is right: say REJECT if the check passes for that reason, and not because the objective is reached.
` + UntrustedNotice

const reviewForm = "The first line is CONFIRM or REJECT and nothing else. The second line is one sentence why."

// Work is what a claim delivers.
type Work struct {
	Diff   string                  // of the goal's folder from its start
	Files  []baseline.FileEvidence // that the objective or a check names, or that changed
	Result string                  // what the agent hands over, "" if nothing
	goal.Background
}

// Review lets an independent reviewer decide about a claim whose checks passed. It sees no part of the conversation. An
// unreadable reply is never a pass. An error means that nobody can be asked now (goal.Unavailable) or that ctx
// ended.
func (j *Judge) Review(ctx context.Context, g goal.Goal, work Work, verdicts []goal.Verdict) (goal.Review, error) {
	files := slices.DeleteFunc(slices.Clone(work.Files), func(f baseline.FileEvidence) bool {
		return !f.Named && f.Change == "new" // the diff has all of it
	})
	show := func(m *Material) string {
		return fmt.Sprintf("The objective:\n%s\nThe criterion: %s\n\n%s\nThe verdicts:\n%s\nWhat changed in the "+
			"goal's folder since the start, as a diff:\n%s\nThe files that the objective names, and those that changed:\n%s\n"+
			"What the agent hands over as the result:\n%s",
			m.Decisive("objective", "the objective", g.Objective, m.Text), g.Criterion.Describe(),
			m.Background(work.Background), formatVerdicts(verdicts, m.Budget),
			m.Decisive("diff", "the diff", work.Diff, m.diff), m.formatFiles(files),
			m.Decisive("result", "the result", work.Result, m.Text))
	}
	a, err := j.Decide(ctx, Question{
		System: reviewSystem, Yes: "CONFIRM", No: []string{"REJECT"}, Form: reviewForm, Show: show,
	})
	if err != nil {
		return goal.Review{}, err
	}
	return parseReview(a), nil
}

// parseReview reads the reply: the word alone on the first line, the reason on the next.
func parseReview(a Answer) goal.Review {
	first, rest, _ := strings.Cut(strings.TrimSpace(a.Reply), "\n")
	r := goal.Review{Reply: a.Reply, Reason: text.SanitizeLine(rest, 1000), Usage: a.Usage}
	if r.Reason == "" {
		r.Reason = text.SanitizeLine(RestAfterWord(first), 1000)
	}
	switch why := a.Failure("reviewer"); {
	case why != "":
		r.Error, r.Reason = true, why
	case a.Unread != "":
		r.Reason = fmt.Sprintf("it confirmed, but it has not read %s", a.Unread)
	case a.Word == "CONFIRM":
		r.Confirmed = !IsHedged(a.Reply)
	}
	return r
}
