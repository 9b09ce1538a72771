package store

import (
	"context"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// ReviewRecord is a comment of the critic or a review about a goal: exactly one of the two is set.
type ReviewRecord struct {
	Seq    int64
	At     time.Time
	AtMS   int64 // since the goal started
	Critic *event.Critic
	Review *event.Review
}

// reviewsQuery names the index, because SQLite would otherwise read the whole journal to sort.
const reviewsQuery = selectEvents + "INDEXED BY events_of_kind WHERE goal_id = ? AND " +
	rareEventFilter +
	" AND type IN ('critic','review') ORDER BY seq"

// Reviews reads every comment of the critic and every review, oldest first.
func (h *History) Reviews(ctx context.Context, id goal.ID) ([]ReviewRecord, error) {
	row, err := h.goals.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := h.events(ctx, reviewsQuery, id)
	if err != nil {
		return nil, err
	}
	records := make([]ReviewRecord, 0, len(list))
	for _, e := range list {
		o := ReviewRecord{Seq: e.Seq, At: e.At, AtMS: (&journalCursor{started: row.StartedAt}).msSinceStart(e.At)}
		switch b := e.Body.(type) {
		case *event.Critic:
			o.Critic = b
		case *event.Review:
			o.Review = b
		}
		records = append(records, o)
	}
	return records, nil
}

// Warnings reads the warnings of a goal about one subject, oldest first.
func (h *History) Warnings(ctx context.Context, id goal.ID, subject string) ([]event.Event, error) {
	return h.events(ctx,
		selectEvents+"INDEXED BY events_of_kind WHERE goal_id = ? AND "+rareEventFilter+
			" AND type = 'warning' AND body ->> 'what' = ? ORDER BY seq", id, subject)
}
