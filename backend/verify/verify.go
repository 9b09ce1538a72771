// Package verify decides whether a goal is achieved. The host runs every check
// itself, in the goal's folder, and what the agent says counts for nothing. An
// error is never a pass.
package verify

import (
	"context"
	"fmt"

	"goalpost/backend/goal"
)

// hearing is one claim before the host.
type hearing struct {
	host   Host
	goal   goal.Goal
	claim  goal.Claim
	report func(goal.Verdict) error

	verdicts []goal.Verdict // so far
	passes   int
	waiting  int // manual checks without a word of the person
}

// Criterion decides a claim: the gates first, all of them, then the judgements,
// if they can still change something, and the person last. Each verdict is
// reported as it is known. An error ends it early: report failed, ctx ended, or
// a judge is not to be had (goal.Unavailable, goal.ErrPaused).
func (h Host) Criterion(ctx context.Context, g goal.Goal, c goal.Claim, report func(goal.Verdict) error) (goal.VerificationResult, error) {
	e := &hearing{host: h, goal: g, claim: c, report: report}
	for _, stage := range []func(goal.Check) bool{
		func(k goal.Check) bool { return k.Type.IsGate() },
		func(k goal.Check) bool { return !k.Type.IsGate() && k.Type != goal.Manual },
		func(k goal.Check) bool { return k.Type == goal.Manual },
	} {
		if e.settled() {
			break
		}
		if err := e.stage(ctx, stage); err != nil {
			return "", err
		}
	}
	return e.finding(), nil
}

func (e *hearing) stage(ctx context.Context, mine func(goal.Check) bool) error {
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
		v, err := e.decide(ctx, check{k, i})
		if err == nil {
			err = e.report(v)
		}
		if err != nil {
			return err
		}
		e.verdicts = append(e.verdicts, v)
		if v.Outcome == goal.Pass {
			e.passes++
		}
	}
	return nil
}

// decide tries an error once more: a port may have been taken, a model cut off.
func (e *hearing) decide(ctx context.Context, k check) (goal.Verdict, error) {
	var v ruling
	var spent bill
	for try := 1; try <= 2; try++ {
		var err error
		v, err = e.ask(ctx, k)
		spent.add(v.Usage)
		if ctx.Err() != nil { // the run was stopped: the outcome says nothing about the check
			return goal.Verdict{}, fmt.Errorf("verification: %w", context.Cause(ctx))
		}
		if err != nil {
			return goal.Verdict{}, err
		}
		v.Tries = try
		if v.Outcome != goal.CheckErr || !v.again {
			break
		}
	}
	v.Check, v.Name, v.Type, v.Usage = k.n, k.Name(), k.Type, spent.sum
	return v.Verdict, nil
}

// ask hands a check to the one who decides it. Its error is the end of the
// verification and says nothing about the check.
func (e *hearing) ask(ctx context.Context, k check) (ruling, error) {
	if !k.Type.IsGate() {
		if r, ok := e.host.untouched(ctx, k); !ok {
			return r, nil
		}
	}
	switch k.Type {
	case goal.Visual:
		return e.visual(ctx, k)
	case goal.ModelQuestion:
		return e.question(ctx, k)
	case goal.Manual:
		return e.manual(), nil
	case goal.Shell, goal.HTTP, goal.File, goal.JSONPredicate:
	}
	return e.host.gate(ctx, k, e.claim), nil
}

// gate lets a program decide, if what it decides with is what the person saw.
func (h Host) gate(ctx context.Context, k check, c goal.Claim) ruling {
	r := h.watching(ctx, k, func() ruling { return h.decide(ctx, k, c) })
	if r.Outcome == goal.Pass && k.runs() {
		r.Detail = joinedWith(r.Detail, h.World.unknown(k))
	}
	return r
}

func (h Host) decide(ctx context.Context, k check, c goal.Claim) ruling {
	switch k.Type {
	case goal.Shell:
		return h.shell(ctx, k)
	case goal.HTTP:
		return h.http(ctx, k)
	case goal.File:
		return h.file(ctx, k)
	case goal.JSONPredicate:
		return h.predicate(ctx, k, c)
	case goal.Visual, goal.ModelQuestion, goal.Manual:
	}
	return undecidable(fmt.Sprintf("this version cannot decide checks of type %q", k.Type))
}

// untouched says whether what decides a check is what it was, else the verdict.
func (h Host) untouched(ctx context.Context, k check) (ruling, bool) {
	diff, repairable, err := h.World.tampered(ctx, k)
	switch {
	case err != nil:
		return undecided(err), false
	case diff != "" && repairable:
		r := rule(goal.Fail, "what runs this check is not what was installed at the start, so it was not run")
		r.Tail = diff
		return r, false
	case diff != "":
		r := rule(goal.Tampered, "what decides this check is not what it was at the start")
		r.Tail = diff
		return r, false
	}
	return ruling{}, true
}

// settled says that no further check can change the finding.
func (e *hearing) settled() bool {
	if e.goal.Criterion.Any {
		return e.passes > 0
	}
	return e.passes < len(e.verdicts)
}

func (e *hearing) finding() goal.VerificationResult {
	n := len(e.goal.Criterion.Checks)
	switch {
	case e.passes > 0 && (e.passes == n || e.goal.Criterion.Any):
		return goal.Verified
	case e.waiting > 0 && (e.goal.Criterion.Any || e.passes+e.waiting == n):
		return goal.Waiting
	}
	return goal.NotVerified
}
