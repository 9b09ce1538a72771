package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"goalpost/backend/goal"
)

// Delete removes a goal and everything about it, artifacts that nothing else
// refers to included. A running goal is refused.
func (s *Store) Delete(ctx context.Context, id goal.ID) error {
	var orphans []string
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var status goal.Status
		err := tx.QueryRowContext(ctx, "SELECT status FROM goals WHERE id = ?", id).Scan(&status)
		if errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("%w: %s", goal.ErrNotFound, id)
		}
		if err != nil {
			return fmt.Errorf("delete goal: %w", err)
		}
		if status == goal.Running {
			return fmt.Errorf("goal %s is running: abort it first", id.Short())
		}
		if orphans, err = onlyUsedBy(ctx, tx, id); err != nil {
			return err
		}
		for _, q := range []string{"INSERT INTO pruning VALUES (?)", "DELETE FROM goals WHERE id = ?", "DELETE FROM pruning WHERE goal_id = ?"} {
			if _, err := tx.ExecContext(ctx, q, id); err != nil {
				return fmt.Errorf("delete goal: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var errs []error
	for _, sum := range orphans {
		if err := os.Remove(s.artifact(sum)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// onlyUsedBy lists the artifacts that the goal refers to and no other goal does.
func onlyUsedBy(ctx context.Context, tx *sql.Tx, id goal.ID) ([]string, error) {
	rows, err := tx.QueryContext(ctx, `WITH refs (goal_id, sum) AS (
			SELECT goal_id, image_sha256 FROM results UNION ALL SELECT goal_id, whole_sha256 FROM results UNION ALL SELECT goal_id, verdict ->> 'evidence' FROM verdicts)
		SELECT DISTINCT sum FROM refs WHERE goal_id = ?1 AND sum <> '' AND sum NOT IN
			(SELECT sum FROM refs WHERE goal_id <> ?1 AND sum IS NOT NULL)`, id)
	if err != nil {
		return nil, fmt.Errorf("artifacts: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var sums []string
	for rows.Next() {
		var sum string
		if err := rows.Scan(&sum); err != nil {
			return nil, fmt.Errorf("artifacts: %w", err)
		}
		sums = append(sums, sum)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("artifacts: %w", err)
	}
	return sums, nil
}
