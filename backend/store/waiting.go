package store

import (
	"context"
	"fmt"

	"goalpost/backend/goal"
)

// Waits says whether the goal is paused for its person's word about a manual
// check: the newest claim was the last thing that happened, it has not failed,
// and such a check is left.
func (s *Store) Waits(ctx context.Context, g Row) (bool, error) {
	if g.Status != goal.Paused || g.Exit != goal.NeedsOperator || !asksPerson(g.Criterion) {
		return false, nil
	}
	var waits bool
	err := s.read.QueryRowContext(ctx, `WITH last (seq) AS (SELECT max(seq) FROM events WHERE goal_id = ?1 AND type = 'claim')
		SELECT (SELECT seq FROM last) IS NOT NULL AND NOT EXISTS (
			SELECT 1 FROM events WHERE goal_id = ?1 AND seq > (SELECT seq FROM last) AND (type IN ('verification_failed','iteration')
				OR type = 'verdict' AND body ->> 'outcome' = 'tampered'))`, g.ID).Scan(&waits)
	if err != nil {
		return false, fmt.Errorf("does the goal wait: %w", err)
	}
	return waits, nil
}

func asksPerson(c goal.Criterion) bool {
	for _, check := range c.Checks {
		if check.Type == goal.Manual && check.Wait {
			return true
		}
	}
	return false
}
