package runner

import (
	"fmt"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
)

// limitNotice tells the agent how much of the goal's limits remains. It is added to results, so that the system
// prompt and everything before it stay the same for the provider's cache. The zero value reports with the first
// result.
type limitNotice struct {
	reported map[string]int // percent of each limit used at the last report
	failed   int            // failed claims in a row at the last report
}

// minNoticeStep is by how many percent the use of a limit must rise before it is reported again.
const minNoticeStep = 10

// take returns the notice for the next result, "" if the use of no limit rose by minNoticeStep since the last one.
func (l *limitNotice) take(b *budget, failedClaims int) string {
	changed := l.reported == nil || failedClaims > l.failed
	for _, u := range b.limitUsages() {
		changed = changed || u.percent >= l.reported[u.what]+minNoticeStep
	}
	if !changed {
		return ""
	}
	l.reported, l.failed = map[string]int{}, failedClaims
	for _, u := range b.limitUsages() {
		l.reported[u.what] = u.percent
	}
	list := b.limitsLeft()
	if limit := b.goal.Limits.ClaimsPerCheck; limit > 0 {
		list = append(list, fmt.Sprintf("%d of %d failed claims in a row", max(0, limit-failedClaims), limit))
	}
	if len(list) == 0 {
		return ""
	}
	return "\n\nLeft for this goal: " + strings.Join(list, ", ") + "."
}

// limitsLeft describes how much of each limit remains.
func (b *budget) limitsLeft() []string {
	l, s := b.goal.Limits, b.goal.Spent.Add(b.childSpend())
	var list []string
	if l.Iterations > 0 {
		list = append(list, fmt.Sprintf("%d of %d turns", max(0, l.Iterations-s.Iterations), l.Iterations))
	}
	if l.WallClock() > 0 {
		timeLeft := max(0, l.WallClock()-b.elapsed()).Round(time.Second)
		list = append(list, fmt.Sprintf("%s of %s", goal.FormatDuration(timeLeft), goal.FormatDuration(l.WallClock())))
	}
	if l.Tokens > 0 {
		list = append(list, fmt.Sprintf("%d of %d tokens", max(0, l.Tokens-s.TokensIn-s.TokensOut), l.Tokens))
	}
	if l.USD > 0 {
		list = append(list, fmt.Sprintf("$%.2f of $%.2f", max(0, l.USD-s.USD), l.USD))
	}
	return list
}
