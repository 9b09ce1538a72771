package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// heldLease is a pane that a goal holds, with the start of the process that gave it.
type heldLease struct {
	event.Lease
	holder string
}

// completeLeases appends release events for panes that the goal still holds when it ends or pauses, or whose process
// is gone when a new run begins. Leases that change nothing are left out.
func (j *Journal) completeLeases(
	ctx context.Context, tx *sql.Tx, id goal.ID, bodies []event.Body,
) ([]event.Body, error) {
	if !slices.ContainsFunc(bodies, affectsLeases) {
		return bodies, nil
	}
	now, err := leasesOf(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	var list []event.Body
	back := func(which func(heldLease) bool) {
		for _, h := range now {
			if which(h) {
				list = append(list, &event.Lease{Pane: h.Pane, Kind: h.Kind, Shared: h.Shared})
			}
		}
		now = slices.DeleteFunc(now, which)
	}
	for _, body := range bodies {
		switch b := body.(type) {
		case *event.Lease:
			same := func(h heldLease) bool { return h.Pane == b.Pane }
			if slices.ContainsFunc(now, same) == b.Held {
				continue
			}
			if now = slices.DeleteFunc(now, same); b.Held {
				now = append(now, heldLease{*b, j.start})
			}
		case *event.Paused: // a paused goal keeps its own panes as long as the program runs
			back(func(h heldLease) bool {
				return b.Exit == goal.Interrupted || h.Shared && !b.Exit.IsParked()
			})
		case *event.Ended:
			back(func(heldLease) bool { return true })
		}
		list = append(list, body)
		if isOpeningEvent(body) {
			back(func(h heldLease) bool { return h.holder != j.start })
		}
	}
	return list, nil
}

func affectsLeases(b event.Body) bool {
	switch b.(type) {
	case *event.Lease, *event.Paused, *event.Ended:
		return true
	}
	return isOpeningEvent(b)
}

// isOpeningEvent reports whether a run begins with the event.
func isOpeningEvent(b event.Body) bool {
	switch b.(type) {
	case *event.Started, *event.Resumed, *event.Reopened:
		return true
	}
	return false
}

func leasesOf(ctx context.Context, tx *sql.Tx, id goal.ID) ([]heldLease, error) {
	return readRows(ctx, tx, "leases", func(r scanner, h *heldLease) error {
		return r.Scan(&h.Pane, &h.Kind, &h.Shared, &h.holder)
	}, "SELECT pane, kind, shared, holder FROM leases WHERE goal_id = ? ORDER BY pane", id)
}

func (j *Journal) lease(ev event.Event, b *event.Lease) (string, []any) {
	if !b.Held {
		return "DELETE FROM leases WHERE goal_id = ? AND pane = ?", []any{ev.GoalID, b.Pane}
	}
	return "INSERT INTO leases (goal_id, pane, kind, shared, holder) VALUES (?,?,?,?,?)",
		[]any{ev.GoalID, b.Pane, b.Kind, b.Shared, j.start}
}

// ReleaseLease journals that a goal no longer has a pane, if it had it: the pane was closed, or the user ended the
// share.
func (j *Journal) ReleaseLease(ctx context.Context, id goal.ID, pane string) error {
	var run string
	var lease event.Lease
	err := j.read.QueryRowContext(ctx, "SELECT g.run_id, l.pane, l.kind, l.shared FROM leases l JOIN goals g ON g.id = "+
		"l.goal_id WHERE l.goal_id = ? AND l.pane = ? AND l.holder = ?",
		id, pane, j.start).Scan(&run, &lease.Pane, &lease.Kind, &lease.Shared)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("lease of %s: %w", pane, err)
	}
	return j.Append(ctx, goal.Run{Goal: id, ID: run}, &lease)
}
