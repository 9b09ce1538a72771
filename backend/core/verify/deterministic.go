package verify

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
)

// runDeterministic runs a deterministic check, and verifies that what decides it is what the user saw.
func (cr CheckRunner) runDeterministic(ctx context.Context, k check.Item, c goal.Claim) check.Result {
	outputs := cr.outputStates(k)
	r := cr.runWatched(ctx, k, func() check.Result { return cr.environment().Decide(ctx, k, c) })
	return cr.judgeInputs(ctx, k, r, outputs)
}

// runWatched runs a check while watching what decides it. A pass counts only if nothing was changed in the
// meantime, because the agent could put it back afterwards.
func (cr CheckRunner) runWatched(ctx context.Context, k check.Item, decide func() check.Result) check.Result {
	w, err := cr.Folder.protectedState().Watch(k.N, cr.usesOverrides(k))
	if err != nil {
		return check.RetryableError(err)
	}
	r, intact := cr.tamperedVerdict(k)
	if intact {
		r = decide()
	}
	touched, blind := w.Stop()
	if !intact || r.Outcome != goal.Pass {
		return r
	}
	if len(touched) > 0 {
		result := check.NewResult(goal.CheckErr,
			fmt.Sprintf("%s changed while the check ran, so its pass does not count: stop what writes there",
				strings.Join(touched, ", ")))
		result.Retryable, result.Tail = true, r.Tail
		return result
	}
	if blind != nil {
		r.Detail += fmt.Sprintf("; it is unknown whether protected files changed while it ran (%v)", blind)
	}
	if after, intact := cr.tamperedVerdict(k); !intact {
		return after
	}
	return r
}

// tamperedVerdict reports whether what decides a check is unchanged. If not, it returns the verdict.
func (cr CheckRunner) tamperedVerdict(k check.Item) (check.Result, bool) {
	diff, err := cr.Folder.protectedState().Tampered(k.N)
	switch {
	case err != nil:
		return check.RetryableError(err), false
	case diff != "":
		r := check.NewResult(goal.Tampered, "what decides this check has changed since the start")
		r.Tail = diff
		return r, false
	}
	return check.Result{}, true
}
