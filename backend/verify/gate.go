package verify

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/verify/check"
)

// runGate lets a program decide, if what it decides with is what the user saw.
func (h CheckRunner) runGate(ctx context.Context, k check.Indexed, c goal.Claim) check.Result {
	outputs := h.outputStates(k)
	r := h.runWatched(ctx, k, func() check.Result { return h.environment().Decide(ctx, k, c) })
	return h.judgeInputs(ctx, k, r, outputs)
}

// runWatched runs a check that decides with things which the agent could change
// in the meantime. A pass counts only if nobody did.
func (h CheckRunner) runWatched(ctx context.Context, k check.Indexed, decide func() check.Result) check.Result {
	w, err := h.World.guard().Watch(k.N, h.usesOverrides(k))
	if err != nil {
		return check.RetryableError(err)
	}
	r, intact := h.tamperedVerdict(k)
	if intact {
		r = decide()
	}
	touched, blind := w.Stop()
	if !intact || r.Outcome != goal.Pass {
		return r
	}
	if len(touched) > 0 {
		again := check.NewResult(goal.CheckErr,
			fmt.Sprintf("%s changed while the check ran, so that it passed says nothing: stop what writes there",
				strings.Join(touched, ", ")))
		again.Retryable, again.Tail = true, r.Tail
		return again
	}
	if blind != nil {
		r.Detail += fmt.Sprintf("; nobody could see whether what decides was changed (%v)", blind)
	}
	if after, intact := h.tamperedVerdict(k); !intact {
		return after
	}
	return r
}

// tamperedVerdict says whether what decides a check is what it was, else the verdict.
func (h CheckRunner) tamperedVerdict(k check.Indexed) (check.Result, bool) {
	diff, err := h.World.guard().Tampered(k.N)
	switch {
	case err != nil:
		return check.RetryableError(err), false
	case diff != "":
		r := check.NewResult(goal.Tampered, "what decides this check is not what it was at the start")
		r.Tail = diff
		return r, false
	}
	return check.Result{}, true
}
