package runner

import (
	"context"
	"errors"
	"slices"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// enqueue waits until the goal may begin, and begins it. The queue belongs to the data folder, so goals of other
// processes count, too; within this process it is first in, first out. A stop means that the goal was stopped in the
// queue.
func (r *Runner) enqueue(ctx context.Context, g goal.Goal, a *active, opening []event.Body) (goal.Run, *Stop) {
	r.addWaiter(a)
	defer r.removeWaiter(a)
	told := ""
	for {
		freed := r.slotFreed()
		if r.isNext(a) {
			id, err := r.tryBegin(ctx, g, opening)
			var busy *goal.NotReadyError
			switch {
			case err == nil:
				return id, nil
			case !errors.As(err, &busy):
				r.cfg.Log.Error("begin run", "goal", g.ID, "error", err)
				return goal.Run{}, &Stop{Exit: goal.ExitError, Reason: err.Error()}
			}
			r.blocked(a, busy.Slots)
			told = r.journalQueued(ctx, g, busy.Reason, told)
		}
		if stop := r.waitForTurn(ctx, g, a, freed); stop != nil {
			return goal.Run{}, stop
		}
	}
}

// tryBegin first checks whether the goal may begin, which writes nothing, and then begins it.
func (r *Runner) tryBegin(ctx context.Context, g goal.Goal, opening []event.Body) (goal.Run, error) {
	ctx = context.WithoutCancel(ctx)
	busy, err := r.cfg.Journal.NotReady(ctx, g.ID, r.slots)
	if err != nil {
		return goal.Run{}, err
	}
	if busy != nil {
		return goal.Run{}, busy
	}
	return r.cfg.Journal.Begin(ctx, g.ID, r.slots, opening...)
}

// journalQueued journals why a goal waits, once for each reason.
func (r *Runner) journalQueued(ctx context.Context, g goal.Goal, reason, told string) string {
	if reason == told {
		return reason
	}
	if err := r.cfg.Journal.Append(ctx, goal.Run{Goal: g.ID, ID: g.RunID}, &event.Queued{Reason: reason}); err != nil {
		r.cfg.Log.Warn("queue", "goal", g.ID, "error", err)
	}
	return reason
}

// waitForTurn waits until another attempt makes sense.
func (r *Runner) waitForTurn(ctx context.Context, g goal.Goal, a *active, freed <-chan struct{}) *Stop {
	select {
	case <-ctx.Done():
		return stopCause(ctx)
	case <-freed:
	case <-a.nudge:
	case <-r.cfg.Clock.After(orderInterval):
	}
	var stop *Stop
	for _, o := range r.takeOrders(ctx, g.ID, goal.OrderAbort, goal.OrderPause) {
		if o.Kind == goal.OrderAbort {
			return stopForOrder(o)
		}
		if stop == nil || o.Request == "" { // only the user ends the user's pause
			stop = stopForOrder(o)
		}
	}
	return stop
}

// takeOrders takes orders of a goal that has no run. Those that cannot be read now wait.
func (r *Runner) takeOrders(ctx context.Context, id goal.ID, kinds ...goal.OrderKind) []goal.Order {
	orders, err := r.cfg.Journal.TakeOrders(ctx, id, kinds...)
	if err != nil && ctx.Err() == nil {
		r.cfg.Log.Warn("orders", "goal", id, "error", err)
	}
	return orders
}

// leaveQueue removes a goal from the queue without a run. A goal that is aborted before it was completed ends; any
// other goal keeps its earlier state.
func (r *Runner) leaveQueue(ctx context.Context, g goal.Goal, stop *Stop) {
	switch {
	case stop.Exit == goal.ExitError: // what could not be stored cannot be reported either
	case stop.Exit == goal.AbortedByUser && g.Status.IsActive():
		r.recordEnd(ctx, g, stop)
	default:
		body := &event.Queued{Reason: stop.Reason, Left: stop.Exit, By: stop.By}
		if err := r.cfg.Journal.Append(context.WithoutCancel(ctx), goal.Run{Goal: g.ID, ID: g.RunID}, body); err != nil {
			r.cfg.Log.Error("leaving the queue", "goal", g.ID, "error", err)
		}
	}
}

func (r *Runner) addWaiter(a *active) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(r.queue, a)
	a.blocked = false
	a.queued.Store(true)
}

func (r *Runner) removeWaiter(a *active) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = slices.DeleteFunc(r.queue, func(q *active) bool { return q == a })
	a.queued.Store(false)
}

// isNext reports whether no goal that came earlier waits for a slot.
func (r *Runner) isNext(a *active) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, q := range r.queue {
		if q == a {
			return true
		}
		if q.blocked {
			return false
		}
	}
	return true
}

func (r *Runner) blocked(a *active, bySlots bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a.blocked = bySlots
}

// slotFreed is closed when a run of this process ends.
func (r *Runner) slotFreed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.freed
}

// releaseSlot tells the queue that a run has ended.
func (r *Runner) releaseSlot() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.freed)
	r.freed = make(chan struct{})
}
