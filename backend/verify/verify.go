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
func (h Host) Criterion(ctx context.Context, c goal.Criterion, report func(goal.Verdict) error) (passed bool, err error) {
	passes := 0
	for i, check := range c.Checks {
		if ctx.Err() != nil {
			return false, fmt.Errorf("verification: %w", context.Cause(ctx))
		}
		v := h.check(ctx, check)
		if ctx.Err() != nil { // the run was stopped: the outcome says nothing about the check
			return false, fmt.Errorf("verification: %w", context.Cause(ctx))
		}
		v.Check, v.Name = i, check.Name()
		if err := report(v); err != nil {
			return false, err
		}
		if v.Outcome == goal.Pass {
			passes++
		}
	}
	if c.Any {
		return passes > 0, nil
	}
	return passes > 0 && passes == len(c.Checks), nil
}

func (h Host) check(ctx context.Context, c goal.Check) goal.Verdict {
	switch c.Type {
	case goal.Shell:
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
