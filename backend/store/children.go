package store

import (
	"context"
	"fmt"

	"goalpost/backend/goal"
)

// Children reads the goals that a goal's agent started, oldest first.
func (s *Store) Children(ctx context.Context, id goal.ID) ([]Row, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+goalColumns+" FROM goals WHERE options ->> 'parent' = ? ORDER BY created_at, id", id)
	if err != nil {
		return nil, fmt.Errorf("children: %w", err)
	}
	return scanGoals(rows)
}
