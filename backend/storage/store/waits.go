package store

import (
	"context"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// Waits returns for what a goal has waited by itself, oldest first. Tries of a model without an answer between them are
// one wait.
func (h *History) Waits(ctx context.Context, id goal.ID) (list []goal.PastWait, err error) {
	events, err := h.events(ctx, selectEvents+"WHERE goal_id = ? AND "+rareEventFilter+
		" AND type IN ('paused', 'usage') ORDER BY seq", id)
	if err != nil {
		return nil, err
	}
	next, err := h.events(ctx, selectEvents+`WHERE goal_id = ?1 AND seq IN (
		SELECT seq + 1 FROM events WHERE goal_id = ?1 AND `+rareEventFilter+" AND type = 'paused')", id)
	if err != nil {
		return nil, err
	}
	ends := map[int64]time.Time{}
	for _, ev := range next {
		ends[ev.Seq-1] = ev.At
	}
	isSame := false // the model has not answered since the last wait for it
	for _, ev := range events {
		b, isPause := ev.Body.(*event.Paused)
		end, isOver := ends[ev.Seq]
		if !isPause {
			isSame = false
		}
		if !isPause || !isOver || !b.Exit.IsParked() {
			continue
		}
		w := goal.PastWait{Exit: b.Exit, Took: end.Sub(ev.At)}
		if b.Wait != nil {
			w.For = b.Wait.For
		}
		if n := len(list); isSame && list[n-1].Exit == w.Exit {
			list[n-1].Took += w.Took
		} else {
			list = append(list, w)
		}
		isSame = w.Exit == goal.WaitingForProvider
	}
	return list, nil
}
