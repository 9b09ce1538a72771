package store

import (
	"context"

	"goalpost/backend/goal"
)

// Waits says whether the goal is paused for the person's word about a manual
// check: its newest claim has a verdict of every check but such ones.
func (s *Store) Waits(ctx context.Context, g Row) (bool, error) {
	if g.Status != goal.Paused || g.Exit != goal.NeedsOperator {
		return false, nil
	}
	open := map[int]bool{}
	for i, c := range g.Criterion.Checks {
		if c.Type == goal.Manual && c.Wait {
			open[i] = true
		}
	}
	if len(open) == 0 {
		return false, nil
	}
	claims, err := s.Claims(ctx, g.ID)
	if err != nil || len(claims) == 0 {
		return false, err
	}
	last := claims[len(claims)-1]
	for _, v := range last.Verdicts {
		delete(open, v.Check)
	}
	return len(open) > 0 && !s.failed(g, last), nil
}

// failed says whether what was decided already leaves nothing to ask for.
func (*Store) failed(g Row, c Claim) bool {
	for _, v := range c.Verdicts {
		if v.Outcome != goal.Pass && !g.Criterion.Any {
			return true
		}
	}
	return false
}
