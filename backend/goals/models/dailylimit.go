package models

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// Ledger stores the cost of turns, for all processes of a data folder.
type Ledger interface {
	RecordSpend(ctx context.Context, e store.SpendEntry) error
	// SpentBetween returns the sum in USD.
	SpentBetween(ctx context.Context, from, to time.Time) (float64, error)
}

// Budget limits what all goals and suggestions of a data folder spend in a day of the user's time zone. It does not
// stop a turn, so the turns under way can exceed the limit. All methods may be called concurrently.
type Budget struct {
	Config *config.Config
	Ledger Ledger
	Clock  runner.Clock
	Log    *slog.Logger

	mu     sync.Mutex
	warned map[goal.ID]time.Time // the day for which a goal was last warned
}

// warnShare is the share of the limit at which goals are warned.
const warnShare = 0.8

// today is the limit of the current day, and what was spent so far.
type today struct {
	limit, total float64   // in USD; a limit of 0 means none
	start, end   time.Time // of the day
}

func (t today) isReached() bool { return t.limit > 0 && t.total >= t.limit }

// readToday reads what was spent today. Without a limit it leaves total at 0.
func (b *Budget) readToday(ctx context.Context) (d today, err error) {
	d.start, d.end = goal.DayBounds(b.Clock.Now())
	if d.limit = b.Config.Settings().DailyLimitUSD; d.limit > 0 {
		d.total, err = b.Ledger.SpentBetween(ctx, d.start, d.end)
	}
	return d, err
}

// IsReached reports whether today's limit is used up. If that cannot be read, it logs why and returns true.
func (b *Budget) IsReached(ctx context.Context) bool {
	d, err := b.readToday(ctx)
	if err != nil && ctx.Err() == nil {
		b.Log.Warn("today's limit cannot be checked", "error", err)
	}
	return err != nil || d.isReached()
}

// RefuseIfReached returns an error for the user if today's limit is used up.
func (b *Budget) RefuseIfReached(ctx context.Context) error {
	d, err := b.readToday(ctx)
	if err != nil || !d.isReached() {
		return err
	}
	return &fault.Error{
		Code:        fault.Conflict,
		Message:     fmt.Sprintf("today's limit of $%.2f is used up: $%.2f was spent", d.limit, d.total),
		Hint:        "raise it in Settings › Spending, or wait until tomorrow",
		CommandHint: "raise it in Settings › Spending or with `goalctl spend --daily-limit`, or wait until tomorrow",
		Field:       "limits",
	}
}

// Spender describes who asks a model.
type Spender struct {
	Goal goal.ID // "" if no goal asks
	Role string  // agent, critic, judge, suggest
	// Warn receives a warning when most of the day's limit is used up. It may be nil.
	Warn func(text string)
}

// Meter wraps the client of a provider's model. It stores the cost of each turn in the ledger, and refuses turns that
// are not free once today's limit is used up. A nil Budget does neither.
func (b *Budget) Meter(m model.Client, p config.Provider, by Spender) model.Client {
	if b == nil {
		return m
	}
	return meteredModel{Client: m, budget: b, provider: p, by: by}
}

// isFree reports whether a provider's models are known to be free.
func isFree(p config.Provider) bool {
	if p.Kind == config.Demo {
		return true
	}
	preset, ok := config.FindPreset(p.Preset)
	return ok && preset.IsLocal && isLoopback(p.BaseURL) && p.Price == nil
}

// meteredModel records what a model costs, and enforces the daily limit.
type meteredModel struct {
	model.Client
	budget   *Budget
	provider config.Provider
	by       Spender
}

func (m meteredModel) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	if !isFree(m.provider) {
		if err := m.checkLimit(ctx); err != nil {
			return goal.Reply{}, err
		}
	}
	reply, err := m.Client.Turn(ctx, t, delta)
	usage := reply.Usage
	var mistake *goal.ModelMistake
	if errors.As(err, &mistake) {
		usage = mistake.Usage
	}
	if m.provider.Kind != config.Demo && usage != (goal.Usage{}) {
		m.record(ctx, t.Model, usage)
	}
	return reply, err
}

// checkLimit returns a *goal.Unavailable if today's limit is used up, and warns when most of it is.
func (m meteredModel) checkLimit(ctx context.Context) error {
	d, err := m.budget.readToday(ctx)
	if err != nil {
		return fmt.Errorf("today's limit cannot be checked: %w", err)
	}
	switch {
	case d.isReached():
		return &goal.Unavailable{
			Until:      d.end,
			DailyLimit: true,
			Err:        limitReachedError(d.limit),
		}
	case d.limit > 0 && d.total >= warnShare*d.limit && m.by.Warn != nil && m.budget.markWarned(m.by.Goal, d.start):
		m.by.Warn(fmt.Sprintf("%d %% of today's limit of $%.2f is used up", int(100*d.total/d.limit), d.limit))
	}
	return nil
}

// limitReachedError is the error for today's limit, in USD.
type limitReachedError float64

func (l limitReachedError) Error() string {
	return fmt.Sprintf("Today's limit of $%.2f is reached; resumes tomorrow or when you raise it: Settings › Spending",
		float64(l))
}

// markWarned marks a goal as warned for a day, and reports whether it was not yet.
func (b *Budget) markWarned(id goal.ID, day time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.warned == nil {
		b.warned = map[goal.ID]time.Time{}
	}
	if b.warned[id].Equal(day) {
		return false
	}
	b.warned[id] = day
	return true
}

// record stores what a turn cost, even if the user has stopped the run in the meantime.
func (m meteredModel) record(ctx context.Context, name string, u goal.Usage) {
	if name == "" {
		name = m.provider.Model
	}
	err := m.budget.Ledger.RecordSpend(context.WithoutCancel(ctx), store.SpendEntry{
		Goal:     m.by.Goal,
		Role:     m.by.Role,
		Provider: m.provider.ID,
		Model:    name,
		Usage:    u,
	})
	if err != nil {
		m.budget.Log.Error("the cost of a turn was not recorded", "provider", m.provider.ID, "error", err)
	}
}
