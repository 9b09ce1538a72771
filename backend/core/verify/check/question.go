package check

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"goalpost/backend/core/verify/judge"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

const questionSystem = `You are a strict judge. A question about an agent's work is put to you with the evidence ` +
	`that the host gathered itself and with the agent's own rationale. ` + questionForm + ` A YES ` +
	`with a condition or an exception is a NO.
Say YES only if the evidence of the host shows that the answer is yes. The rationale alone shows nothing: an agent ` +
	`may be mistaken or may hope. The result is the work itself where the question is about an answer; what it claims ` +
	`about anything else shows nothing. If the evidence is thin or missing, say NO and name what is missing.
` + judge.UntrustedNotice

const questionForm = "The first line of your answer is YES or NO and nothing else; one sentence why may follow on " +
	"the second line."

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
	show := func(m *judge.Material) string {
		return fmt.Sprintf("Question: %s\n\nThe goal: %s\n\n%s%s\nThe agent's rationale:\n%s\n"+
			"What the agent hands over as the result:\n%s",
			k.Question, m.Decisive("objective", "the objective", c.Objective, m.Text),
			m.Background(c.Claim.Background), m.Evidence(c.Verdicts, changes, files, c.Claim.Steps),
			judge.WrapData("rationale", c.Claim.Rationale, m.Text),
			m.Decisive("result", "the result", c.Claim.Result, m.Text))
	}
	question := judge.Question{System: questionSystem, Yes: "YES", No: []string{"NO"}, Form: questionForm, Show: show}
	judges := 1
	if k.Threshold == goal.RequireHighConfidence {
		judges = 2
	}
	answers, errs := make([]judge.Answer, judges), make([]error, judges)
	var all sync.WaitGroup
	for i := range judges {
		all.Go(func() { answers[i], errs[i] = e.Judge.Decide(ctx, question) })
	}
	all.Wait()
	return verdictFromAnswers(answers), errors.Join(errs...)
}

// verdictFromAnswers passes if every judge says YES.
func verdictFromAnswers(answers []judge.Answer) Result {
	r := NewResult(goal.Pass, "the judge says YES")
	if len(answers) > 1 {
		r.Detail = "both judges say YES"
	}
	for i, a := range answers {
		r.Usage = r.Usage.Plus(a.Usage)
		if i > 0 {
			r.Reply += "\n\n--- the second judge ---\n\n"
		}
		r.Reply += a.Reply
	}
	for _, a := range answers {
		switch why := a.Failure("judge"); {
		case why != "":
			r.failJudge(a, why)
		case r.Outcome != goal.Pass: // an error stays an error
		case a.Word == "NO":
			r.Outcome, r.Detail = goal.Fail, "the judge does not say YES: "+text.SanitizeLine(a.Reply, 2000)
		case judge.IsHedged(a.Reply):
			r.Outcome, r.Detail = goal.Fail, "the judge says YES with a reservation: "+text.SanitizeLine(a.Reply, 2000)
		case a.Unread != "":
			r.Outcome, r.Detail = goal.Fail, "the judge says YES, but it has not read "+a.Unread
		}
	}
	return r
}

// failJudge makes the result an error of the judge, which a retry may help if it could not be asked.
func (r *Result) failJudge(a judge.Answer, why string) {
	r.Outcome, r.Detail, r.Retryable, r.JudgeFailed = goal.CheckErr, why, a.Err != nil, true
}
