package store

import (
	"context"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// SpendTable stores the cost of turns of models. Rows outlive their goals.
type SpendTable struct{ *connection }

// SpendEntry is the cost of one turn of a model.
type SpendEntry struct {
	Goal     goal.ID // "" if no goal asked for it
	Role     string  // agent, critic, judge, suggest
	Provider string
	Model    string
	Usage    goal.Usage
}

// SpendSum is the cost of all turns within one minute for the same goal and model.
type SpendSum struct {
	Minute    time.Time
	Goal      goal.ID
	Objective string // "" if the goal has been deleted
	Folder    string // of the goal, "" if it has been deleted
	Persona   string // of the goal, "" if it has none or has been deleted
	Provider  string
	Model     string // "" if it is not known
	Turns     int
	TokensIn  int64
	TokensOut int64
	USD       float64
}

// minuteLayout is the layout of a stored time up to its minute.
const minuteLayout = "2006-01-02T15:04"

// RecordSpend stores the cost of a turn with the present time.
func (s *SpendTable) RecordSpend(ctx context.Context, e SpendEntry) error {
	return s.commitStatement(ctx, "record the cost of a turn",
		"INSERT INTO spend (at, goal_id, role, provider, model, tokens_in, tokens_out, usd) VALUES (?,?,?,?,?,?,?,?)",
		formatTime(s.now()), e.Goal, e.Role, e.Provider, text.ToUTF8(e.Model), e.Usage.TokensIn, e.Usage.TokensOut,
		e.Usage.USD)
}

// SpentBetween sums the money that all goals and suggestions of this data folder spent from one time up to another.
func (s *SpendTable) SpentBetween(ctx context.Context, from, to time.Time) (usd float64, err error) {
	return readValue[float64](ctx, s.read, "read the spending",
		"SELECT coalesce(sum(usd), 0.0) FROM spend WHERE at >= ? AND at < ?", formatTime(from), formatTime(to))
}

// SpendSince sums the spending since a time by minute, oldest first. A minute belongs to one day in every time zone.
func (s *SpendTable) SpendSince(ctx context.Context, since time.Time) ([]SpendSum, error) {
	return readRows(ctx, s.read, "read the spending", func(r scanner, sum *SpendSum) error {
		var minute string
		err := r.Scan(&minute, &sum.Goal, &sum.Objective, &sum.Folder, &sum.Persona, &sum.Provider,
			&sum.Model, &sum.Turns, &sum.TokensIn, &sum.TokensOut, &sum.USD)
		if err == nil {
			sum.Minute, err = time.Parse(minuteLayout, minute)
		}
		return err //nolint:wrapcheck // readRows adds the context
	}, `SELECT substr(s.at, 1, 16) AS minute, s.goal_id, coalesce(g.objective, ''),
		coalesce(g.policy ->> 'dir', ''), coalesce(g.options ->> '$.persona_copy.name', g.options ->> 'persona', ''),
		s.provider, s.model, count(*),
		sum(s.tokens_in), sum(s.tokens_out), sum(s.usd)
		FROM spend s LEFT JOIN goals g ON g.id = s.goal_id WHERE s.at >= ?
		GROUP BY minute, s.goal_id, s.provider, s.model ORDER BY minute`, formatTime(since))
}
