package store

import (
	"context"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// RunSpan is the time of one run.
type RunSpan struct {
	ID        string
	Started   time.Time
	LastAlive time.Time // the last sign of life of the process that had it
}

// RunSpans reads the runs of a goal, oldest first.
func (h *History) RunSpans(ctx context.Context, id goal.ID) ([]RunSpan, error) {
	return readRows(ctx, h.connection.read, "read runs", func(r scanner, run *RunSpan) error {
		return r.Scan(&run.ID, timeColumn{&run.Started}, timeColumn{&run.LastAlive})
	}, "SELECT id, started_at, heartbeat_at FROM runs WHERE goal_id = ? ORDER BY started_at, rowid", id)
}

// usageQuery names the index, as reviewsQuery does.
const usageQuery = selectEvents + "INDEXED BY events_of_kind WHERE goal_id = ? AND " + rareEventFilter +
	" AND type IN ('usage','paused','ended') ORDER BY seq"

// UsageAndStops reads what the turns of a goal cost and where its runs ended, oldest first. Bodies that cannot be read
// are left out.
func (h *History) UsageAndStops(ctx context.Context, id goal.ID) ([]event.Event, error) {
	list, err := h.events(ctx, usageQuery, id)
	kept := list[:0]
	for _, e := range list {
		switch e.Body.(type) {
		case *event.Usage, *event.Paused, *event.Ended:
			kept = append(kept, e)
		}
	}
	return kept, err
}
