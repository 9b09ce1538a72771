package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/core/verify"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
)

// maxQuickCheck is the longest duration of a check that pre-flight runs twice to find flaky results.
const maxQuickCheck = 2 * time.Second

// maxFlakyOutput bounds the shown output of two runs that differ, in bytes.
const maxFlakyOutput = 8 << 10

// Preflight tries a check as it will decide later. A quick command in the sandbox runs twice. If the second run differs
// although the check changed no file in the folder, the outcome is CheckErr.
func Preflight(ctx context.Context, h verify.CheckRunner, c goal.Check) goal.Verdict {
	first := h.Preflight(ctx, c)
	decided := first.Outcome == goal.FailsAsExpected || first.Outcome == goal.AlreadyPasses
	if c.Where != "" || !c.Type.IsDeterministic() || !decided || ctx.Err() != nil ||
		first.TookMS > maxQuickCheck.Milliseconds() || changesFolder(first) {
		return first
	}
	second := h.RepeatPreflight(ctx, c)
	if ctx.Err() != nil || second.Outcome == first.Outcome || changesFolder(second) {
		return first
	}
	flaky := first
	flaky.Outcome, flaky.Missing = goal.CheckErr, ""
	flaky.Detail = fmt.Sprintf("flaky: on the same files it %s in one run and %s in the next",
		describeOutcome(first), describeOutcome(second))
	both := fmt.Appendf(nil, "run 1 (exit %d):\n%s\n\nrun 2 (exit %d):\n%s",
		first.ExitCode, first.Tail, second.ExitCode, second.Tail)
	flaky.Output = text.TruncateMiddle(both, maxFlakyOutput)
	flaky.Tail = string(flaky.Output)
	return flaky
}

// changesFolder reports whether a check may have written in the goal's folder, apart from caches. Then the next run may
// differ for a good reason.
func changesFolder(v goal.Verdict) bool {
	o := v.Observation
	return o == nil || slices.ContainsFunc(slices.Concat(o.Written, o.Rewritten), func(file string) bool {
		return !slices.ContainsFunc(strings.Split(file, "/"), func(name string) bool {
			return strings.HasPrefix(name, ".") || name == "__pycache__"
		})
	})
}

func describeOutcome(v goal.Verdict) string {
	switch v.Outcome {
	case goal.AlreadyPasses:
		return "passed"
	case goal.FailsAsExpected:
		return "failed"
	default:
		return "could not run"
	}
}

// PreflightProblem returns why a goal cannot start, nil if it can, and the verdicts so far. The callback tries
// the check with the given index. It records in g how many tests ran, and which files the checks used.
func PreflightProblem(g *goal.Goal, try func(i int) goal.Verdict) (verdicts []goal.Verdict, problem *fault.Error) {
	g.TestsBefore, g.Observations = nil, nil
	for i, c := range g.Criterion.Checks {
		v := try(i)
		verdicts = append(verdicts, v)
		g.TestsBefore = append(g.TestsBefore, v.Tests)
		g.Observations = append(g.Observations, v.Observation)
		where := fmt.Sprintf("check %d (%s): ", i+1, c.Name())
		switch {
		case v.Outcome == goal.CheckErr:
			return verdicts, fault.Invalid("criterion", where+withOutputTail(v),
				"make sure that the check has the same result each time on the same files")
		case v.Outcome == goal.AlreadyPasses && !g.Options.AllowPassing:
			return verdicts, invalidCheck(fault.CheckPasses, where+v.Detail,
				"write a check that fails until the goal is reached").OnCommandLine(
				"write a check that fails until the goal is reached, or pass --allow passing")
		case v.Outcome == goal.CheckUnrunnable && v.Missing == "": // the goal cannot repair it by making a program
			return verdicts, fault.Invalid("criterion", where+withOutputTail(v), "correct the check, or what it needs")
		case v.Outcome == goal.CheckUnrunnable && !g.Options.AllowMissing:
			return verdicts, invalidCheck(fault.CheckMissing, where+v.Detail,
				"correct the command, or start anyway if the goal is to make it").OnCommandLine(
				"correct the command, or pass --allow missing if the goal is to make that program")
		}
	}
	return verdicts, nil
}

// invalidCheck refuses a check with a code, by which the window offers a way out.
func invalidCheck(code, message, hint string) *fault.Error {
	e := fault.New(code, message, hint)
	e.Field = "criterion"
	return e
}

func withOutputTail(v goal.Verdict) string {
	if v.Tail == "" {
		return v.Detail
	}
	return v.Detail + ": " + v.Tail
}

// maxPreflightAge is how long after its creation a goal may begin without running the checks again.
const maxPreflightAge = time.Minute

// RecheckPreflight runs the checks again before the first turn of a goal that waited in the queue, because another goal
// may have reached its objective, or broken what its checks need. It returns why the goal should not begin, "" if it
// may.
func (se *Session) RecheckPreflight(ctx context.Context, g goal.Goal) (string, error) {
	row, err := se.registry.Store.Goals.Get(ctx, g.ID)
	if err != nil {
		return "", err
	}
	waited, err := se.registry.Store.Questions.WasQueued(ctx, g.ID)
	if err != nil || !waited && se.registry.Clock.Now().Sub(row.CreatedAt) < maxPreflightAge {
		return "", err
	}
	se.AwaitSnapshot(ctx) // a check may change the folder
	try := func(i int) goal.Verdict { return Preflight(ctx, se.checks, g.Criterion.Checks[i]) }
	if _, refusal := PreflightProblem(&g, try); refusal != nil {
		return "the results of the goal's checks have changed since it was created: " + refusal.Message +
			". Resume the goal if that is intended", nil
	}
	return "", nil
}

var _ runner.Preflighter = (*Session)(nil)
