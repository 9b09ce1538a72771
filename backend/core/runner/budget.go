package runner

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// budget is what a goal may spend and has spent. It belongs to the goroutine of the loop. elapsed, timeLeft,
// wallClockUsage, warnWallClock and idle are also safe for the goroutine that watches the orders.
type budget struct {
	goal     *goal.Goal
	clock    Clock
	journal  *journalWriter
	children ChildSpender // nil if the session has none

	startedAt       time.Time     // of this run
	spentBefore     time.Duration // by earlier runs
	stoppedAt       time.Time     // time after it does not count; zero during the run
	warned          limitWarnings
	idle            userWaitTimer
	tokensEstimated bool // the user was warned that tokens are estimated
}

// elapsed returns the wall-clock time of all runs, without the time in which the goal waited for its user.
func (b *budget) elapsed() time.Duration {
	now := b.clock.Now()
	if !b.stoppedAt.IsZero() {
		now = b.stoppedAt
	}
	return b.spentBefore + now.Sub(b.startedAt) - b.idle.elapsed(now)
}

// timeLeft returns the remaining wall-clock time; limited is false without such a limit.
func (b *budget) timeLeft() (d time.Duration, limited bool) {
	limit := b.goal.Limits.WallClock()
	return limit - b.elapsed(), limit > 0
}

// timeIsUp returns the stop for a used-up wall clock.
func (b *budget) timeIsUp() *Stop { return limitStop(goal.FormatDuration(b.goal.Limits.WallClock())) }

// childSpend returns what the goal's children have spent.
func (b *budget) childSpend() goal.Spend {
	if b.children == nil {
		return goal.Spend{}
	}
	return b.children.TotalSpend()
}

// limitUsage is the used part of one limit.
type limitUsage struct {
	what    string
	percent int
	say     string // the limit in words
}

func (b *budget) limitUsages() []limitUsage {
	l, s := b.goal.Limits, b.goal.Spent.Add(b.childSpend())
	var list []limitUsage
	add := func(what string, used, limit float64, say string) {
		if limit > 0 {
			list = append(list, limitUsage{what, int(100 * used / limit), say})
		}
	}
	add("iterations", float64(s.Iterations), float64(l.Iterations), goal.FormatCount(l.Iterations, "turn"))
	if u, ok := b.wallClockUsage(); ok {
		list = append(list, u)
	}
	add("tokens", float64(s.TokensIn+s.TokensOut), float64(l.Tokens), fmt.Sprintf("%d tokens", l.Tokens))
	add("usd", s.USD, l.USD, fmt.Sprintf("$%.2f", l.USD))
	return list
}

// wallClockUsage returns the used part of the wall clock; ok is false without such a limit.
func (b *budget) wallClockUsage() (limitUsage, bool) {
	limit := b.goal.Limits.WallClock()
	if limit <= 0 {
		return limitUsage{}, false
	}
	return limitUsage{"wall_clock", int(100 * b.elapsed().Seconds() / limit.Seconds()), goal.FormatDuration(limit)}, true
}

// enforceLimits warns at thresholds, and stops a run that has used up a limit.
func (b *budget) enforceLimits(ctx context.Context) *Stop {
	if stop := stopCause(ctx); stop != nil {
		return stop
	}
	if stop := b.warnLimits(ctx, b.limitUsages()...); stop != nil {
		return stop
	}
	if limit := b.exhaustedLimit(); limit != "" {
		return limitStop(limit)
	}
	return nil
}

// exhaustedLimit describes the limit that allows no further iteration, "" if there is none.
func (b *budget) exhaustedLimit() string {
	for _, u := range b.limitUsages() {
		if u.percent >= 100 {
			return u.say
		}
	}
	return ""
}

// hasLastTurn reports whether a stopped goal may ask its model once more: no limit except that of turns is used
// up.
func (b *budget) hasLastTurn() bool {
	return !slices.ContainsFunc(b.limitUsages(), func(u limitUsage) bool {
		return u.percent >= 100 && u.what != "iterations"
	})
}

