package store

import (
	"context"
	"fmt"
	"maps"
	"net"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

const (
	followInterval   = 200 * time.Millisecond
	wakeScanInterval = 10 // number of intervals between two searches for new processes
	followPage       = 500
)

// Follow calls deliver with the events of goals that other processes run, until ctx ends. For the goals in after it
// begins after the given seqs, and for other goals with their next event. lastOwn returns the seq up to which this
// process has already delivered a goal. Follow reads when another process wakes it. It also polls SQLite's data
// version, and reads nothing while that stays the same.
func (h *History) Follow(
	ctx context.Context, after map[goal.ID]int64, lastOwn func(goal.ID) int64, deliver func(event.Event),
) error {
	conn, err := h.connection.read.Conn(ctx)
	if err != nil {
		return fmt.Errorf("follow: %w", err)
	}
	defer func() { _ = conn.Close() }()
	seqs, err := h.connection.seqs(ctx, "1") // all goals, because an old one may be resumed
	if err != nil {
		return err
	}
	maps.Copy(seqs, after)
	wake := &commitListener{sockets: h.sockets, wakeUps: make(chan struct{}, 1), conns: map[string]net.Conn{}}
	defer wake.close()
	wake.connect(ctx)
	tick := time.NewTicker(followInterval)
	defer tick.Stop()
	ticks := 0
	for version := int64(-1); ; {
		select {
		case <-ctx.Done():
			return nil
		case <-wake.wakeUps:
		case <-tick.C:
			if ticks++; ticks%wakeScanInterval == 0 {
				wake.connect(ctx)
			}
		}
		var now int64
		if err := conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&now); err != nil {
			return followError(ctx, err)
		}
		if now == version {
			continue
		}
		version = now
		if err := h.deliverNew(ctx, seqs, lastOwn, deliver); err != nil {
			return followError(ctx, err)
		}
	}
}

// followError returns err, or nil if it only says that ctx has ended.
func followError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("follow: %w", err)
}

func (h *History) deliverNew(
	ctx context.Context, delivered map[goal.ID]int64, lastOwn func(goal.ID) int64, deliver func(event.Event),
) error {
	// Goals that changed in the last minute or may still run.
	seqs, err := h.connection.seqs(ctx, "status IN ('pending','running') OR updated_at > ?",
		formatTime(h.connection.now().Add(-time.Minute)))
	if err != nil {
		return err
	}
	h.journal.awaitPublishing() // now lastOwn counts all events of this process up to seqs
	for id, seq := range seqs {
		delivered[id] = max(delivered[id], lastOwn(id))
		for delivered[id] < seq {
			events, err := h.Events(ctx, id, delivered[id], int(min(followPage, seq-delivered[id])))
			if err != nil {
				return err
			}
			if len(events) == 0 {
				break // deleted
			}
			for _, e := range events {
				deliver(e)
				delivered[id] = e.Seq
			}
		}
	}
	return nil
}

// seqs reads the newest seq of the matching goals.
func (c *connection) seqs(ctx context.Context, where string, args ...any) (map[goal.ID]int64, error) {
	return readMap[goal.ID, int64](ctx, c.read, "follow", "SELECT id, seq FROM goals WHERE "+where, args...)
}
