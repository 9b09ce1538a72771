package runner

import (
	"context"
	"fmt"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// spent is the wall clock used by this goal over all of its runs.
func (r *Run) spent() time.Duration { return r.before + r.cfg.Clock.Now().Sub(r.began) }

// limits stops a run that has used up one of its limits, and warns before.
func (r *Run) limits(ctx context.Context) *Stop {
	l, s := r.goal.Limits, r.goal.Spent
	if stop := stopOf(ctx); stop != nil {
		return stop
	}
	for _, use := range []struct {
		what      string
		used, max float64
		say       string
	}{
		{"iterations", float64(s.Iterations), float64(l.Iterations), fmt.Sprintf("%d iterations", l.Iterations)},
		{"wall_clock", r.spent().Seconds(), l.WallClock.Seconds(), l.WallClock.String()},
		{"tokens", float64(s.TokensIn + s.TokensOut), float64(l.Tokens), fmt.Sprintf("%d tokens", l.Tokens)},
		{"usd", s.USD, l.USD, fmt.Sprintf("$%.2f", l.USD)},
	} {
		if use.max <= 0 {
			continue
		}
		percent := int(100 * use.used / use.max)
		if stop := r.warn(ctx, use.what, percent, use.say); stop != nil {
			return stop
		}
		if percent >= 100 {
			return &Stop{goal.LimitReached, "the limit of " + use.say + " is used up"}
		}
	}
	return nil
}

// warn journals 50, 80 and 100 per cent once each.
func (r *Run) warn(ctx context.Context, what string, percent int, limit string) *Stop {
	for _, mark := range []int{100, 80, 50} {
		if percent < mark {
			continue
		}
		if r.warned[what] >= mark {
			return nil
		}
		r.warned[what] = mark
		return r.append(ctx, &event.Warning{What: what, Text: fmt.Sprintf("%d %% of %s", mark, limit)})
	}
	return nil
}
