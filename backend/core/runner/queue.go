package runner

import (
	"context"
	"errors"
	"slices"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// enqueue waits until the goal may begin, and begins it. The queue belongs to the data folder, so goals of other
// processes count, too. Within this process, it is first in, first out. A stop means that the goal was stopped in
// the queue.
func (r *Runner) enqueue(ctx context.Context, g goal.Goal, a *active, opening []event.Body) (goal.Run, *Stop) {
	r.addWaiter(a)
	defer r.removeWaiter(a)
	lastReason := ""
	for {
		freed := r.slotFreed()
		if r.isNext(a) {
			id, err := r.tryBegin(ctx, g, a, opening)
			var busy *goal.NotReadyError
			switch {
			case err == nil:
				return id, nil
			case !errors.As(err, &busy):
				r.cfg.Log.Error("begin run", "goal", g.ID, "error", err)
				return goal.Run{}, &Stop{Exit: goal.ExitError, Reason: err.Error()}
			}
			r.setBlocked(a, busy.Slots)
			lastReason = r.journalQueued(ctx, g, busy.Reason, lastReason)
		}
		if stop := r.waitForTurn(ctx, g, a, freed); stop != nil {
			return goal.Run{}, stop
		}
	}
}

// tryBegin checks whether the goal may begin, which writes nothing, and then begins it.
func (r *Runner) tryBegin(
	ctx context.Context, g goal.Goal, a *active, opening []event.Body,
) (run goal.Run, err error) {
	ctx = context.WithoutCancel(ctx)
	busy, err := r.cfg.Store.Queue.NotReady(ctx, g.ID, r.slots)
	if err != nil {
		return goal.Run{}, err
	}
	if busy != nil {
		return goal.Run{}, busy
	}
	if err := r.lockFolders(g, a); err != nil {
		return goal.Run{}, err
	}
	if run, err = r.cfg.Store.Lifecycle.Begin(ctx, g.ID, r.slots, opening...); err != nil {
		a.releaseFolders()
	}
	return run, err
}

// lockFolders claims the goal's folders for a run, or returns a *goal.NotReadyError. Where claims cannot be stored, the
// goal begins without one.
func (r *Runner) lockFolders(g goal.Goal, a *active) error {
	if r.cfg.LockFolders == nil {
		return nil
	}
	unlock, busy, err := r.cfg.LockFolders(g.ID, g.Policy.WritableFolders())
	if err != nil {
		r.cfg.Log.Warn("goals of other data folders are not noticed", "goal", g.ID, "error", err)
	}
	if busy != "" {
		return &goal.NotReadyError{Reason: busy}
	}
	a.unlockFolders = unlock
	return nil
}

// journalQueued journals why a goal waits, once for each reason. It returns the reason.
func (r *Runner) journalQueued(ctx context.Context, g goal.Goal, reason, lastReason string) string {
	if reason == lastReason {
		return reason
	}
	run := goal.Run{Goal: g.ID, ID: g.RunID}
	if err := r.cfg.Store.Events.Append(ctx, run, &event.Queued{Reason: reason}); err != nil {
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
	case <-r.cfg.Clock.After(idleInterval):
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

// takeOrders takes orders of a goal that has no run. Orders that cannot be read now wait.
func (r *Runner) takeOrders(ctx context.Context, id goal.ID, kinds ...goal.OrderKind) []goal.Order {
	orders, err := r.cfg.Store.Orders.Take(ctx, id, kinds...)
	if err != nil && ctx.Err() == nil {
		r.cfg.Log.Warn("orders", "goal", id, "error", err)
	}
	return orders
}

// leaveQueue removes a goal from the queue without a run. A goal that is aborted before it completed ends; any
// other goal keeps its earlier status.
func (r *Runner) leaveQueue(ctx context.Context, g goal.Goal, stop *Stop) {
	switch {
	case stop.Exit == goal.ExitError: // a broken journal cannot record this either
	case stop.Exit == goal.AbortedByUser && g.Status.IsActive():
		r.recordEnd(ctx, g, stop)
	default:
		body := &event.Queued{Reason: stop.Reason, Left: stop.Exit, By: stop.By}
		run := goal.Run{Goal: g.ID, ID: g.RunID}
		if err := r.cfg.Store.Events.Append(context.WithoutCancel(ctx), run, body); err != nil {
			r.cfg.Log.Error("leave the queue", "goal", g.ID, "error", err)
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

// isNext reports whether no earlier goal waits for a slot.
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

func (r *Runner) setBlocked(a *active, bySlots bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a.blocked = bySlots
}

// slotFreed returns a channel that is closed when a run of this process ends.
func (r *Runner) slotFreed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.freed
}

// releaseSlot notifies the queue that a run has ended.
func (r *Runner) releaseSlot() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.freed)
	r.freed = make(chan struct{})
}
