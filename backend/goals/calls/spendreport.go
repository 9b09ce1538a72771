package calls

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// SpendBy is what the rows of a report are.
type SpendBy string

// What rows are.
const (
	SpendByDay      SpendBy = "day"
	SpendByGoal     SpendBy = "goal"
	SpendByProvider SpendBy = "provider"
	SpendByModel    SpendBy = "model"
)

// The types of SpendAPI. Money is in USD; it is 0 if the price of a model is not known.
type (
	// SpendInput selects what a report sums up.
	SpendInput struct {
		By    SpendBy `json:"by"`    // "" = day
		Since string  `json:"since"` // RFC 3339, "" = always
	}

	// SpendReport sums up the cost of models. Its rows are sorted by cost, days from the newest to the oldest.
	SpendReport struct {
		By    SpendBy    `json:"by"`
		Since string     `json:"since"`
		Rows  []SpendRow `json:"rows"`
		Total SpendRow   `json:"total"`
		Today SpendToday `json:"today"`
	}

	// SpendRow is one day, goal, provider or model.
	SpendRow struct {
		Key       string  `json:"key"`   // a date such as 2026-11-23, the id of a goal, a provider or a model
		Label     string  `json:"label"` // the objective of a goal; "" if it has been deleted
		USD       float64 `json:"usd"`
		Turns     int     `json:"turns"`
		TokensIn  int64   `json:"tokens_in"`
		TokensOut int64   `json:"tokens_out"`
	}

	// SpendToday is what was spent on the present day of the user's time zone.
	SpendToday struct {
		USD      float64 `json:"usd"`
		LimitUSD float64 `json:"limit_usd"` // of all goals together, 0 = no limit
		ResetsAt string  `json:"resets_at"` // RFC 3339: the beginning of the next day
	}
)

// SpendAPI reports the cost of models.
type SpendAPI struct {
	cfg   *config.Config
	store *store.SpendTable
	now   func() time.Time // in the user's time zone
	apiBase
}

// NewSpendAPI makes the API; ctx is the program's life.
func NewSpendAPI(ctx context.Context, c *config.Config, s *store.SpendTable, now func() time.Time) *SpendAPI {
	return &SpendAPI{c, s, now, apiBase{ctx}}
}

// Today reads what was spent today, and the limit.
func (s *SpendAPI) Today() (out SpendToday, err error) {
	defer s.recoverProblem(&err)
	start, end := goal.DayBounds(s.now())
	usd, err := s.store.SpentBetween(s.ctx, start, end)
	return SpendToday{
		USD:      usd,
		LimitUSD: s.cfg.Settings().DailyLimitUSD,
		ResetsAt: end.UTC().Format(event.TimeLayout),
	}, err
}

// Report sums up what was spent by day, goal, provider or model.
func (s *SpendAPI) Report(in SpendInput) (out SpendReport, err error) {
	defer s.recoverProblem(&err)
	out = SpendReport{By: cmp.Or(in.By, SpendByDay), Since: in.Since, Rows: []SpendRow{}}
	if !slices.Contains([]SpendBy{SpendByDay, SpendByGoal, SpendByProvider, SpendByModel}, out.By) {
		return out, fault.Invalid("by", fmt.Sprintf("spend cannot be summed by %q", in.By),
			"use day, goal, provider or model")
	}
	var since time.Time
	if in.Since != "" {
		if since, err = time.Parse(time.RFC3339, in.Since); err != nil {
			return out, fault.Invalid("since", fmt.Sprintf("%q is not a time", in.Since),
				"use a time such as 2026-11-23T00:00:00Z")
		}
	}
	sums, err := s.store.SpendSince(s.ctx, since)
	if err != nil {
		return out, err
	}
	out.Rows = groupSpend(sums, out.By, s.now().Location())
	for _, r := range out.Rows {
		out.Total.add(r)
	}
	out.Today, err = s.Today()
	return out, err
}

// groupSpend groups sums by day, goal, provider or model.
func groupSpend(sums []store.SpendSum, by SpendBy, zone *time.Location) []SpendRow {
	at := map[string]int{}
	rows := []SpendRow{}
	for _, s := range sums {
		row := SpendRow{USD: s.USD, Turns: s.Turns, TokensIn: s.TokensIn, TokensOut: s.TokensOut}
		switch by {
		case SpendByDay:
			row.Key = s.Minute.In(zone).Format(time.DateOnly)
		case SpendByGoal:
			row.Key, row.Label = string(s.Goal), s.Objective
		case SpendByProvider:
			row.Key = s.Provider
		case SpendByModel:
			row.Key = s.Model
		}
		if i, ok := at[row.Key]; ok {
			rows[i].add(row)
			continue
		}
		at[row.Key] = len(rows)
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b SpendRow) int {
		if by == SpendByDay {
			return cmp.Compare(b.Key, a.Key)
		}
		return cmp.Or(cmp.Compare(b.USD, a.USD), cmp.Compare(b.TokensIn+b.TokensOut, a.TokensIn+a.TokensOut))
	})
	return rows
}

// add adds another row to this one.
func (s *SpendRow) add(o SpendRow) {
	s.USD += o.USD
	s.Turns += o.Turns
	s.TokensIn += o.TokensIn
	s.TokensOut += o.TokensOut
}
