package runner

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// elapsed is the wall clock used by this goal over all of its runs, without the
// time in which it waited for its user.
func (b *budget) elapsed() time.Duration {
	now := b.run.cfg.Clock.Now()
	if !b.stoppedAt.IsZero() {
		now = b.stoppedAt
	}
	return b.spentBefore + now.Sub(b.startedAt) - b.idle.elapsed(now)
}

// limitUsage is how much of one limit is used up.
type limitUsage struct {
	what    string
	percent int
	say     string // the limit in words
}

// childSpend is what the goals that this one started have spent.
func (b *budget) childSpend() goal.Spend {
	if room, ok := b.run.session.(ChildSpender); ok {
		return room.TotalSpend()
	}
	return goal.Spend{}
}

func (b *budget) limitUsages() []limitUsage {
	l, s := b.run.goal.Limits, b.run.goal.Spent.Add(b.childSpend())
	var list []limitUsage
	add := func(what string, used, most float64, say string) {
		if most > 0 {
			list = append(list, limitUsage{what, int(100 * used / most), say})
		}
	}
	add("iterations", float64(s.Iterations), float64(l.Iterations), fmt.Sprintf("%d iterations", l.Iterations))
	if u, ok := b.wallClockUsage(); ok {
		list = append(list, u)
	}
	add("tokens", float64(s.TokensIn+s.TokensOut), float64(l.Tokens), fmt.Sprintf("%d tokens", l.Tokens))
	add("usd", s.USD, l.USD, fmt.Sprintf("$%.2f", l.USD))
	return list
}

// wallClockUsage is how much of the wall clock is used up, if there is a limit of it. Safe for
// the watch, too.
func (b *budget) wallClockUsage() (limitUsage, bool) {
	most := b.run.goal.Limits.WallClock
	if most <= 0 {
		return limitUsage{}, false
	}
	return limitUsage{"wall_clock", int(100 * b.elapsed().Seconds() / most.Seconds()), goal.FormatDuration(most)}, true
}

// enforceLimits stops a run that has used up one of its limits, and warns before.
func (b *budget) enforceLimits(ctx context.Context) *Stop {
	if stop := stopCause(ctx); stop != nil {
		return stop
	}
	if stop := b.warnLimits(ctx, b.limitUsages()...); stop != nil {
		return stop
	}
	if limit := b.exhaustedLimit(); limit != "" {
		return b.run.limitStop(limit)
	}
	return nil
}

// exhaustedLimit is the limit in words for which there is no next iteration, "" for none.
func (b *budget) exhaustedLimit() string {
	for _, u := range b.limitUsages() {
		if u.percent >= 100 {
			return u.say
		}
	}
	return ""
}

// warnLimits journals the marks that were reached since it was called last.
func (b *budget) warnLimits(ctx context.Context, uses ...limitUsage) *Stop {
	for _, u := range uses {
		m := warnThreshold(u.percent)
		if !b.warned.mark(u.what, m) {
			continue
		}
		if stop := b.run.journal_.journal(ctx, &event.Warning{What: u.what, Text: fmt.Sprintf("%d %% of %s", m, u.say), Percent: m}); stop != nil {
			return stop
		}
	}
	return nil
}

// warnWallClock warns while a call or a turn takes long. The end of the time cuts it, and is
// told with that.
func (b *budget) warnWallClock(ctx context.Context) *Stop {
	if u, ok := b.wallClockUsage(); ok && u.percent < 100 {
		return b.warnLimits(ctx, u)
	}
	return nil
}

// limitWarnings are the marks that were warned of, by limit. The watch warns, too. Safe for
// concurrent use; nothing is warned of before the runs before are known.
type limitWarnings struct {
	mu sync.Mutex
	at map[string]int
}

// restore takes what the runs before have warned of.
func (w *limitWarnings) restore(at map[string]int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = map[string]int{}
	maps.Copy(w.at, at)
}

// mark says whether a mark is new.
func (w *limitWarnings) mark(what string, mark int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at == nil || mark <= w.at[what] {
		return false
	}
	w.at[what] = mark
	return true
}

func (r *Run) limitStop(limit string) *Stop {
	return &Stop{Exit: goal.LimitReached, Reason: "the limit of " + limit + " is used up"}
}

// warnThreshold is the highest percentage that is warned of and was reached.
func warnThreshold(percent int) int {
	for _, m := range []int{100, 80, 50} {
		if percent >= m {
			return m
		}
	}
	return 0
}
