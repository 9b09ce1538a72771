package store

import (
	"context"
	"time"

	"goalpost/backend/domain/goal"
)

// WorkKind is what a part of a run was spent on.
type WorkKind string

// The kinds.
const (
	WorkCall  WorkKind = "call"  // of a tool
	WorkClaim WorkKind = "claim" // from the claim to its last verdict
	WorkAsk   WorkKind = "ask"   // from the request for an approval to the answer
	WorkTurn  WorkKind = "turn"  // has no end: the reply is not in an event of its own
)

// WorkTime is a part of a run.
type WorkTime struct {
	Kind     WorkKind
	Tool     string // of a call
	RunID    string
	From, To time.Time
}

// workQuery reads only the first columns of rows, because the texts in the later ones may be long.
const workQuery = `SELECT 'call', s.tool, r.run_id, s.at, r.at FROM steps s
		JOIN results r ON r.goal_id = s.goal_id AND r.n = s.n WHERE s.goal_id = ?1
	UNION ALL SELECT 'claim', '', c.run_id, c.at, max(v.at) FROM claims c
		JOIN verdicts v ON v.goal_id = c.goal_id AND v.claim = c.n WHERE c.goal_id = ?1 GROUP BY c.n
	UNION ALL SELECT 'ask', '', p.run_id, p.at, a.at FROM approvals p
		JOIN answers a ON a.goal_id = p.goal_id AND a.id = p.id WHERE p.goal_id = ?1
	UNION ALL SELECT 'turn', '', run_id, at, '' FROM events WHERE goal_id = ?1 AND type = 'iteration'`

// WorkTimes reads what the calls, claims and requests for approvals of a goal took, without those that are not over,
// and when its turns began, in no order.
func (h *History) WorkTimes(ctx context.Context, id goal.ID) ([]WorkTime, error) {
	return readRows(ctx, h.connection.read, "read what took time", func(r scanner, w *WorkTime) error {
		return r.Scan(&w.Kind, &w.Tool, &w.RunID, timeColumn{&w.From}, timeColumn{&w.To})
	}, workQuery, id)
}
