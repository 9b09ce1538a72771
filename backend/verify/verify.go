// Package verify decides whether a goal is achieved. The host runs every check
// itself, in the goal's folder, and what the agent says counts for nothing. An
// error is never a pass.
package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"goalpost/backend/goal"
	"goalpost/backend/process"
)

// Host is where checks run: programs are started by Launcher with Env, in Dir.
// It holds no state and may be used concurrently.
type Host struct {
	Launcher process.Launcher
	Env      []string
	Dir      string // the goal's folder, absolute
}

// Criterion runs all checks in their order and reports each verdict as it is
// known. It stops early only when report fails or ctx ends.
func (h Host) Criterion(ctx context.Context, g goal.Goal, _ goal.Claim, report func(goal.Verdict) error) (goal.Finding, error) {
	passes := 0
	for i, check := range g.Criterion.Checks {
		if ctx.Err() != nil {
			return "", fmt.Errorf("verification: %w", context.Cause(ctx))
		}
		v := h.check(ctx, check)
		if ctx.Err() != nil { // the run was stopped: the outcome says nothing about the check
			return "", fmt.Errorf("verification: %w", context.Cause(ctx))
		}
		v.Check, v.Name, v.Type = i, check.Name(), check.Type
		if err := report(v); err != nil {
			return "", err
		}
		if v.Outcome == goal.Pass {
			passes++
		}
	}
	if passes > 0 && (passes == len(g.Criterion.Checks) || g.Criterion.Any) {
		return goal.Verified, nil
	}
	return goal.NotVerified, nil
}

// Review cannot be asked before there is a judge.
func (h Host) Review(context.Context, goal.Goal, goal.Claim, []goal.Verdict) (goal.Review, error) {
	return goal.Review{Error: true, Reason: "there is no reviewer"}, nil
}

func (h Host) check(ctx context.Context, c goal.Check) goal.Verdict {
	if c.Type == goal.Shell {
		return h.shell(ctx, c)
	}
	return goal.Verdict{Outcome: goal.CheckErr, Detail: fmt.Sprintf("this version cannot decide checks of type %q", c.Type)}
}

func evidence(v goal.Verdict, output []byte, bytes int64) goal.Verdict {
	if len(output) == 0 {
		return v
	}
	sum := sha256.Sum256(output)
	v.Output, v.Bytes, v.Evidence = output, bytes, hex.EncodeToString(sum[:])
	return v
}