// warnLimits journals the thresholds that were reached since the last call.
func (b *budget) warnLimits(ctx context.Context, uses ...limitUsage) *Stop {
	for _, u := range uses {
		m := warnThreshold(u.percent)
		if !b.warned.mark(u.what, m) {
			continue
		}
		if stop := b.journal.append(ctx, &event.Warning{
			What:    u.what,
			Text:    fmt.Sprintf("%d %% of %s", m, u.say),
			Percent: m,
		}); stop != nil {
			return stop
		}
	}
	return nil
}

// warnWallClock warns during a long call or turn. When the time is used up, the call is cancelled and the stop says
// why.
func (b *budget) warnWallClock(ctx context.Context) *Stop {
	if u, ok := b.wallClockUsage(); ok && u.percent < 100 {
		return b.warnLimits(ctx, u)
	}
	return nil
}

// limitWarnings holds, by limit, the highest threshold with a warning. It is safe for concurrent use. It gives no
// warning before the warnings of earlier runs are restored.
type limitWarnings struct {
	mu sync.Mutex
	at map[string]int
}

// restore adds the warnings of earlier runs.
func (l *limitWarnings) restore(at map[string]int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = map[string]int{}
	maps.Copy(l.at, at)
}

// mark reports whether a threshold is new.
func (l *limitWarnings) mark(what string, mark int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.at == nil || mark <= l.at[what] {
		return false
	}
	l.at[what] = mark
	return true
}

func limitStop(limit string) *Stop {
	return &Stop{Exit: goal.LimitReached, Reason: "the limit of " + limit + " is used up"}
}

// warnThreshold returns the highest percentage with a warning that was reached.
func warnThreshold(percent int) int {
	for _, m := range []int{100, 80, 50} {
		if percent >= m {
			return m
		}
	}
	return 0
}

// addUsage counts a turn of any model of this goal; the journal counts it, too.
func (b *budget) addUsage(u goal.Usage) {
	b.goal.Spent.TokensIn += u.TokensIn
	b.goal.Spent.TokensOut += u.TokensOut
	b.goal.Spent.USD += u.USD
	if u.Guessed && !b.tokensEstimated {
		b.tokensEstimated = true
		b.journal.queue(&event.Warning{
			What: "tokens",
			Text: "the provider did not report how many tokens a turn took: they are estimated from the length of the " +
				"request and the reply",
		})
	}
}

// recordUsage counts and journals the cost of the critic, a judge or the reviewer.
func (b *budget) recordUsage(ctx context.Context, u goal.Usage, by string) *Stop {
	if u == (goal.Usage{}) {
		return nil
	}
	b.addUsage(u)
	return b.journal.append(ctx, &event.Usage{Usage: u, By: by})
}

// usageText describes what the goal has used so far.
func (b *budget) usageText(claims int) string {
	s := b.goal.Spent
	text := fmt.Sprintf("%s, %s, %s in %s", goal.FormatCount(s.Steps, "step"),
		goal.FormatCount(s.Iterations, "turn"), goal.FormatCount(claims, "claim"),
		goal.FormatDuration(b.elapsed()))
	text += costText(s) + "."
	if c := b.childSpend(); c != (goal.Spend{}) {
		text += fmt.Sprintf(" The goals that it started used, within the same limits: %s%s.",
			goal.FormatCount(c.Iterations, "turn"), costText(c))
	}
	if b.goal.EngineLogin {
		text += " The agent used its own sign-in: what it asked its provider is not in any count of tokens and money."
	}
	return text
}

// costText describes the cost of the models.
func costText(s goal.Spend) string {
	text := ""
	if s.TokensIn+s.TokensOut > 0 {
		text += fmt.Sprintf("; %d tokens in, %d out", s.TokensIn, s.TokensOut)
	}
	if s.USD > 0 {
		text += fmt.Sprintf(", $%.2f", s.USD)
	}
	return text
}
