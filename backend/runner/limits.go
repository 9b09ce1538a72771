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

// shared is what the goals that this one started have spent.
func (r *Run) shared() goal.Spend {
	if room, ok := r.room.(Sharer); ok {
		return room.Shared()
	}
	return goal.Spend{}
}

func (r *Run) uses() []use {
	l, s := r.goal.Limits, r.goal.Spent.Add(r.shared())
	var list []use
	add := func(what string, used, most float64, say string) {
		if most > 0 {
			list = append(list, use{what, int(100 * used / most), say})
		}
	}
	add("iterations", float64(s.Iterations), float64(l.Iterations), fmt.Sprintf("%d iterations", l.Iterations))
	if u, ok := r.time(); ok {
		list = append(list, u)
	}
	add("tokens", float64(s.TokensIn+s.TokensOut), float64(l.Tokens), fmt.Sprintf("%d tokens", l.Tokens))
	add("usd", s.USD, l.USD, fmt.Sprintf("$%.2f", l.USD))
	return list
}

// time is how much of the wall clock is used up, if there is a limit of it. Safe for
// the watch, too.
func (r *Run) time() (use, bool) {
	most := r.goal.Limits.WallClock
	if most <= 0 {
		return use{}, false
	}
	return use{"wall_clock", int(100 * r.spent().Seconds() / most.Seconds()), goal.FormatDuration(most)}, true
}

// limits stops a run that has used up one of its limits, and warns before.
func (r *Run) limits(ctx context.Context) *Stop {
	if stop := stopOf(ctx); stop != nil {
		return stop
	}
	if stop := r.warn(ctx, r.uses()...); stop != nil {
		return stop
	}
	if limit := r.usedUpLimit(); limit != "" {
		return r.usedUp(limit)
	}
	return nil
}

// usedUpLimit is the limit in words for which there is no next iteration, "" for none.
func (r *Run) usedUpLimit() string {
	for _, u := range r.uses() {
		if u.percent >= 100 {
			return u.say
		}
	}
	return ""
}

// warn journals the marks that were reached since it was called last.
func (r *Run) warn(ctx context.Context, uses ...use) *Stop {
	for _, u := range uses {
		m := mark(u.percent)
		if !r.warned.reach(u.what, m) {
			continue
		}
		if stop := r.append(ctx, &event.Warning{What: u.what, Text: fmt.Sprintf("%d %% of %s", m, u.say), Percent: m}); stop != nil {
			return stop
		}
	}
	return nil
}

// warnOfTime warns while a call or a turn takes long. The end of the time cuts it, and is
// told with that.
func (r *Run) warnOfTime(ctx context.Context) *Stop {
	if u, ok := r.time(); ok && u.percent < 100 {
		return r.warn(ctx, u)
	}
	return nil
}

// warned are the marks that were warned of, by limit. The watch warns, too. Safe for
// concurrent use; nothing is warned of before the runs before are known.
type warned struct {
	mu sync.Mutex
	at map[string]int
}

// recall takes what the runs before have warned of.
func (w *warned) recall(at map[string]int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = map[string]int{}
	maps.Copy(w.at, at)
}

// reach says whether a mark is new.
func (w *warned) reach(what string, mark int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at == nil || mark <= w.at[what] {
		return false
	}
	w.at[what] = mark
	return true
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
