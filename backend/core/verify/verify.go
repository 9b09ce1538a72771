// Package verify decides whether a goal is achieved. The host runs every check itself, in the goal's folder, and
// the agent's claims count for nothing. An error is never a pass.
package verify

import (
	"context"
	"fmt"
	"path"
	"slices"

	"goalpost/backend/core/verify/check"
	"goalpost/backend/core/verify/protect"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// evaluation is the decision about one claim.
type evaluation struct {
	host   CheckRunner
	goal   goal.Goal
	claim  goal.Claim
	report func(goal.Verdict) error

	verdicts []goal.Verdict // so far
	passes   int
	waiting  int      // manual checks that the user has not answered
	used     []string // files that the passing checks used

	agentRuns string // why the agent's programs could not be frozen, "" if they are
}

// DecideClaim decides a claim: first all deterministic checks, then those by models if they can still change the
// result, then those by the user. It reports each verdict as soon as it is known. It returns an error if report
// failed, ctx ended, or no judge can be asked (goal.Unavailable, goal.ErrPaused).
//
// The agent's programs are frozen until ResumeAgent. Those that serve run while a check uses them.
func (cr CheckRunner) DecideClaim(
	ctx context.Context, g goal.Goal, c goal.Claim, report func(goal.Verdict) error,
) (goal.VerificationResult, error) {
	e := &evaluation{host: cr, goal: g, claim: c, report: report}
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
		v, err := e.decideWithRetry(ctx, check.Item{Check: k, N: i})
		if err != nil {
			return err
		}
		if v.Outcome == goal.Pass {
			e.passes++
		}
		e.verdicts = append(e.verdicts, v)
		if e.result() != goal.NotVerified {
			if v.Tree, err = e.host.Folder.baseline().TreeHash(ctx); err != nil {
				return fmt.Errorf("hashing the goal's folder: %w", err)
			}
			e.verdicts[len(e.verdicts)-1] = v
			e.host.Folder.recordVerified(e.used)
		}
		if err := e.report(v); err != nil {
			return err
		}
	}
	return nil
}

