// Package verify decides whether a goal is achieved. The host runs every check itself, in the goal's folder, and what
// the agent says counts for nothing. An error is never a pass.
package verify

import (
	"context"
	"fmt"

	"goalpost/backend/goal"
	"goalpost/backend/text"
	"goalpost/backend/verify/check"
	"goalpost/backend/verify/protect"
)

// evaluation is one claim before the host.
type evaluation struct {
	host   CheckRunner
	goal   goal.Goal
	claim  goal.Claim
	report func(goal.Verdict) error

	verdicts []goal.Verdict // so far
	passes   int
	waiting  int // manual checks without a word of the user
}

// DecideClaim decides a claim: the gates first, all of them, then the judgements, if they can still change something,
// and the user last. Each verdict is reported as it is known. An error ends it early: report failed, ctx ended, or no
// judge can be asked (goal.Unavailable, goal.ErrPaused). The agent's programs are frozen from here on until
// ResumeAgent, unless one of them listens.
func (h CheckRunner) DecideClaim(
	ctx context.Context, g goal.Goal, c goal.Claim, report func(goal.Verdict) error,
) (goal.VerificationResult, error) {
	if h.Agent != nil {
		if err := h.Agent.Freeze(ctx); err != nil {
			h.agentRuns = err.Error()
		}
	}
	e := &evaluation{host: h, goal: g, claim: c, report: report}
	for _, stage := range []func(goal.Check) bool{
		func(k goal.Check) bool { return k.Type.IsDeterministic() },
		func(k goal.Check) bool { return !k.Type.IsDeterministic() && k.Type != goal.Manual },
		func(k goal.Check) bool { return k.Type == goal.Manual },
	} {
		if e.isDecided() {
			break
		}
		if err := e.runStage(ctx, stage); err != nil {
			return "", err
		}
	}
	return e.result(), nil
}

func (e *evaluation) runStage(ctx context.Context, mine func(goal.Check) bool) error {
	for i, k := range e.goal.Criterion.Checks {
		if !mine(k) {
			continue
		}
		if k.Type == goal.Manual && k.Wait && e.claim.Accepted == nil {
			e.waiting++
			continue
		}
		if ctx.Err() != nil {
			return fmt.Errorf("verification: %w", context.Cause(ctx))
		}
		v, err := e.decideWithRetry(ctx, check.Indexed{Check: k, N: i})
		if err != nil {
			return err
		}
		if v.Outcome == goal.Pass {
			e.passes++
		}
		e.verdicts = append(e.verdicts, v)
		if e.result() != goal.NotVerified {
			if v.Tree, err = e.host.World.comparison().TreeHash(ctx); err != nil {
				return fmt.Errorf("hashing the goal's folder: %w", err)
			}
			e.verdicts[len(e.verdicts)-1] = v
		}
		if err := e.report(v); err != nil {
			return err
		}
	}
	return nil
}

// decideWithRetry tries an error once more: a port may have been taken, a model cut off.
func (e *evaluation) decideWithRetry(ctx context.Context, k check.Indexed) (goal.Verdict, error) {
	var v check.Result
	var spent goal.Usage
	for try := 1; try <= 2; try++ {
		var err error
		v, err = e.dispatch(ctx, k)
		spent = spent.Plus(v.Usage)
		if ctx.Err() != nil { // the run was stopped: the outcome says nothing about the check
			return goal.Verdict{}, fmt.Errorf("verification: %w", context.Cause(ctx))
		}
		if err != nil {
			return goal.Verdict{}, err
		}
		v.Tries = try
		if v.Outcome != goal.CheckErr || !v.Retryable {
			break
		}
	}
	v.Check, v.Name, v.Type, v.Usage = k.N, k.Name(), k.Type, spent
	if v.Outcome == goal.Pass && v.Assurance == "" {
		v.Assurance = k.BestAssurance()
	}
	if v.Assurance == goal.Strong && e.host.agentRuns != "" && (k.RunsCommand() || k.URL == "") {
		v.Assurance, v.AssuranceReason = goal.Shared, e.host.agentRuns
	}
	return v.Verdict, nil
}

// dispatch hands a check to the one who decides it. Its error is the end of the
// verification and says nothing about the check.
func (e *evaluation) dispatch(ctx context.Context, k check.Indexed) (check.Result, error) {
	if !k.Type.IsDeterministic() {
		if r, ok := e.host.tamperedVerdict(k); !ok {
			return r, nil
		}
	}
	if k.Type.IsDeterministic() {
		if k.RunsCommand() && e.goal.Criterion.Runs > 1 {
			return e.runRepeatedly(ctx, k), nil
		}
		return e.host.runGate(ctx, k, e.claim), nil
	}
	about := check.Case{Objective: e.goal.Objective, Claim: e.claim, Verdicts: e.goal.LimitVerdicts(e.verdicts)}
	return e.host.environment().DecideJudgement(ctx, k, about)
}

// runRepeatedly runs a command as often as the criterion wants, until it does not pass. The last verdict counts.
func (e *evaluation) runRepeatedly(ctx context.Context, k check.Indexed) check.Result {
	folder := e.host.World.comparison()
	before, _ := folder.TreeHash(ctx) // "" where it is not known
	r := e.host.runGate(ctx, k, e.claim)
	for n := 2; n <= e.goal.Criterion.Runs && r.Outcome == goal.Pass && ctx.Err() == nil; n++ {
		again := e.host.runGate(ctx, k, e.claim)
		if again.Outcome == goal.Fail || again.Outcome == goal.CheckErr {
			after, _ := folder.TreeHash(ctx)
			return flakyResult(n, r, again, before != "" && before == after)
		}
		r = again
		r.Detail = text.JoinClauses(r.Detail, fmt.Sprintf("passed %d times in a row", n))
	}
	return r
}

// flakyResult is the error of a command that passed, and did not in its run n. sameFiles says that the goal's folder
// was the same each time.
func flakyResult(n int, passed, failed check.Result, sameFiles bool) check.Result {
	on := "the folder has changed since, perhaps by the check itself"
	if sameFiles {
		on = "the files are the same"
	}
	r := check.NewResult(goal.CheckErr,
		fmt.Sprintf("flaky: it passed, and in run %d it did not (%s); %s", n, failed.Detail, on))
	r.Tail = string(text.TruncateMiddle(fmt.Appendf(nil, "run %d:\n%s\n\nrun %d:\n%s", n-1, passed.Tail, n, failed.Tail),
		protect.MaxDiffBytes))
	r.Observed, r.ExitCode = failed.Observed, failed.ExitCode
	return r
}

// isDecided says that no further check can change the finding.
func (e *evaluation) isDecided() bool {
	if e.goal.Criterion.Any {
		return e.passes > 0
	}
	return e.passes < len(e.verdicts)
}

func (e *evaluation) result() goal.VerificationResult {
	n := len(e.goal.Criterion.Checks)
	switch {
	case e.passes > 0 && (e.passes == n || e.goal.Criterion.Any):
		return goal.Verified
	case e.waiting > 0 && (e.goal.Criterion.Any || e.passes+e.waiting == n):
		return goal.Waiting
	}
	return goal.NotVerified
}
