package runner

import (
	"context"
	"fmt"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// spent is the wall clock used by this goal over all of its runs, without the
// time in which it waited for its person.
func (r *Run) spent() time.Duration {
	now := r.cfg.Clock.Now()
	if !r.stopped.IsZero() {
		now = r.stopped
	}
	return r.before + now.Sub(r.began) - r.idle.at(now)
}

// use is how much of one limit is used up.
type use struct {
	what    string
	percent int
	say     string // the limit in words
}

func (r *Run) uses() []use {
	l, s := r.goal.Limits, r.goal.Spent
	if room, ok := r.room.(Sharer); ok {
		c := room.Shared()
		s.Iterations, s.TokensIn, s.TokensOut, s.USD = s.Iterations+c.Iterations, s.TokensIn+c.TokensIn, s.TokensOut+c.TokensOut, s.USD+c.USD
	}
	var list []use
	add := func(what string, used, most float64, say string) {
		if most > 0 {
			list = append(list, use{what, int(100 * used / most), say})
		}
	}
	add("iterations", float64(s.Iterations), float64(l.Iterations), fmt.Sprintf("%d iterations", l.Iterations))
	add("wall_clock", r.spent().Seconds(), l.WallClock.Seconds(), goal.Span(l.WallClock))
	add("tokens", float64(s.TokensIn+s.TokensOut), float64(l.Tokens), fmt.Sprintf("%d tokens", l.Tokens))
	add("usd", s.USD, l.USD, fmt.Sprintf("$%.2f", l.USD))
	return list
}

// limits stops a run that has used up one of its limits, and warns before.
func (r *Run) limits(ctx context.Context) *Stop {
	if stop := stopOf(ctx); stop != nil {
		return stop
	}
	if stop := r.warn(ctx); stop != nil {
		return stop
	}
	for _, u := range r.uses() {
		if u.percent >= 100 {
			return r.usedUp(u.say)
		}
	}
	return nil
}

// warn journals the marks that were reached since it was called last.
func (r *Run) warn(ctx context.Context) *Stop {
	for _, u := range r.uses() {
		m := mark(u.percent)
		if m <= r.warned[u.what] {
			continue
		}
		r.warned[u.what] = m
		if stop := r.append(ctx, &event.Warning{What: u.what, Text: fmt.Sprintf("%d %% of %s", m, u.say), Percent: m}); stop != nil {
			return stop
		}
	}
	return nil
}

func (r *Run) usedUp(limit string) *Stop {
	return &Stop{Exit: goal.LimitReached, Reason: "the limit of " + limit + " is used up"}
}

// mark is the highest percentage that is warned of and was reached.
func mark(percent int) int {
	for _, m := range []int{100, 80, 50} {
		if percent >= m {
			return m
		}
	}
	return 0
}
