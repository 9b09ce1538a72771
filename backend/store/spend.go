package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"goalpost/backend/goal"
)

// spendTable stores what turns of models cost. Rows outlive their goals.
type spendTable struct{ *connection }

// SpendEntry is what one turn of a model cost.
type SpendEntry struct {
	Goal     goal.ID // "" for what no goal asked for
	Role     string  // agent, critic, judge, suggest
	Provider string
	Model    string
	Usage    goal.Usage
}

// SpendSum is what turns within one minute cost that were asked for the same goal, of the same model.
type SpendSum struct {
	Minute    time.Time
	Goal      goal.ID
	Objective string // "" if the goal has been deleted
	Provider  string
	Model     string // "" if it is not known
	Turns     int
	TokensIn  int64
	TokensOut int64
	USD       float64
}

// minuteLayout is the beginning of a stored time.
const minuteLayout = "2006-01-02T15:04"

// RecordSpend stores what a turn cost, at the present time.
func (s *spendTable) RecordSpend(ctx context.Context, e SpendEntry) error {
	return s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx,
			"INSERT INTO spend (at, goal_id, role, provider, model, tokens_in, tokens_out, usd) VALUES (?,?,?,?,?,?,?,?)",
			formatTime(s.now()), e.Goal, e.Role, e.Provider, toValidUTF8(e.Model), e.Usage.TokensIn, e.Usage.TokensOut,
			e.Usage.USD)
		if err != nil {
			return fmt.Errorf("record what a turn cost: %w", err)
		}
		return nil
	})
}

// SpentBetween sums the money that all goals and suggestions of this data folder spent from one time up to another.
func (s *spendTable) SpentBetween(ctx context.Context, from, to time.Time) (usd float64, err error) {
	err = s.read.QueryRowContext(ctx, "SELECT coalesce(sum(usd), 0.0) FROM spend WHERE at >= ? AND at < ?",
		formatTime(from), formatTime(to)).Scan(&usd)
	if err != nil {
		return 0, fmt.Errorf("read what was spent: %w", err)
	}
	return usd, nil
}

// SpendSince reads what was spent since a time, oldest first. Sums of minutes belong to one day in every time zone.
func (s *spendTable) SpendSince(ctx context.Context, since time.Time) ([]SpendSum, error) {
	rows, err := s.read.QueryContext(ctx,
		`SELECT substr(s.at, 1, 16) AS minute, s.goal_id, coalesce(g.objective, ''), s.provider, s.model, count(*),
		sum(s.tokens_in), sum(s.tokens_out), sum(s.usd)
		FROM spend s LEFT JOIN goals g ON g.id = s.goal_id WHERE s.at >= ?
		GROUP BY minute, s.goal_id, s.provider, s.model ORDER BY minute`, formatTime(since))
	if err != nil {
		return nil, fmt.Errorf("read what was spent: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var sums []SpendSum
	for rows.Next() {
		var sum SpendSum
		var minute string
		if err := rows.Scan(&minute, &sum.Goal, &sum.Objective, &sum.Provider, &sum.Model, &sum.Turns, &sum.TokensIn,
			&sum.TokensOut, &sum.USD); err != nil {
			return nil, fmt.Errorf("read what was spent: %w", err)
		}
		if sum.Minute, err = time.Parse(minuteLayout, minute); err != nil {
			return nil, fmt.Errorf("read what was spent: %w", err)
		}
		sums = append(sums, sum)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read what was spent: %w", err)
	}
	return sums, nil
}
