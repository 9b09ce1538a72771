package store

import (
	"context"
	"fmt"
	"time"

	"goalpost/backend/goal"
)

// Predicate selects ended goals; its zero value is all of them.
type Predicate struct {
	Status      goal.Status // "" is completed, failed and aborted
	OlderThanMS int64       // since it ended; 0 is any age
}

// Prunable lists the matching ended goals, oldest first. It never includes an active goal.
func (s *goalTable) Prunable(ctx context.Context, p Predicate) ([]goal.ID, error) {
	where, args := "status IN ('completed','failed','aborted')", []any{}
	if p.Status != "" {
		where, args = where+" AND status = ?", append(args, p.Status)
	}
	if p.OlderThanMS > 0 {
		before := s.now().Add(-time.Duration(p.OlderThanMS) * time.Millisecond)
		where, args = where+" AND ended_at < ?", append(args, formatTime(before))
	}
	rows, err := s.read.QueryContext(ctx, "SELECT id FROM goals WHERE "+where+" ORDER BY created_at, id", args...)
	if err != nil {
		return nil, fmt.Errorf("prunable goals: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var ids []goal.ID
	for rows.Next() {
		var id goal.ID
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("prunable goals: %w", err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("prunable goals: %w", err)
	}
	return ids, nil
}
