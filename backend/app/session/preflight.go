package session

import (
	"context"
	"fmt"
	"time"

	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/runner"
	"goalpost/backend/verify"
)

// PreflightProblem returns what keeps a goal from starting, nil if nothing does. It records in g how many
// tests ran.
func PreflightProblem(ctx context.Context, h verify.CheckRunner, g *goal.Goal) *fault.Error {
	g.TestsBefore, g.Observations = nil, nil
	for i, c := range g.Criterion.Checks {
		v := h.Preflight(ctx, c)
		g.TestsBefore = append(g.TestsBefore, v.Tests)
		g.Observations = append(g.Observations, v.Observation)
		where := fmt.Sprintf("check %d (%s): ", i+1, c.Name())
		switch {
		case v.Outcome == goal.AlreadyPasses && !g.Options.AllowPassing:
			return &fault.Error{
				Field:   "criterion",
				Message: where + v.Detail,
				Hint:    "write a check that fails until the goal is reached, or say --allow-passing",
			}
		case v.Outcome == goal.CheckUnrunnable && v.Missing == "": // nothing that the goal makes can change that
			return &fault.Error{
				Field:   "criterion",
				Message: where + withOutputTail(v),
				Hint:    "correct the check, or what it needs",
			}
		case v.Outcome == goal.CheckUnrunnable && !g.Options.AllowMissing:
			return &fault.Error{
				Field:   "criterion",
				Message: where + withOutputTail(v),
				Hint:    "correct the command, or say --allow-missing if making that program is the goal",
			}
		}
	}
	return nil
}

func withOutputTail(v goal.Verdict) string {
	if v.Tail == "" {
		return v.Detail
	}
	return v.Detail + ": " + v.Tail
}

// preflightFreshFor is how long after its creation a goal may begin without checking again.
const preflightFreshFor = time.Minute

// RecheckPreflight runs the checks again before the first turn of a goal that waited in the queue: another
// goal may have reached its objective already, or broken what its checks need.
func (r *Session) RecheckPreflight(ctx context.Context, g goal.Goal) (string, error) {
	row, err := r.registry.Store.Goal(ctx, g.ID)
	if err != nil {
		return "", err
	}
	waited, err := r.registry.Store.WasQueued(ctx, g.ID)
	if err != nil || !waited && r.registry.Clock.Now().Sub(row.CreatedAt) < preflightFreshFor {
		return "", err
	}
	r.AwaitSnapshot(ctx) // a check may change the folder
	if refusal := PreflightProblem(ctx, r.checks, &g); refusal != nil {
		return "the goal's checks have changed their results since it was created: " + refusal.Message +
			". Resume it if that is intended", nil
	}
	return "", nil
}

var _ runner.Preflighter = (*Session)(nil)
