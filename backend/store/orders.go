package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"goalpost/backend/goal"
)

// Order writes what a person asks of a goal. Whoever owns the goal takes it.
func (s *Store) Order(ctx context.Context, id goal.ID, o goal.Order) error {
	if !o.Kind.Valid() {
		return fmt.Errorf("unknown order %q", o.Kind)
	}
	return s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO orders (goal_id, at, kind, text, request, scope) VALUES (?,?,?,?,?,?)",
			id, stamp(s.now()), o.Kind, valid(o.Text), valid(o.Request), o.Scope)
		if err != nil {
			return fmt.Errorf("order: %w", err)
		}
		return nil
	})
}

// TakeOrders returns the waiting orders of a goal in the order they came and
// marks them taken, all in one transaction. Other kinds than the given ones go on
// waiting; none given means all. It only writes when there are any.
func (s *Store) TakeOrders(ctx context.Context, id goal.ID, kinds ...goal.OrderKind) ([]goal.Order, error) {
	where, args := "goal_id = ? AND taken_at = ''", []any{id}
	if len(kinds) > 0 {
		where += " AND kind IN (?" + strings.Repeat(",?", len(kinds)-1) + ")"
	}
	for _, k := range kinds {
		args = append(args, k)
	}
	var waiting bool
	if err := s.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM orders WHERE "+where+")", args...).Scan(&waiting); err != nil {
		return nil, fmt.Errorf("orders: %w", err)
	}
	if !waiting {
		return nil, nil
	}
	var list []goal.Order
	err := s.tx(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT kind, text, request, scope FROM orders WHERE "+where+" ORDER BY id", args...)
		if err != nil {
			return fmt.Errorf("orders: %w", err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var o goal.Order
			if err := rows.Scan(&o.Kind, &o.Text, &o.Request, &o.Scope); err != nil {
				return fmt.Errorf("orders: %w", err)
			}
			list = append(list, o)
		}
		if err := rows.Err(); err != nil {
			return fmt.Errorf("orders: %w", err)
		}
		if _, err := tx.ExecContext(ctx, "UPDATE orders SET taken_at = ? WHERE "+where, append([]any{stamp(s.now())}, args...)...); err != nil {
			return fmt.Errorf("orders: %w", err)
		}
		return nil
	})
	return list, err
}

// Layout reads a kept layout of the page, "" if there is none.
func (s *Store) Layout(ctx context.Context, name string) (string, error) {
	var body string
	err := s.read.QueryRowContext(ctx, "SELECT coalesce((SELECT body FROM layouts WHERE name = ?), '')", name).Scan(&body)
	if err != nil {
		return "", fmt.Errorf("layout: %w", err)
	}
	return body, nil
}

// SaveLayout keeps a layout of the page, which is JSON.
func (s *Store) SaveLayout(ctx context.Context, name, body string) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO layouts (name, body) VALUES (?,?) ON CONFLICT (name) DO UPDATE SET body = excluded.body", name, body)
		if err != nil {
			return fmt.Errorf("layout: %w", err)
		}
		return nil
	})
}
