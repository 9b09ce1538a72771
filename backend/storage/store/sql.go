package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// querier is a connection or a transaction.
type querier interface {
	QueryContext(ctx context.Context, q string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, q string, args ...any) *sql.Row
}

// scanner is a row of a result.
type scanner interface{ Scan(...any) error }

// visitRows calls visit for each row of a query. Errors of the database begin with the text in what.
func visitRows(
	ctx context.Context, q querier, what string, visit func(scanner) error, query string, args ...any,
) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := visit(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// readRows reads every row of a query with scan. Errors begin with the text in what.
func readRows[T any](
	ctx context.Context, q querier, what string, scan func(scanner, *T) error, query string, args ...any,
) ([]T, error) {
	var list []T
	err := visitRows(ctx, q, what, func(r scanner) error {
		var v T
		if err := scan(r, &v); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		list = append(list, v)
		return nil
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return list, nil
}

// scanValue reads a row of one column.
func scanValue[T any](r scanner, v *T) error { return r.Scan(v) }

// readMap reads the rows of a query with two columns: a key and its value. Errors begin with the text in what.
func readMap[K comparable, V any](
	ctx context.Context, q querier, what, query string, args ...any,
) (map[K]V, error) {
	found := map[K]V{}
	err := visitRows(ctx, q, what, func(r scanner) error {
		var key K
		var v V
		if err := r.Scan(&key, &v); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		found[key] = v
		return nil
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return found, nil
}

// readValue reads the only row of a query, which has one column. Errors begin with the text in what, and may wrap
// sql.ErrNoRows.
func readValue[T any](ctx context.Context, q querier, what, query string, args ...any) (v T, err error) {
	if err := q.QueryRowContext(ctx, query, args...).Scan(&v); err != nil {
		return v, fmt.Errorf("%s: %w", what, err)
	}
	return v, nil
}

// execStatement runs a statement in a transaction. Errors begin with the text in what.
func execStatement(ctx context.Context, tx *sql.Tx, what, query string, args ...any) error {
	if _, err := tx.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// commitStatement runs a statement in its own transaction. Errors begin with the text in what.
func (c *connection) commitStatement(ctx context.Context, what, query string, args ...any) error {
	return c.tx(ctx, func(tx *sql.Tx) error { return execStatement(ctx, tx, what, query, args...) })
}

// timeColumn reads a stored time. An empty one is the zero time: it has not happened yet.
type timeColumn struct{ at *time.Time }

func (t timeColumn) Scan(value any) error {
	text, _ := value.(string)
	*t.at = parseStamp(text)
	return nil
}

// jsonColumn reads stored JSON into what v points to. NULL changes nothing. What is not JSON was changed on the disk.
type jsonColumn struct{ v any }

func (j jsonColumn) Scan(value any) error {
	var err error
	switch b := value.(type) {
	case nil:
	case string:
		err = json.Unmarshal([]byte(b), j.v)
	case []byte:
		err = json.Unmarshal(b, j.v)
	default:
		return fmt.Errorf("%T is not JSON", value)
	}
	if err != nil {
		return &damageError{err.Error()}
	}
	return nil
}
