package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// orderTable keeps what users tell a goal until its run has taken it.
type orderTable struct {
	*connection
}

// Order stores an instruction of the user to a goal, for the process that owns the goal.
func (s *orderTable) Order(ctx context.Context, id goal.ID, o goal.Order) error {
	return s.OrderIf(ctx, id, func(GoalRow) error { return nil }, o)
}

// OrderIf is Order for goals in certain states: hears checks the goal in the same transaction, so that either the run
// receives the order or the caller learns that it has ended.
func (s *orderTable) OrderIf(ctx context.Context, id goal.ID, hears func(GoalRow) error, orders ...goal.Order) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		row, err := goalOf(ctx, tx, id)
		if err == nil {
			err = hears(row)
		}
		for _, o := range orders {
			if err == nil {
				err = s.insertOrder(ctx, tx, id, o)
			}
		}
		return err
	})
}

func (s *orderTable) insertOrder(ctx context.Context, tx *sql.Tx, id goal.ID, o goal.Order) error {
	if !o.Kind.IsValid() {
		return fmt.Errorf("unknown order %q", o.Kind)
	}
	return execStatement(ctx, tx, "order",
		"INSERT INTO orders (goal_id, at, kind, text, request, scope) VALUES (?,?,?,?,?,?)",
		id, formatTime(s.now()), o.Kind, toValidUTF8(o.Text), toValidUTF8(o.Request), o.Scope)
}

// Orders returns the pending orders of a goal, oldest first, of the given kinds, or all if none is given. They stay
// pending until they are settled: in the commit of the event that reports their effect, or by Settle. So a process
// that dies in between loses none of them.
func (s *orderTable) Orders(ctx context.Context, id goal.ID, kinds ...goal.OrderKind) ([]goal.Order, error) {
	where, args := pendingOrders(id, kinds)
	return ordersOf(ctx, s.read, where, args...)
}

// TakeOrders is Orders for instructions to stop: they are settled at once. It only writes when there are any.
func (s *orderTable) TakeOrders(ctx context.Context, id goal.ID, kinds ...goal.OrderKind) ([]goal.Order, error) {
	where, args := pendingOrders(id, kinds)
	if list, err := ordersOf(ctx, s.read, where, args...); err != nil || len(list) == 0 {
		return nil, err
	}
	var list []goal.Order
	err := s.tx(ctx, func(tx *sql.Tx) (err error) {
		if list, err = ordersOf(ctx, tx, where, args...); err != nil { // another process may have been faster
			return err
		}
		return settleOrders(ctx, tx, formatTime(s.now()), where, args...)
	})
	return list, err
}

// Settle ends orders that no event reports.
func (s *orderTable) Settle(ctx context.Context, orders ...goal.Order) error {
	if len(orders) == 0 {
		return nil
	}
	return s.tx(ctx, func(tx *sql.Tx) error {
		for _, o := range orders {
			if err := settleOrders(ctx, tx, formatTime(s.now()), "id = ? AND taken_at = ''", o.ID); err != nil {
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

// settleAnswered settles the orders that an event answers, in the event's own commit.
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
		// The goal waits for its user again, and nobody else continues it, except when its parent paused it and
		// continues.
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

// Layout reads a saved layout of the page, "" if there is none.
func (s *workspaceTables) Layout(ctx context.Context, name string) (string, error) {
	return readValue[string](ctx, s.read, "layout", "SELECT coalesce((SELECT body FROM layouts WHERE name = ?), '')", name)
}

// SaveLayout saves a layout of the page, which is JSON.
func (s *workspaceTables) SaveLayout(ctx context.Context, name, body string) error {
	return s.commitStatement(ctx, "layout",
		"INSERT INTO layouts (name, body) VALUES (?,?) ON CONFLICT (name) DO UPDATE SET body = excluded.body", name, body)
}
