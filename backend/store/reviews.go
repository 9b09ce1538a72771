package store

import (
	"context"
	"fmt"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// ReviewRecord is a comment of the critic or a review about a goal: exactly one of the two is set.
type ReviewRecord struct {
	At     time.Time
	AtMS   int64 // since the goal started
	Critic *event.Critic
	Review *event.Review
}

// reviewIndex names the index, because SQLite would otherwise read the whole journal to sort.
const reviewIndex = "SELECT seq, run_id, at, type, body FROM events INDEXED BY events_of_kind WHERE goal_id = ? AND " +
	rareEventFilter +
	" AND type IN ('critic','review') ORDER BY seq"

// Reviews reads every comment of the critic and every review, oldest first.
func (s *history) Reviews(ctx context.Context, id goal.ID) ([]ReviewRecord, error) {
	row, err := s.goals.Goal(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := s.events(ctx, reviewIndex, id)
	if err != nil {
		return nil, err
	}
	said := make([]ReviewRecord, 0, len(list))
	for _, e := range list {
		o := ReviewRecord{At: e.At, AtMS: (&journalCursor{started: row.StartedAt}).msSinceStart(e.At)}
		switch b := e.Body.(type) {
		case *event.Critic:
			o.Critic = b
		case *event.Review:
			o.Review = b
		}
		said = append(said, o)
	}
	return said, nil
}

// Warnings reads the warnings of a goal about one subject, oldest first.
func (s *history) Warnings(ctx context.Context, id goal.ID, about string) ([]event.Event, error) {
	return s.events(ctx,
		"SELECT seq, run_id, at, type, body FROM events INDEXED BY events_of_kind WHERE goal_id = ? AND "+rareEventFilter+
			" AND type = 'warning' AND body ->> 'what' = ? ORDER BY seq", id, about)
}

// RunRow is one run of a goal: its process and how long it lived.
type RunRow struct {
	ID          string
	PID         int
	StartedAt   time.Time
	HeartbeatAt time.Time // its last sign of life
}

// Runs reads every run of a goal, oldest first.
func (s *history) Runs(ctx context.Context, id goal.ID) ([]RunRow, error) {
	rows, err := s.read.QueryContext(ctx,
		"SELECT id, pid, started_at, heartbeat_at FROM runs WHERE goal_id = ? ORDER BY started_at, id", id)
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []RunRow
	for rows.Next() {
		var r RunRow
		var started, heartbeat string
		if err := rows.Scan(&r.ID, &r.PID, &started, &heartbeat); err != nil {
			return nil, fmt.Errorf("read runs: %w", err)
		}
		r.StartedAt, r.HeartbeatAt = parseStamp(started), parseStamp(heartbeat)
		list = append(list, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	return list, nil
}
