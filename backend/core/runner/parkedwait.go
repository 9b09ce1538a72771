package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// park is the wait of a parked goal.
type park struct {
	until  time.Time
	length time.Duration
	watch  stopwatch
	timer  <-chan time.Time
	// byClock says that the wait is also over when the clock shows until, however it came to that.
	byClock bool
	sleep   *sleepWatch
}

// parkUntil begins a wait.
func (c Config) parkUntil(until time.Time, byClock bool) park {
	p := park{until: until.Round(0), watch: c.startWatch(0), byClock: byClock, sleep: c.watchSleep()}
	p.length = p.until.Sub(c.now())
	p.timer = c.Clock.After(p.length)
	return p
}

// isOver reports whether the wait is over. The timer alone is not enough: it stands still while the machine sleeps.
func (p park) isOver() bool {
	return p.watch.elapsed() >= p.length || p.byClock && !p.watch.clock.Now().Round(0).Before(p.until)
}

// waitWhileParked waits until the provider may be asked again, or the daily limit leaves money, without a slot and
// without spending anything. It ends early if the user resumes the goal, perhaps with new limits, or if the machine
// has slept: the network may be another one now. opening are the first events of the next run; ok is false if the goal
// does not continue.
func (r *Runner) waitWhileParked(
	ctx context.Context, g *goal.Goal, p park, a *active,
) (opening []event.Body, ok bool) {
	for {
		slept, isOver := p.sleep.lap(), p.isOver() // before the timer, which may fire in the meantime
		switch {
		case hasFired(p.timer):
			return resumedAfterWait(g.Exit), true
		case r.cfg.noteSleep(ctx, goal.Run{Goal: g.ID, ID: g.RunID}, slept) && g.Exit == goal.WaitingForProvider:
			return []event.Body{&event.Resumed{Note: "the computer has slept: the model is asked again"}}, true
		case isOver:
			return resumedAfterWait(g.Exit), true
		}
		if g.Exit == goal.DailyLimitReached && r.hasMoneyToday(ctx) {
			if p.isOver() { // in the meantime
				return resumedAfterWait(g.Exit), true
			}
			return []event.Body{&event.Resumed{Note: "today's limit was raised"}}, true
		}
		for _, o := range r.takeOrders(ctx, g.ID, goal.OrderAbort, goal.OrderPause, goal.OrderResume) {
			if o.Kind != goal.OrderResume {
				r.endWaiting(ctx, *g, stopForOrder(o))
				return nil, false
			}
			a.pauser.unpause()
			r.applyChange(ctx, g, o.Text)
			return []event.Body{&event.Resumed{Note: "the user resumed it"}}, true
		}
		select {
		case <-ctx.Done():
			r.endWaiting(ctx, *g, stopCause(ctx))
			return nil, false
		case <-p.timer:
			return resumedAfterWait(g.Exit), true
		case <-a.nudge:
		case <-r.cfg.Clock.After(idleInterval):
		}
	}
}

// limitModelWait lets a goal wait for its model only as long as the settings say. Then it asks its user.
func (r *Run) limitModelWait(ctx context.Context, stop *Stop) *Stop {
	if stop.Exit != goal.WaitingForProvider || r.cfg.ModelWait == nil {
		return stop
	}
	_, since, err := r.cfg.Store.History.ParkedInARow(ctx, r.goal.ID)
	if err != nil {
		r.cfg.Log.Warn("since when the goal waits for its model", "goal", r.goal.ID, "error", err)
		return stop
	}
	waited, limit := r.active.modelAway(r.cfg, since), r.cfg.ModelWait()
	if limit <= 0 {
		return stop
	}
	if end := r.cfg.Clock.Now().Add(limit - waited); stop.Until.After(end) {
		stop.Until = end
	}
	if waited >= limit {
		return &Stop{Exit: goal.NeedsUser, Reason: fmt.Sprintf(
			"%s; it was away for %s, and the settings say to give up after %s",
			stop.Reason, goal.FormatDuration(waited), goal.FormatDuration(limit))}
	}
	return stop
}

