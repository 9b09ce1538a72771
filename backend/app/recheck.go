package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"goalpost/backend/api"
	"goalpost/backend/goal"
	"goalpost/backend/verify"
)

// Recheck runs the gates of a goal again in its folder, with the files that
// decide as they were frozen. Judgements are not asked again.
func (a *App) Recheck(ctx context.Context, id goal.ID) (out api.RecheckOutput, err error) {
	row, err := a.store.Goal(ctx, id)
	if err != nil {
		return out, fmt.Errorf("recheck: %w", err)
	}
	if _, err := os.Stat(row.Policy.Dir); err != nil {
		return out, &api.Problem{Code: api.Conflict, Message: "the goal's folder is gone: " + row.Policy.Dir, Hint: "put it back, then try again"}
	}
	if !slices.ContainsFunc(row.Criterion.Checks, func(c goal.Check) bool { return c.Type.Gate() }) {
		return out, &api.Problem{Code: api.Conflict, Message: "no program decides about this goal, so nothing can be run again", Hint: "the receipt has what was said"}
	}
	claim, was, err := a.lastClaim(ctx, id)
	if err != nil {
		return out, err
	}
	out.Verdicts, out.Passed = []goal.Verdict{}, true
	err = a.inHost(ctx, row.Policy, nil, hostsOf(row.Criterion.Checks), func(h verify.Host) error {
		var err error
		if h.World, err = a.keptWorld(ctx, row.Goal); err != nil {
			return err
		}
		return h.Recheck(ctx, row.Goal, claim, was, func(v goal.Verdict) error {
			out.Verdicts = append(out.Verdicts, v)
			out.Passed = out.Passed && (v.Outcome == goal.Pass || v.Outcome == goal.NotRepeatable)
			return nil
		})
	})
	if err != nil {
		return out, fmt.Errorf("recheck: %w", err)
	}
	return out, nil
}

// lastClaim is what a predicate over the claim looks at, and what was found then.
func (a *App) lastClaim(ctx context.Context, id goal.ID) (goal.Claim, []goal.Verdict, error) {
	claims, err := a.store.Claims(ctx, id)
	if err != nil || len(claims) == 0 {
		return goal.Claim{}, nil, err
	}
	last := claims[len(claims)-1]
	return goal.Claim{N: last.N, Rationale: last.Rationale, Result: last.Result}, last.Verdicts, nil
}

// keptWorld compares with what was kept at the goal's start; nil where nothing
// was, as looking must not begin to keep.
func (a *App) keptWorld(ctx context.Context, g goal.Goal) (*verify.World, error) {
	if _, err := os.Stat(a.keptOf(g.ID)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return a.worldOf(ctx, g)
}
