package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/goalsandbox"
)

func (se *Session) cancelGracePeriod() {
	if se.cancelGrace != nil {
		se.cancelGrace()
		se.cancelGrace = nil
	}
}

// Close ends a run. The session stays open after a pause, and for the grace period after done. Otherwise everything in
// it ends at once.
func (se *Session) Close(ctx context.Context, exit goal.Exit) error {
	err := se.closeRun(ctx, exit)
	se.snapshots.end(ctx) // after everything that ends with the run
	return err
}

func (se *Session) closeRun(ctx context.Context, exit goal.Exit) error {
	se.registry.mu.Lock()
	run := se.run
	se.run = goal.Run{}
	se.registry.mu.Unlock()
	se.sandbox.SetWarn(nil) // the run journals nothing more
	se.engine.interrupt(ctx)
	err := errors.Join(se.tools.Close(), se.children.FollowParent(ctx, exit))
	se.recorder.setActive(false)
	if exit != goal.Done {
		se.sandbox.Thaw()
	}
	switch {
	case exit == goal.Interrupted || goal.StatusForExit(exit) != goal.Paused && exit != goal.Done:
		return errors.Join(err, se.registry.CloseGoal(ctx, se.goal))
	case exit == goal.Done:
		err = errors.Join(err, se.engine.close(ctx))
		se.closeEgress(context.WithoutCancel(ctx))
		left := se.sandbox.Seal(ctx, se.policy.Dir)
		if left == goalsandbox.FolderOpen && !se.policy.Unconfined { // nothing is verified beside unconfined programs
			se.watchVerified(context.WithoutCancel(ctx), run)
		}
		se.sandbox.Thaw()
		stays := se.registry.graceSetting()
		if stays == 0 || left == goalsandbox.ProgramsEnded {
			return errors.Join(err, se.registry.CloseGoal(ctx, se.goal))
		}
		se.closeAfterGrace(context.WithoutCancel(ctx), stays)
	}
	return err
}

// watchVerified journals changes in the files that decided, until the goal's programs have ended.
func (se *Session) watchVerified(ctx context.Context, run goal.Run) {
	history, journal := se.registry.Store.History, se.registry.Store.Journal
	se.verified = se.workspace.WatchVerified(se.policy.Dir, se.registry.Clock.After, func(change string) {
		undone, err := history.IsUndone(ctx, run.Goal) // by the user, who knows
		if err == nil && !undone {
			err = journal.Append(ctx, run, &event.Warning{What: event.ChangedWarning, Text: change})
		}
		if err != nil {
			se.registry.Log.Warn("a change after done was not journaled", "goal", run.Goal, "error", err, "change", change)
		}
	})
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
func (se *Session) closeAfterGrace(ctx context.Context, stays time.Duration) {
	se.registry.mu.Lock()
	defer se.registry.mu.Unlock()
	if se.registry.open[se.goal] != se {
		return
	}
	waiting, stop := context.WithCancel(ctx)
	se.cancelGrace = stop
	timeout := se.registry.Clock.After(stays)
	se.registry.waits.Go(func() {
		select {
		case <-waiting.Done():
			return
		case <-timeout:
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := se.registry.CloseFinished(ctx, se.goal); err != nil {
			se.registry.Log.Warn("a session was not closed", "goal", se.goal, "error", err)
		}
	})
}

// closeAll ends every program of the goal and closes its pages.
func (se *Session) closeAll(ctx context.Context) error {
	err := errors.Join(se.engine.close(ctx), se.mcp.Close(), se.sandbox.Close(ctx),
		se.registry.Panes.Browsers.CloseGoal(ctx, string(se.goal)),
		se.recorder.close())
	se.verified.End()
	se.pageLoads.Wait() // page loads end with their panes
	se.snapshots.end(ctx)
	if se.folder != nil {
		err = errors.Join(err, se.folder.close())
	}
	return err
}

// CloseGoal ends every program of a goal and closes its pages. Its terminals stay on the screen with their exit codes.
func (reg *Registry) CloseGoal(ctx context.Context, id goal.ID) error {
	return reg.closeWhere(ctx, id, func(*Session) bool { return true })
}

// Serves reports whether a program of a goal listens, on a port or on a Unix socket.
func (reg *Registry) Serves(ctx context.Context, id goal.ID) bool {
	reg.mu.Lock()
	se := reg.open[id]
	reg.mu.Unlock()
	return se != nil && se.sandbox.Serves(ctx)
}

// CloseFinished does what CloseGoal does, but only for a goal in its grace period.
func (reg *Registry) CloseFinished(ctx context.Context, id goal.ID) error {
	return reg.closeWhere(ctx, id, func(r *Session) bool { return r.cancelGrace != nil })
}

func (reg *Registry) closeWhere(ctx context.Context, id goal.ID, matches func(*Session) bool) error {
	reg.mu.Lock()
	r := reg.open[id]
	if r == nil || !matches(r) {
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
