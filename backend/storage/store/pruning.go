package store

import (
	"context"
	"time"

	"goalpost/backend/domain/goal"
)

// Predicate selects ended goals; its zero value is all of them.
type Predicate struct {
	Status      goal.Status // "" is completed, failed and aborted
	OlderThanMS int64       // since it ended; 0 is any age
}

// Prunable lists the matching ended goals, oldest first. It never includes an active goal.
func (gt *GoalTable) Prunable(ctx context.Context, p Predicate) ([]goal.ID, error) {
	where, args := "status IN ('completed','failed','aborted')", []any{}
	if p.Status != "" {
		where, args = where+" AND status = ?", append(args, p.Status)
	}
	if p.OlderThanMS > 0 {
		before := gt.now().Add(-time.Duration(p.OlderThanMS) * time.Millisecond)
		where, args = where+" AND ended_at < ?", append(args, formatTime(before))
	}
	return readRows(ctx, gt.read, "prunable goals", scanValue[goal.ID],
		"SELECT id FROM goals WHERE "+where+" ORDER BY created_at, id", args...)
}
