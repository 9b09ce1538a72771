package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// OrderTable stores instructions of users to a goal until its run has processed them.
type OrderTable struct {
	*connection
}

// Add stores an instruction of the user to a goal, for the process that owns the goal.
func (ot *OrderTable) Add(ctx context.Context, id goal.ID, o goal.Order) error {
	return ot.AddIf(ctx, id, func(GoalRow) error { return nil }, o)
}

// AddIf stores orders if check accepts the goal. It checks in the same transaction, so either the run receives the
// orders or the caller learns that the run has ended.
func (ot *OrderTable) AddIf(ctx context.Context, id goal.ID, check func(GoalRow) error, orders ...goal.Order) error {
	return ot.tx(ctx, func(tx *sql.Tx) error {
		row, err := goalOf(ctx, tx, id)
		if err == nil {
			err = check(row)
		}
		for _, o := range orders {
			if err == nil {
				err = ot.insertOrder(ctx, tx, id, o)
			}
		}
		return err
	})
}

func (ot *OrderTable) insertOrder(ctx context.Context, tx *sql.Tx, id goal.ID, o goal.Order) error {
	if !o.Kind.IsValid() {
		return fmt.Errorf("unknown order %q", o.Kind)
	}
	return execStatement(ctx, tx, "order",
		"INSERT INTO orders (goal_id, at, kind, text, request, scope) VALUES (?,?,?,?,?,?)",
		id, formatTime(ot.now()), o.Kind, text.ToUTF8(o.Text), text.ToUTF8(o.Request), o.Scope)
}

// List returns the pending orders of a goal, oldest first, of the given kinds, or all if none is given. They stay
// pending until they are settled: in the commit of the event that reports their effect, or by Settle. So a process
// that dies in between loses none of them.
func (ot *OrderTable) List(ctx context.Context, id goal.ID, kinds ...goal.OrderKind) ([]goal.Order, error) {
	where, args := pendingOrders(id, kinds)
	return ordersOf(ctx, ot.read, where, args...)
}

// Take does what List does, for orders to stop, and settles them at once. It writes only if there are any.
func (ot *OrderTable) Take(ctx context.Context, id goal.ID, kinds ...goal.OrderKind) ([]goal.Order, error) {
	where, args := pendingOrders(id, kinds)
	if list, err := ordersOf(ctx, ot.read, where, args...); err != nil || len(list) == 0 {
		return nil, err
	}
	var list []goal.Order
	err := ot.tx(ctx, func(tx *sql.Tx) (err error) {
		if list, err = ordersOf(ctx, tx, where, args...); err != nil { // another process may have been faster
			return err
		}
		return settleOrders(ctx, tx, formatTime(ot.now()), where, args...)
	})
	return list, err
}

// Settle marks orders as processed if no event reports their effect.
func (ot *OrderTable) Settle(ctx context.Context, orders ...goal.Order) error {
	if len(orders) == 0 {
		return nil
	}
	return ot.tx(ctx, func(tx *sql.Tx) error {
		for _, o := range orders {
			if err := settleOrders(ctx, tx, formatTime(ot.now()), "id = ? AND taken_at = ''", o.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

func pendingOrders(id goal.ID, kinds []goal.OrderKind) (where string, args []any) {
	where, args = "goal_id = ? AND taken_at = ''", []any{id}
	if len(kinds) > 0 {
		where += " AND kind IN (?" + strings.Repeat(",?", len(kinds)-1) + ")"
	}
	for _, k := range kinds {
		args = append(args, k)
	}
	return where, args
}

func ordersOf(ctx context.Context, q querier, where string, args ...any) ([]goal.Order, error) {
	return readRows(ctx, q, "orders", func(r scanner, o *goal.Order) error {
		return r.Scan(&o.ID, &o.Kind, &o.Text, &o.Request, &o.Scope)
	}, "SELECT id, kind, text, request, scope FROM orders WHERE "+where+" ORDER BY id", args...)
}

func settleOrders(ctx context.Context, tx *sql.Tx, at, where string, args ...any) error {
	return execStatement(ctx, tx, "orders", "UPDATE orders SET taken_at = ? WHERE "+where, append([]any{at}, args...)...)
}

// settleAnswered settles the orders that an event answers, in the commit of that event.
func settleAnswered(ctx context.Context, tx *sql.Tx, ev event.Event) error {
	const waits = "goal_id = ? AND taken_at = '' AND "
	at, word := formatTime(ev.At), "kind IN ('accept','reject')"
	switch b := ev.Body.(type) {
	case *event.Steered:
		if b.Order > 0 {
			return settleOrders(ctx, tx, at, "id = ?", b.Order)
		}
	case *event.ApprovalResolved:
		return settleOrders(ctx, tx, at, waits+"request = ? AND kind IN ('approve','deny')", ev.GoalID, b.Request)
	case *event.GrantEnded:
		return settleOrders(ctx, tx, at, waits+"request = ? AND kind = 'revoke'", ev.GoalID, b.Request)
	case *event.VerificationFailed:
		return settleOrders(ctx, tx, at, waits+word, ev.GoalID)
	case *event.Queued:
		// The goal waits for its user again, and nothing continues it. A goal that its parent paused is different: the parent
		// may continue it.
		if b.Left == goal.PausedByUser && (b.By == "" || b.By == goal.ExternalAgent) {
			return settleOrders(ctx, tx, at, waits+word, ev.GoalID)
		}
	case *event.Paused:
		if !b.Exit.Interrupted() {
			return settleOrders(ctx, tx, at, waits+word, ev.GoalID)
		}
	case *event.Ended:
		if b.Exit == goal.AbortedByUser || !b.Exit.Interrupted() { // the user's earlier orders are void
			return settleOrders(ctx, tx, at, waits+word, ev.GoalID)
		}
	}
	return nil
}
