package store

import (
	"context"
	"database/sql"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// OutcomeTable stores how goals ended. Rows outlive their goals.
type OutcomeTable struct{ *connection }

// Outcome is one end of a goal. A goal that is reopened has several.
type Outcome struct {
	Goal    goal.ID
	Exit    goal.Exit
	Model   string  // of the goal when it ended
	Asks    int     // requests for approval since the goal's start
	Warned  bool    // the critic said that the agent is stuck or misled, since the goal's start or former end
	NotDone bool    // the goal ended done, and the user said that it is not
	USD     float64 // what the goal has cost up to now, in each of its outcomes
}

// All reads the outcomes of all goals, those of one goal in their order.
func (o *OutcomeTable) All(ctx context.Context) ([]Outcome, error) {
	return readRows(ctx, o.read, "read how goals ended", func(r scanner, out *Outcome) error {
		return r.Scan(&out.Goal, &out.Exit, &out.Model, &out.Asks, &out.Warned, &out.NotDone, &out.USD)
	}, `SELECT o.goal_id, o.exit, o.model, o.asks, o.warned, o.not_done != '', coalesce(s.usd, 0.0)
		FROM outcomes o LEFT JOIN (SELECT goal_id, sum(usd) AS usd FROM spend GROUP BY goal_id) s ON s.goal_id = o.goal_id
		ORDER BY o.goal_id, o.seq`)
}

// recordOutcome notes how a goal ended.
func recordOutcome(ctx context.Context, tx *sql.Tx, ev event.Event, b *event.Ended) error {
	return execStatement(ctx, tx, "note how the goal ended",
		`INSERT INTO outcomes (goal_id, seq, at, exit, model, asks, warned) SELECT ?1, ?2, ?3, ?4, model,
		(SELECT count(*) FROM approvals WHERE goal_id = ?1),
		EXISTS (SELECT 1 FROM events INDEXED BY events_of_kind WHERE goal_id = ?1 AND `+rareEventFilter+` AND
			type = 'critic' AND body ->> 'verdict' IN (?5, ?6) AND
			seq > coalesce((SELECT max(seq) FROM outcomes WHERE goal_id = ?1), 0))
		FROM goals WHERE id = ?1`,
		ev.GoalID, ev.Seq, formatTime(ev.At), b.Exit, event.CriticStuck, event.CriticOffTrack)
}

// noteNotDone notes that the user does not agree that the goal is done.
func noteNotDone(ev event.Event) (string, []any) {
	return "UPDATE outcomes SET not_done = ?2 WHERE goal_id = ?1 AND exit = ?3 AND " +
		"seq = (SELECT max(seq) FROM outcomes WHERE goal_id = ?1)", []any{ev.GoalID, formatTime(ev.At), goal.Done}
}
