package calls

import (
	"cmp"
	"slices"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

// The series of GoalPlots. Their times do not count while no run was under way, so that a goal that was resumed after
// a day has no empty day in its middle.
type (
	// GoalPlots are series over the running time of one goal, oldest point first.
	GoalPlots struct {
		Checks  int            `json:"checks"` // of the criterion
		Passing []PassingPoint `json:"passing"`
		Spend   []SpendPoint   `json:"spend"`
		Rate    []RatePoint    `json:"rate"`
		// Context is empty for an external agent, which has its own conversation.
		Context []ContextPoint `json:"context"`
		Times   []KindTime     `json:"times"`   // the longest first
		RateMS  int64          `json:"rate_ms"` // the length of the slices of Rate
		Guessed bool           `json:"guessed"` // a part of the tokens is estimated
	}

	// PassingPoint says how many checks passed after a claim. A check that the claim did not run keeps its state.
	PassingPoint struct {
		AtMS    int64 `json:"at_ms"`
		Claim   int   `json:"claim"`
		Passing int   `json:"passing"`
	}

	// SpendPoint is what all turns up to a moment cost together.
	SpendPoint struct {
		AtMS   int64   `json:"at_ms"`
		USD    float64 `json:"usd"` // 0 if no price is known
		Tokens int64   `json:"tokens"`
	}

	// RatePoint is the mean of tokens a minute in the slice that begins at AtMS.
	RatePoint struct {
		AtMS      int64 `json:"at_ms"`
		PerMinute int64 `json:"per_minute"`
	}

	// ContextPoint is how much of its context the model had to read for a turn of the agent.
	ContextPoint struct {
		AtMS   int64 `json:"at_ms"`
		Tokens int64 `json:"tokens"`
		Window int   `json:"window"` // how many tokens the context holds; 0 if that was not recorded
	}
)

const (
	maxPoints     = 600 // of the spend and of the context
	maxRateSlices = 240
)

// Plots computes the series of a goal.
func (ga *GoalAPI) Plots(id string) (GoalPlots, error) {
	return withGoal(ga.apiBase, ga.store, id, func(g store.GoalRow) (out GoalPlots, err error) {
		runs, err := ga.store.History.RunSpans(ga.ctx, g.ID)
		if err != nil {
			return out, err
		}
		events, err := ga.store.History.UsageAndStops(ga.ctx, g.ID)
		if err != nil {
			return out, err
		}
		claims, err := ga.store.History.Claims(ga.ctx, g.ID)
		if err != nil {
			return out, err
		}
		work, err := ga.store.History.WorkTimes(ga.ctx, g.ID)
		clock := newRunClock(runs, events)
		out = buildPlots(len(g.Criterion.Checks), clock, events, claims)
		out.Times = buildTimes(work, events, clock)
		if g.Options.Engine == "" {
			out.Context = contextSeries(events, clock)
		}
		return out, err
	})
}

func buildPlots(checks int, clock runClock, events []event.Event, claims []store.Claim) GoalPlots {
	out := GoalPlots{Checks: checks, Passing: passingSeries(checks, claims, clock), Context: []ContextPoint{}}
	points := []SpendPoint{}
	var sum SpendPoint
	for _, e := range events {
		u, ok := e.Body.(*event.Usage)
		if !ok {
			continue
		}
		// A clock that was set back must not turn the line back.
		sum.AtMS = max(sum.AtMS, clock.ms(e.At))
		sum.USD += max(0, u.USD)
		sum.Tokens += max(0, u.TokensIn) + max(0, u.TokensOut)
		out.Guessed = out.Guessed || u.Guessed
		points = append(points, sum)
	}
	out.Rate, out.RateMS = rateSeries(points)
	out.Spend = thin(points, maxPoints)
	return out
}

// passingSeries counts the passing checks after every claim that has verdicts.
func passingSeries(checks int, claims []store.Claim, clock runClock) []PassingPoint {
	series := []PassingPoint{}
	passes := make([]bool, checks)
	var at int64
	for _, c := range claims {
		if len(c.Verdicts) == 0 {
			continue
		}
		for _, v := range c.Verdicts {
			if v.Check >= 0 && v.Check < checks {
				passes[v.Check] = v.Outcome == goal.Pass
			}
		}
		n := 0
		for _, pass := range passes {
			if pass {
				n++
			}
		}
		at = max(at, clock.ms(c.At))
		series = append(series, PassingPoint{AtMS: at, Claim: c.N, Passing: n})
	}
	return series
}

// rateSeries sums tokens in slices of whole minutes, also of those without any.
func rateSeries(points []SpendPoint) ([]RatePoint, int64) {
	const minute = int64(time.Minute / time.Millisecond)
	series := []RatePoint{}
	if len(points) == 0 {
		return series, minute
	}
	minutes := points[len(points)-1].AtMS/minute + 1
	perSlice := (minutes + maxRateSlices - 1) / maxRateSlices
	var before int64
	for _, p := range points {
		slice := p.AtMS / (minute * perSlice)
		for int64(len(series)) <= slice {
			series = append(series, RatePoint{AtMS: int64(len(series)) * minute * perSlice})
		}
		series[slice].PerMinute += p.Tokens - before
		before = p.Tokens
	}
	for i := range series {
		// The last slice may have begun just now: its mean is over the minutes that it has.
		series[i].PerMinute /= min(perSlice, minutes-int64(i)*perSlice)
	}
	return series, minute * perSlice
}

// contextSeries has a point for each turn of the agent. A compaction makes the next one lower. Of a long goal, it has
// the fullest turn of each of equal parts, because that is what matters.
func contextSeries(events []event.Event, clock runClock) []ContextPoint {
	points := []ContextPoint{}
	var at int64
	for _, e := range events {
		u, ok := e.Body.(*event.Usage)
		if !ok || u.By != "" || u.TokensIn <= 0 {
			continue
		}
		at = max(at, clock.ms(e.At))
		points = append(points, ContextPoint{AtMS: at, Tokens: u.TokensIn, Window: max(0, u.Window)})
	}
	if len(points) <= maxPoints {
		return points
	}
	kept := make([]ContextPoint, 0, maxPoints)
	for i := range maxPoints {
		part := points[i*len(points)/maxPoints : (i+1)*len(points)/maxPoints]
		kept = append(kept, slices.MaxFunc(part, func(a, b ContextPoint) int { return cmp.Compare(a.Tokens, b.Tokens) }))
	}
	return kept
}

// thin keeps at most about limit points: the last of each of equal parts, and thus the sum at the end.
func thin(points []SpendPoint, limit int) []SpendPoint {
	if len(points) <= limit {
		return points
	}
	kept := make([]SpendPoint, 0, limit)
	for i := range limit {
		kept = append(kept, points[(i+1)*len(points)/limit-1])
	}
	return kept
}

// runClock counts the time of a goal's runs only.
type runClock []store.RunSpan

// newRunClock takes the end of a run from its last event. Only the process's last sign of life says when an
// interrupted run ended: its event was written when that was found, perhaps days later.
func newRunClock(runs []store.RunSpan, events []event.Event) runClock {
	clock := slices.Clone(runs)
	stopped := map[string]bool{}
	last := map[string]time.Time{}
	for _, e := range events {
		switch b := e.Body.(type) {
		case *event.Paused:
			stopped[e.RunID] = true
			if b.Exit == goal.Interrupted {
				continue
			}
		case *event.Ended:
			stopped[e.RunID] = true
		}
		if e.At.After(last[e.RunID]) {
			last[e.RunID] = e.At
		}
	}
	for i := range clock {
		if end := last[clock[i].ID]; end.After(clock[i].LastAlive) {
			clock[i].LastAlive = end
		}
	}
	if n := len(clock); n > 0 && !stopped[clock[n-1].ID] { // it is under way
		clock[n-1].LastAlive = time.Time{}
	}
	return clock
}

// ms returns the running time up to a moment.
func (r runClock) ms(at time.Time) int64 {
	var sum time.Duration
	for _, run := range r {
		end := at
		if !run.LastAlive.IsZero() && run.LastAlive.Before(at) {
			end = run.LastAlive
		}
		sum += max(0, end.Sub(run.Started))
	}
	return sum.Milliseconds()
}
