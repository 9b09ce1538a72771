package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"goalpost/backend/core/verify"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/goalsandbox"
	"goalpost/backend/goals/session"
	"goalpost/backend/lib/text"
)

// Try runs one check as pre-flight would, in an existing folder.
func (it *Intake) Try(ctx context.Context, in api.TryInput) (out api.TryOutput, err error) {
	if err := (goal.Criterion{Checks: []goal.Check{in.Check}}).Validate(); err != nil {
		return out, fmt.Errorf("try: %w", err)
	}
	dir := in.Dir
	if dir == "" { // as for a new goal, which begins in an empty folder
		if dir, err = os.MkdirTemp(it.cfg.State(), "try-*"); err != nil {
			return out, fmt.Errorf("try: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	} else if dir, err = it.access.ValidateExistingDir(dir); err != nil {
		return out, err
	}
	p, err := it.draftPolicy(in.Policy, dir)
	if err != nil {
		return out, err
	}
	err = it.sandboxes.WithTrial(
		ctx,
		p,
		it.models.JudgeFor(ctx, goal.Request{}),
		goalsandbox.CheckHosts([]goal.Check{in.Check}),
		func(h verify.CheckRunner) (err error) {
			v := session.Preflight(ctx, h, in.Check)
			it.tried.add(p, dir, in.Check, v, false)
			out, err = describeTry(ctx, TracedCheck{
				Dir:       dir,
				Check:     in.Check,
				Protect:   in.Protect,
				NoProtect: in.NoProtect,
			}, v)
			return err
		},
	)
	return out, err
}

// runPreflight runs every check where it will later decide the goal, quick ones twice. It returns why the goal cannot
// start, if it cannot. What was tried a moment ago is not tried again.
func (it *Intake) runPreflight(ctx context.Context, g *goal.Goal) (err error) {
	known := map[int]goal.Verdict{}
	for i, c := range g.Criterion.Checks {
		if v, ok := it.tried.find(g.Policy, g.Policy.Dir, c); ok {
			known[i] = v
		}
	}
	decide := func(run func(goal.Check) goal.Verdict) error {
		verdicts, problem := session.PreflightProblem(g, func(i int) goal.Verdict {
			v, isKnown := known[i]
			if !isKnown {
				v = run(g.Criterion.Checks[i])
				it.tried.add(g.Policy, g.Policy.Dir, g.Criterion.Checks[i], v, false)
			}
			return v
		})
		if problem != nil {
			return problem
		}
		return it.reportPreflight(ctx, g, verdicts)
	}
	if len(known) == len(g.Criterion.Checks) {
		return decide(nil)
	}
	return it.sandboxes.WithTrial(ctx, g.Policy, it.models.JudgeFor(ctx, g.Request),
		goalsandbox.HostsOf(*g), func(h verify.CheckRunner) error {
			return decide(func(c goal.Check) goal.Verdict { return session.Preflight(ctx, h, c) })
		})
}

// reportPreflight passes the results of a new goal's checks to the caller.
func (it *Intake) reportPreflight(ctx context.Context, g *goal.Goal, verdicts []goal.Verdict) error {
	report := api.Preflighted(ctx)
	if report == nil {
		return nil
	}
	for i, v := range verdicts {
		out, err := describeTry(ctx, TracedCheck{
			Dir:       g.Policy.Dir,
			Check:     g.Criterion.Checks[i],
			Protect:   g.Options.Protect,
			NoProtect: g.Options.NoProtect,
		}, v)
		if err != nil {
			return err
		}
		report(g.Criterion.Checks[i], out)
	}
	return nil
}

func describeTry(ctx context.Context, t TracedCheck, v goal.Verdict) (out api.TryOutput, err error) {
	out = api.NewTryOutput(v)
	if v.Observation == nil && v.Observed == "" && len(t.Protect) == 0 { // the check runs no program
		return out, nil
	}
	if out.Trace, err = t.Describe(ctx, v.Observation); err != nil {
		return out, err
	}
	if v.Outcome == goal.FailsAsExpected || v.Outcome == goal.CheckUnrunnable {
		out.Trace.Stopped = strings.TrimPrefix(findMissing(v), t.Dir+"/")
	}
	if out.Trace.Stopped != "" { // the check ended early, so it is unknown where the goal has to make new files
		out.Trace.Work = slices.DeleteFunc(out.Trace.Work, func(path string) bool { return !strings.HasSuffix(path, "/") })
	}
	return out, nil
}

// missingMessages match the messages of programs when something that they need does not exist. The first group is its
// name.
var missingMessages = []*text.Pattern{
	text.NewPattern(`(?:ModuleNotFoundError|ImportError): No module named '?([^'\s]+)`),
	text.NewPattern(`(?m)^\S*python[0-9.]*: No module named '?([^'\s;]+)`),
	text.NewPattern(`(?m)^\S*python[0-9.]*: can't open file '([^'\n]+)'`),
	text.NewPattern(`Cannot find (?:module|package) '([^'\n]+)'`),
	text.NewPattern(`(?m)^\S+\.go:\d+:\d+: (?:package|no required module provides package) ([^\s;]+)`),
	text.NewPattern(`cannot load such file -- (\S+)`),
	text.NewPattern(`Can't locate (\S+) in @INC`),
	text.NewPattern(`No rule to make target '([^'\n]+)'`),
	text.NewPattern("error\\[E0583\\]: file not found for module `([^`\n]+)`"),
	text.NewPattern(`error: package (\S+) does not exist`),
	text.NewPattern(`fatal error: (\S+): No such file or directory`),
	text.NewPattern(`(?m)^(?:\S*/)?(?:ba|da|z|k)?sh: (?:\d+: )?([^:\n]+): (?:command )?not found`),
	text.NewPattern(`(?m)^\S+: (?:line )?\d+: ([^:\n]+): (?:command )?not found`),
	text.NewPattern(`(?m)^\S+: (?:cannot (?:open|access|stat) )?'?([^:'\n]+)'?: No such file or directory`),
}

// findMissing returns the name of what a failed check did not find, according to its output, "" if the output does not
// name it.
func findMissing(v goal.Verdict) string {
	const maxName = 200
	if v.Missing != "" {
		return v.Missing
	}
	for _, m := range missingMessages {
		if found := m.FindSubmatch(v.Output); found != nil {
			return text.Truncate(text.ToUTF8(string(found[1])), maxName)
		}
	}
	return ""
}