// modelAway returns for how long the goal's model has been away. since is when the goal was parked first, zero if it is
// now.
func (a *active) modelAway(c Config, since time.Time) time.Duration {
	switch {
	case since.IsZero():
		a.away = c.startWatch(0)
	case a.away.clock == nil: // an earlier process parked it: only the clock knows how long ago that was
		a.away = c.startWatch(max(0, c.now().Sub(since)))
	}
	return a.away.elapsed()
}

// hasFired reports whether a timer has fired. It takes the time.
func hasFired(timer <-chan time.Time) bool {
	select {
	case <-timer:
		return true
	default:
		return false
	}
}

// takeLateOrders takes orders that came as the wait ended. Once the run has begun, such orders go to the run.
func (r *Runner) takeLateOrders(ctx context.Context, g *goal.Goal) {
	for _, o := range r.takeOrders(context.WithoutCancel(ctx), g.ID, goal.OrderResume) {
		r.applyChange(ctx, g, o.Text)
	}
}

// hasMoneyToday reports whether the user has raised or removed the limit for today.
func (r *Runner) hasMoneyToday(ctx context.Context) bool {
	return r.cfg.DailyLimitReached != nil && !r.cfg.DailyLimitReached(ctx)
}

// resumedAfterWait returns the opening events of a run after a wait.
func resumedAfterWait(exit goal.Exit) []event.Body {
	if exit == goal.DailyLimitReached {
		return []event.Body{&event.Resumed{Note: "a new day has begun, with a new limit"}}
	}
	return []event.Body{&event.Resumed{Note: "the provider may be asked again"}}
}

// applyChange applies what the user changed with an order, if anything. It is in the journal before the goal waits in
// the queue.
func (r *Runner) applyChange(ctx context.Context, g *goal.Goal, text string) {
	if text == "" {
		return
	}
	var change goal.ResumeChange
	err := errors.Join(json.Unmarshal([]byte(text), &change), change.Limits.Validate())
	bodies, changed := event.ResumeChanges(*g, change)
	if err == nil && len(bodies) > 0 {
		err = r.cfg.Store.Events.Append(context.WithoutCancel(ctx), goal.Run{Goal: g.ID, ID: g.RunID}, bodies...)
	}
	if err != nil {
		r.cfg.Log.Warn("what the user changed", "goal", g.ID, "error", err)
		return
	}
	*g = changed
}

// endWaiting aborts a parked goal, or marks it as paused if its user paused it while it was being parked. A goal
// whose process ends, or whose parent goal stops, stays parked.
func (r *Runner) endWaiting(ctx context.Context, g goal.Goal, stop *Stop) {
	switch {
	case stop.Exit == goal.AbortedByUser:
		r.recordEnd(ctx, g, stop)
	case stop.Exit == goal.PausedByUser && (stop.By == "" || stop.By == goal.ExternalAgent):
		r.leaveQueue(ctx, g, stop)
	}
}

// recordEnd records the end of a goal that has no run.
func (r *Runner) recordEnd(ctx context.Context, g goal.Goal, stop *Stop) {
	body := &event.Ended{
		Status:  goal.StatusForExit(stop.Exit),
		Exit:    stop.Exit,
		Report:  g.EndReport(stop.Reason),
		Account: g.Account,
		By:      stop.By,
	}
	ctx = context.WithoutCancel(ctx)
	err := r.cfg.Store.Events.Append(ctx, goal.Run{Goal: g.ID, ID: g.RunID}, body)
	if err == nil && r.cfg.Ended != nil {
		err = r.cfg.Ended(ctx, g.ID)
	}
	if err != nil {
		r.cfg.Log.Error("end a waiting goal", "goal", g.ID, "error", err)
	}
}
