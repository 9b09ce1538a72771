package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"goalpost/backend/domain/goal"
)

// SaveLoopState stores the state of the loop guard for the next run of a goal. It does nothing for a run that is not
// the goal's current one.
func (h *History) SaveLoopState(ctx context.Context, run goal.Run, m goal.LoopState) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("loop state: %w", err)
	}
	return h.connection.commitStatement(ctx, "save the loop state",
		`INSERT INTO memories (goal_id, seq, body) SELECT id, seq, ? FROM goals WHERE id = ? AND run_id = ?
		ON CONFLICT (goal_id) DO UPDATE SET seq = excluded.seq, body = excluded.body`, string(body), run.Goal, run.ID)
}

// loopState reads the stored state, unless the user has intervened since.
func (h *History) loopState(ctx context.Context, id goal.ID) (m goal.LoopState, err error) {
	err = h.connection.read.QueryRowContext(ctx, `SELECT body FROM memories WHERE goal_id = ?1 AND NOT EXISTS (
		SELECT 1 FROM events WHERE goal_id = ?1 AND `+rareEventFilter+` AND seq > memories.seq
		AND (type = 'limits_changed' OR type IN ('paused','ended') AND body ->> 'exit' IN (`+needsUserExits+`)))`,
		id).Scan(jsonColumn{&m})
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return m, fmt.Errorf("read the loop state: %w", err)
	}
	return m, nil
}
