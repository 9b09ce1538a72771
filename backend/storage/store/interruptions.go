package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// Interruptions returns what a goal went through without its user. Tries of a model without an answer between them are
// one wait.
func (h *History) Interruptions(ctx context.Context, id goal.ID) (goal.Interruptions, error) {
	events, err := h.events(ctx, selectEvents+"WHERE goal_id = ? AND "+rareEventFilter+
		" AND type IN ('paused', 'usage', 'warning') ORDER BY seq", id)
	if err != nil {
		return goal.Interruptions{}, err
	}
	ends, err := h.waitEnds(ctx, id)
	if err != nil {
		return goal.Interruptions{}, err
	}
	r := interruptionReader{ends: ends}
	for _, ev := range events {
		switch b := ev.Body.(type) {
		case *event.Paused:
			r.addPause(ev, b)
		case *event.Usage:
			r.addTurn(ev.At, b)
		case *event.Warning:
			r.addWarning(b)
		}
	}
	return r.Interruptions, nil
}

// waitEnds returns by the seq of each wait that is over when it ended. What is journaled during a wait does not end it.
func (h *History) waitEnds(ctx context.Context, id goal.ID) (map[int64]time.Time, error) {
	texts, err := readMap[int64, string](ctx, h.connection.read, "read waits", `SELECT p.seq, e.at FROM events p
		JOIN events e ON e.goal_id = p.goal_id AND e.seq = (SELECT min(seq) FROM events WHERE goal_id = ?1
			AND seq > p.seq AND type IN ('resumed', 'ended', 'queued', 'paused'))
		WHERE p.goal_id = ?1 AND p.`+rareEventFilter+` AND p.type = 'paused'`, id)
	ends := make(map[int64]time.Time, len(texts))
	for seq, at := range texts {
		if t, parseErr := time.Parse(event.TimeLayout, at); parseErr == nil {
			ends[seq] = t
		}
	}
	return ends, err
}

// interruptionReader collects interruptions from events, in their order.
type interruptionReader struct {
	goal.Interruptions

	ends map[int64]time.Time // of waits, by the seq of their pause
	// isSameWait says that the model has not answered since the last wait for it.
	isSameWait bool
	// isSameFallback says that the goal's own model has not answered since the last turn of a fallback.
	isSameFallback bool
}

func (i *interruptionReader) addPause(ev event.Event, b *event.Paused) {
	end, isOver := i.ends[ev.Seq]
	if !isOver || !b.Exit.IsParked() {
		return
	}
	w := goal.PastWait{Exit: b.Exit, Took: end.Sub(ev.At)}
	if b.Wait != nil {
		w.For = b.Wait.For
	}
	if n := len(i.Waits); i.isSameWait && i.Waits[n-1].Exit == w.Exit {
		i.Waits[n-1].Took += w.Took
	} else {
		i.Waits = append(i.Waits, w)
	}
	i.isSameWait = w.Exit == goal.WaitingForProvider
}

func (i *interruptionReader) addTurn(at time.Time, b *event.Usage) {
	i.isSameWait = false
	if b.By != "" {
		return
	}
	last := len(i.Fallbacks) - 1
	switch {
	case b.Fallback == nil:
		if i.isSameFallback {
			i.Fallbacks[last].Until = at
		}
		i.isSameFallback = false
	case i.isSameFallback && i.Fallbacks[last].Fallback == *b.Fallback:
		i.Fallbacks[last].Turns++
	default:
		i.Fallbacks = append(i.Fallbacks, goal.PastFallback{Fallback: *b.Fallback, Turns: 1})
		i.isSameFallback = true
	}
}

func (i *interruptionReader) addWarning(b *event.Warning) {
	switch b.What {
	case event.SleptWarning:
		i.Slept++
	case event.ServerWarning:
		if !slices.Contains(i.Servers, b.Text) {
			i.Servers = append(i.Servers, b.Text)
		}
	case event.RetryWarning:
		why, _, _ := strings.Cut(b.Text, ":") // it begins with the kind of the failure
		for n := range i.Retries {
			if i.Retries[n].Why == why {
				i.Retries[n].Times++
				return
			}
		}
		i.Retries = append(i.Retries, goal.Retries{Why: why, Times: 1})
	}
}