// decideWithRetry retries an error once: a port may have been taken, or a model's reply cut off.
func (e *evaluation) decideWithRetry(ctx context.Context, k check.Item) (goal.Verdict, error) {
	if e.claim.Accepted != nil && slices.Contains(e.claim.Unjudged, k.N) { // the user decides what no judge did
		k.Type, k.Note = goal.Manual, k.Question
	}
	var v check.Result
	var usage goal.Usage
	served := false
	for try := 1; try <= 2; try++ {
		var err error
		e.freezeAgent(ctx)
		if k.URL != "" || k.Type == goal.Visual { // the host asks the server
			served = e.host.Agent != nil && e.host.Agent.Listens()
			e.host.ResumeAgent()
		}
		v, err = e.decide(ctx, k)
		usage = usage.Plus(v.Usage)
		if ctx.Err() != nil { // the run was stopped, so the outcome does not count
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
	v.Check, v.Name, v.Type, v.Usage = k.N, k.Name(), k.Type, usage
	if v.Outcome == goal.Pass && v.Assurance == "" {
		v.Assurance = k.BestAssurance()
	}
	served = served || e.host.Agent != nil && e.host.Agent.Served()
	e.freezeAgent(ctx) // until the goal is decided
	if v.Assurance == goal.Strong && k.From == goal.FromFile {
		v.Proof = e.host.proofOfFile(ctx, k)
	}
	if v.Assurance.AtLeast(goal.Tested) {
		v.Proof = e.proofBesideAgent(v.Verdict, k, served)
	}
	if v.Outcome == goal.Pass {
		e.used = append(e.used, e.host.usedFiles(ctx, k, v)...)
	}
	return v.Verdict, nil
}

// freezeAgent stops the agent's programs.
func (e *evaluation) freezeAgent(ctx context.Context) {
	e.agentRuns = ""
	if e.host.Agent == nil {
		return
	}
	if err := e.host.Agent.Freeze(ctx); err != nil {
		e.agentRuns = err.Error()
	}
}

// proofBesideAgent returns what a pass proves if programs of the agent ran while the check did. served says that the
// check asked one of them.
func (e *evaluation) proofBesideAgent(v goal.Verdict, k check.Item, served bool) goal.Proof {
	switch {
	case k.URL == "" && e.agentRuns != "":
		return goal.Proof{Assurance: goal.Weakened, AssuranceReason: e.agentRuns}
	case served && len(v.Changes) > 0:
		return goal.Proof{Assurance: goal.Weakened, AssuranceReason: fmt.Sprintf(
			"a server of the agent ran while the check used %s", v.Changes[0].Path)}
	case served || k.URL != "" && e.agentRuns != "":
		return goal.Proof{Assurance: goal.Tested, Basis: goal.BasisAnswers}
	}
	return v.Proof
}

// proofOfFile returns what a true expression about a file proves: little if the agent may have written it by hand.
func (cr CheckRunner) proofOfFile(ctx context.Context, k check.Item) goal.Proof {
	changed, err := cr.Folder.baseline().ChangedFiles(ctx)
	if err == nil && !slices.Contains(changed, path.Clean(k.Path)) {
		return goal.Proof{Assurance: goal.Strong}
	}
	return goal.Proof{
		Assurance:       goal.Weakened,
		AssuranceReason: fmt.Sprintf("%s was not made by the check, so the agent may have written it by hand", k.Path),
	}
}

// decide runs a check. An error ends the verification and says nothing about the check.
func (e *evaluation) decide(ctx context.Context, k check.Item) (check.Result, error) {
	if !k.Type.IsDeterministic() {
		if r, ok := e.host.tamperedVerdict(k); !ok {
			return r, nil
		}
	}
	if k.Type.IsDeterministic() {
		if k.RunsCommand() && e.goal.Criterion.Runs > 1 {
			return e.runRepeatedly(ctx, k), nil
		}
		return e.host.runDeterministic(ctx, k, e.claim), nil
	}
	c := check.Case{Objective: e.goal.Objective, Claim: e.claim, Verdicts: e.goal.LimitVerdicts(e.verdicts)}
	return e.host.environment().DecideJudgement(ctx, k, c)
}

// runRepeatedly runs a command up to Criterion.Runs times, until it does not pass. The last verdict counts.
func (e *evaluation) runRepeatedly(ctx context.Context, k check.Item) check.Result {
	folder := e.host.Folder.baseline()
	before, _ := folder.TreeHash(ctx) // "" if it is unknown
	r := e.host.runDeterministic(ctx, k, e.claim)
	for n := 2; n <= e.goal.Criterion.Runs && r.Outcome == goal.Pass && ctx.Err() == nil; n++ {
		repeat := e.host.runDeterministic(ctx, k, e.claim)
		if repeat.Outcome == goal.Fail || repeat.Outcome == goal.CheckErr {
			after, _ := folder.TreeHash(ctx)
			return flakyResult(n, r, repeat, before != "" && before == after)
		}
		r = repeat
		r.Detail = text.JoinClauses(r.Detail, fmt.Sprintf("passed %d times in a row", n))
	}
	return r
}

// flakyResult returns the error for a command that passed, but not in run n. sameFiles says that the goal's
// folder was the same each time.
func flakyResult(n int, passed, failed check.Result, sameFiles bool) check.Result {
	on := "the folder changed in between, perhaps by the check itself"
	if sameFiles {
		on = "the files are the same"
	}
	r := check.NewResult(goal.CheckErr,
		fmt.Sprintf("flaky: it passed, but not in run %d (%s); %s", n, failed.Detail, on))
	r.Tail = string(text.TruncateMiddle(fmt.Appendf(nil, "run %d:\n%s\n\nrun %d:\n%s", n-1, passed.Tail, n, failed.Tail),
		protect.MaxDiffBytes))
	r.Observed, r.ExitCode = failed.Observed, failed.ExitCode
	return r
}

// isDecided reports whether no further check can change the result.
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
