package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"goalpost/backend/domain/goal"
)

func (r *Session) cancelGracePeriod() {
	if r.cancelGrace != nil {
		r.cancelGrace()
		r.cancelGrace = nil
	}
}

// Close ends a run. The session stays open after a pause, and for the grace period after done. Otherwise everything in
// it ends at once.
func (r *Session) Close(ctx context.Context, exit goal.Exit) error {
	err := r.closeRun(ctx, exit)
	r.snapshots.end(ctx) // after everything that ends with the run
	return err
}

func (r *Session) closeRun(ctx context.Context, exit goal.Exit) error {
	r.registry.mu.Lock()
	r.run = goal.Run{}
	r.registry.mu.Unlock()
	r.sandbox.SetWarn(nil) // the run journals nothing more
	r.engine.interrupt(ctx)
	err := errors.Join(r.tools.Close(), r.children.FollowParent(ctx, exit))
	r.recorder.setActive(false)
	if exit != goal.Done {
		r.sandbox.Thaw()
	}
	switch {
	case exit == goal.Interrupted || goal.StatusForExit(exit) != goal.Paused && exit != goal.Done:
		return errors.Join(err, r.registry.CloseGoal(ctx, r.goal))
	case exit == goal.Done:
		err = errors.Join(err, r.engine.close(ctx))
		r.closeEgress(context.WithoutCancel(ctx))
		running := r.sandbox.Seal(ctx, r.policy.Dir)
		stays := r.registry.graceSetting()
		if stays == 0 || !running {
			return errors.Join(err, r.registry.CloseGoal(ctx, r.goal))
		}
		r.closeAfterGrace(context.WithoutCancel(ctx), stays)
	}
	return err
}

// graceSetting returns the grace period of the settings.
func (reg *Registry) graceSetting() time.Duration {
	return time.Duration(reg.Config.Settings().GraceMinutes) * time.Minute
}

// gracePeriod returns the actual grace period. It is 0 in a process that exits after its goals, because their programs
// end with it.
func (reg *Registry) gracePeriod() time.Duration {
	if !reg.Stays {
		return 0
	}
	return reg.graceSetting()
}

// closeAfterGrace closes the session of a completed goal after its grace period, in which the user can try the result.
// The user may delete the goal before.
func (r *Session) closeAfterGrace(ctx context.Context, stays time.Duration) {
	r.registry.mu.Lock()
	defer r.registry.mu.Unlock()
	if r.registry.open[r.goal] != r {
		return
	}
	waiting, stop := context.WithCancel(ctx)
	r.cancelGrace = stop
	expired := r.registry.Clock.After(stays)
	r.registry.waits.Go(func() {
		select {
		case <-waiting.Done():
			return
		case <-expired:
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := r.registry.CloseFinished(ctx, r.goal); err != nil {
			r.registry.Log.Warn("a session was not closed", "goal", r.goal, "error", err)
		}
	})
}

// closeAll ends every program of the goal and closes its pages.
func (r *Session) closeAll(ctx context.Context) error {
	err := errors.Join(r.engine.close(ctx), r.mcp.Close(), r.sandbox.Close(ctx),
		r.registry.Panes.Browsers.CloseGoal(ctx, string(r.goal)),
		r.recorder.close())
	r.pageLoads.Wait() // page loads end with their panes
	r.snapshots.end(ctx)
	return err
}

// CloseGoal ends every program of a goal and closes its pages. Its terminals stay on the screen with their exit codes.
func (reg *Registry) CloseGoal(ctx context.Context, id goal.ID) error {
	return reg.closeWhere(ctx, id, func(*Session) bool { return true })
}

// CloseFinished does what CloseGoal does, but only for a goal in its grace period.
func (reg *Registry) CloseFinished(ctx context.Context, id goal.ID) error {
	return reg.closeWhere(ctx, id, func(r *Session) bool { return r.cancelGrace != nil })
}

func (reg *Registry) closeWhere(ctx context.Context, id goal.ID, wanted func(*Session) bool) error {
	reg.mu.Lock()
	r := reg.open[id]
	if r == nil || !wanted(r) {
		reg.mu.Unlock()
		return nil
	}
	delete(reg.open, id)
	r.cancelGracePeriod()
	reg.mu.Unlock()
	return r.closeAll(ctx)
}

func (reg *Registry) CloseAll(ctx context.Context) error {
	reg.mu.Lock()
	ids := slices.Collect(maps.Keys(reg.open))
	reg.mu.Unlock()
	var errs []error
	for _, id := range ids {
		errs = append(errs, reg.CloseGoal(ctx, id))
	}
	reg.waits.Wait()
	return errors.Join(errs...)
}
