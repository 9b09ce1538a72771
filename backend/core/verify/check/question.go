package check

import (
	"context"
	"fmt"
	"sync"

	"goalpost/backend/core/verify/judge"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

const questionSystem = `You are a strict judge. A question about an agent's work is put to you with the evidence ` +
	`that the host gathered itself and with the agent's own rationale. The first line of your answer is YES or NO ` +
	`and nothing else; one sentence why may follow on the second line. A YES with a condition or an exception is a NO.
Say YES only if the evidence of the host shows that the answer is yes. The rationale alone shows nothing: an agent ` +
	`may be mistaken or may hope. The result is the work itself where the question is about an answer; what it claims ` +
	`about anything else shows nothing. If the evidence is thin or missing, say NO and name what is missing.
` + judge.UntrustedNotice

// askQuestion asks one strict judge, or two independent ones for high confidence.
func (e Environment) askQuestion(ctx context.Context, k Item, c Case) (Result, error) {
	if e.Judge == nil {
		return permanentError(judge.ErrMissing.Error()), nil
	}
	changes, err := e.Baseline.Changed(ctx)
	if err != nil {
		changes = "the folder could not be compared: " + err.Error()
	}
	files, err := e.Baseline.Evidence(ctx, k.Question+"\n"+c.Objective)
	if err != nil {
		changes += "; the files could not be read: " + err.Error()
	}
	text := func(w judge.Budget) string {
		return fmt.Sprintf("Question: %s\n\nThe goal: %s\n\n%s\nThe agent's rationale:\n%s\n"+
			"What the agent hands over as the result:\n%s\nAnswer:",
			k.Question, judge.WrapData("objective", c.Objective, w.Text),
			judge.FormatEvidence(c.Verdicts, changes, files, c.Claim.Steps, w),
			judge.WrapData("rationale", c.Claim.Rationale, w.Text),
			judge.WrapData("result", c.Claim.Result, w.Text))
	}
	judges := 1
	if k.Threshold == goal.RequireHighConfidence {
		judges = 2
	}
	replies, errs := make([]goal.Reply, judges), make([]error, judges)
	var all sync.WaitGroup
	for i := range judges {
		all.Go(func() { replies[i], errs[i] = e.Judge.AskWithinWindow(ctx, questionSystem, text) })
	}
	all.Wait()
	return verdictFromAnswers(replies, errs)
}

// verdictFromAnswers passes if every judge says YES.
func verdictFromAnswers(replies []goal.Reply, errs []error) (Result, error) {
	r := NewResult(goal.Pass, "the judge says YES")
	if len(replies) > 1 {
		r.Detail = "both judges say YES"
	}
	for i, reply := range replies {
		r.Usage = r.Usage.Plus(reply.Usage)
		if i > 0 {
			r.Reply += "\n\n--- the second judge ---\n\n"
		}
		r.Reply += reply.Text
	}
	for i, reply := range replies {
		switch word := judge.FirstWord(reply.Text); {
		case judge.IsUnavailable(errs[i]):
			return r, errs[i]
		case errs[i] != nil:
			r.Outcome, r.Detail, r.Retryable = goal.CheckErr, errs[i].Error(), true
		case word == "":
			r.Outcome, r.Detail, r.Retryable = goal.CheckErr, "the judge gave no answer", true
		case word == "YES" && judge.IsHedged(reply.Text) && r.Outcome == goal.Pass:
			r.Outcome, r.Detail = goal.Fail, "the judge says YES with a reservation: "+text.SanitizeLine(reply.Text, 2000)
		case word != "YES" && r.Outcome == goal.Pass: // an error stays an error
			r.Outcome, r.Detail = goal.Fail, "the judge does not say YES: "+text.SanitizeLine(reply.Text, 2000)
		}
	}
	return r, nil
}
