package store

import (
	"context"
	"database/sql"
	"errors"
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

// Waited says whether a goal has waited in the queue.
func (s *Store) Waited(ctx context.Context, id goal.ID) (waited bool, err error) {
	if err = s.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM events WHERE goal_id = ? AND type = 'queued')", id).Scan(&waited); err != nil {
		return false, fmt.Errorf("did the goal wait: %w", err)
	}
	return waited, nil
}

// Answered lists the goals that are paused for their person, who has accepted the
// result or sent it back, and of which no run has heard it yet.
func (s *Store) Answered(ctx context.Context) ([]goal.ID, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT DISTINCT o.goal_id FROM orders o JOIN goals g ON g.id = o.goal_id
		WHERE o.taken_at = '' AND o.kind IN ('accept','reject') AND g.status = 'paused' AND g.exit = 'needs_operator' ORDER BY 1`)
	if err != nil {
		return nil, fmt.Errorf("goals that were answered: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var ids []goal.ID
	for rows.Next() {
		var id goal.ID
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("goals that were answered: %w", err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("goals that were answered: %w", err)
	}
	return ids, nil
}

// AskedPane is the pane in which the person is to do what the agent of a paused
// goal asked for, "" if it asked for nothing or named none.
func (s *Store) AskedPane(ctx context.Context, g Row) (string, error) {
	if g.Status != goal.Paused || g.Exit != goal.NeedsOperator {
		return "", nil
	}
	var name sql.NullString
	err := s.read.QueryRowContext(ctx, `SELECT body ->> 'pane' FROM events WHERE goal_id = ? AND type = 'paused' ORDER BY seq DESC LIMIT 1`, g.ID).Scan(&name)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("the pane that the agent asks about: %w", err)
	}
	return name.String, nil
}

func asksPerson(c goal.Criterion) bool {
	for _, check := range c.Checks {
		if check.Type == goal.Manual && check.Wait {
			return true
		}
	}
	return false
}
