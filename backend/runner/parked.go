package runner

import (
	"context"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// parked waits until the provider may be asked again, without a slot and without
// spending anything. It ends early when the person wants it to; ok is false when
// the goal does not go on.
func (r *Runner) parked(ctx context.Context, g goal.Goal, until time.Time, a *active) (why string, ok bool) {
	over := r.cfg.Clock.After(until.Sub(r.cfg.Clock.Now()))
	for {
		select {
		case <-ctx.Done():
			r.endParked(ctx, g, stopOf(ctx))
			return "", false
		case <-over:
			return "the provider may be asked again", true
		case <-a.nudge:
		case <-r.cfg.Clock.After(orderInterval):
		}
		orders, err := r.cfg.Journal.TakeOrders(ctx, g.ID, goal.OrderAbort, goal.OrderResume)
		if err != nil && ctx.Err() == nil {
			r.cfg.Log.Warn("orders", "goal", g.ID, "error", err)
		}
		for _, o := range orders {
			if o.Kind == goal.OrderAbort {
				r.endParked(ctx, g, aborted())
				return "", false
			}
			return "the person resumed it", true
		}
	}
}

// endParked aborts a parked goal. One that is only left by its process stays parked.
func (r *Runner) endParked(ctx context.Context, g goal.Goal, stop *Stop) {
	if stop.Exit != goal.UserAborted {
		return
	}
	r.endHere(ctx, g, stop)
}

// endHere writes the end of a goal that has no run at the moment.
func (r *Runner) endHere(ctx context.Context, g goal.Goal, stop *Stop) {
	body := &event.Ended{Status: goal.StatusOf(stop.Exit), Exit: stop.Exit, Report: []string{"Stopped because " + stop.Reason + "."}}
	if err := r.cfg.Journal.Append(context.WithoutCancel(ctx), goal.Run{Goal: g.ID, ID: g.RunID}, body); err != nil {
		r.cfg.Log.Error("ending a goal that waits", "goal", g.ID, "error", err)
	}
}
