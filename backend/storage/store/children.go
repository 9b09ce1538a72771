package store

import (
	"context"
	"database/sql"
	"fmt"

	"goalpost/backend/domain/goal"
)

// Children reads the goals that a goal's agent started, oldest first.
func (gt *GoalTable) Children(ctx context.Context, id goal.ID) ([]GoalRow, error) {
	return readRows(ctx, gt.read, "children", scanGoal, "SELECT "+goalColumns+
		" FROM goals WHERE options ->> 'parent' = ? ORDER BY created_at, id", id)
}

// Race reads the goals of a race, in the order of the runners.
func (gt *GoalTable) Race(ctx context.Context, id goal.ID) ([]GoalRow, error) {
	return readRows(ctx, gt.read, "race", scanGoal, "SELECT "+goalColumns+
		" FROM goals WHERE options ->> '$.race.id' = ? ORDER BY options ->> '$.race.runner'", id)
}

// Runners reads all goals that are in a race, by race, the newest race first.
func (gt *GoalTable) Runners(ctx context.Context) ([]GoalRow, error) {
	return readRows(ctx, gt.read, "races", scanGoal, "SELECT "+goalColumns+
		" FROM goals WHERE options ->> '$.race.id' <> '' ORDER BY options ->> '$.race.id' DESC, options ->> '$.race.runner'")
}

// Shared sums what the child goals of a goal have spent, including deleted ones. It counts against the limits of the
// parent.
func (gt *GoalTable) Shared(ctx context.Context, id goal.ID) (total goal.Spend, err error) {
	err = gt.read.QueryRowContext(ctx, "SELECT coalesce((SELECT spent_by_deleted FROM goals WHERE id = ?), '{}')",
		id).Scan(jsonColumn{&total})
	if err != nil {
		return total, fmt.Errorf("read the spending of deleted child goals: %w", err)
	}
	rows, err := gt.Children(ctx, id)
	for _, r := range rows {
		total = total.Add(r.Spent)
	}
	return total, err
}

// inheritSpend adds what a deleted goal has spent to its parent.
func inheritSpend(ctx context.Context, tx *sql.Tx, id goal.ID) error {
	return execStatement(ctx, tx, "add the spending of a deleted child goal",
		`UPDATE goals SET spent_by_deleted = (SELECT json_object(
			'Iterations', coalesce(goals.spent_by_deleted ->> 'Iterations', 0) + c.iterations, 'TokensIn',
			coalesce(goals.spent_by_deleted ->> 'TokensIn', 0) + c.tokens_in,
			'TokensOut', coalesce(goals.spent_by_deleted ->> 'TokensOut', 0) + c.tokens_out, 'USD',
			coalesce(goals.spent_by_deleted ->> 'USD', 0) + c.usd)
			FROM goals c WHERE c.id = ?1)
		WHERE id = (SELECT options ->> 'parent' FROM goals WHERE id = ?1)`, id)
}
