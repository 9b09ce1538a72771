package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"goalpost/backend/api"
	"goalpost/backend/event"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/model"
	"goalpost/backend/runner"
	"goalpost/backend/store"
)

// Start takes a goal in, stores it and starts it. A refusal changes nothing.
func (a *App) Start(ctx context.Context, in api.StartInput) (id goal.ID, err error) {
	return a.start(ctx, in, func(*goal.Goal) error { return nil })
}

// start is Start for a goal that shape has a last word on, before its checks are tried.
func (a *App) start(ctx context.Context, in api.StartInput, shape func(*goal.Goal) error) (id goal.ID, err error) {
	g, made, err := a.intake(ctx, in, shape)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil && made {
			err = errors.Join(err, os.RemoveAll(g.Policy.Dir))
		}
	}()
	if err := a.saveBaseline(ctx, *g); err != nil {
		return "", errors.Join(err, a.removeGoalState(g.ID))
	}
	own, err := a.store.LockGoal(g.ID) // before anyone sees the goal: an abort reaches its owner
	if err != nil {
		return "", errors.Join(fmt.Errorf("goal %s: %w", g.ID.Short(), err), a.removeGoalState(g.ID))
	}
	if err := a.store.Create(ctx, g); err != nil {
		return "", errors.Join(fmt.Errorf("create goal: %w", err), own.Unlock(), a.removeGoalState(g.ID))
	}
	if err := a.startRunner(ctx, *g, own, &event.Started{}); err != nil {
		return "", errors.Join(err, a.store.Delete(context.WithoutCancel(ctx), g.ID), a.removeGoalState(g.ID))
	}
	return g.ID, nil
}

// Demo starts the built-in demonstration goal with its scripted model.
func (a *App) Demo(ctx context.Context) (goal.ID, error) { return a.Start(ctx, a.DemoInput()) }

// DemoInput is the demonstration goal. The page is served by this very program.
func (*App) DemoInput() api.StartInput {
	return api.StartInput{
		Objective: model.DemoObjective(""), Provider: demoProvider,
		Checks: []goal.Check{{Type: goal.Shell, Command: model.DemoCheck()}},
	}
}

// startRunner hands a goal to the runner, which gives the sentinel back after the run.
func (a *App) startRunner(ctx context.Context, g goal.Goal, own *store.GoalLock, opening ...event.Body) error {
	a.panes.share(g.Options.Panes, g.ID)
	return a.releaseFunc(g.ID, own, func(release func()) error { return a.runner.Start(ctx, g, release, opening...) }) //nolint:contextcheck // giving panes back outlives the call
}

// releaseFunc lends the runner a sentinel.
func (a *App) releaseFunc(id goal.ID, own *store.GoalLock, begin func(release func()) error) error {
	release := func() {
		a.endDrive(id)
		if err := own.Unlock(); err != nil {
			a.log.Warn("sentinel", "goal", id, "error", err)
		}
	}
	if err := begin(release); err != nil {
		release()
		return fmt.Errorf("start goal %s: %w", id.Short(), err)
	}
	return nil
}

// runCloseTimeout is how long a run may take to close after it has told its end.
const runCloseTimeout = 30 * time.Second

// lockStopped takes the sentinel of a goal that does not run. A run of this program
// that has just told its end is waited for.
func (a *App) lockStopped(ctx context.Context, id goal.ID) (*store.GoalLock, error) {
	if a.runner.Queued(id) {
		return nil, &fault.Error{Code: fault.Conflict, Message: "the goal waits in the queue already", Hint: "abort it to take it out"}
	}
	ctx, cancel := context.WithTimeout(ctx, runCloseTimeout)
	defer cancel()
	select {
	case <-a.runner.Done(id):
	case <-ctx.Done():
	}
	own, err := a.store.LockGoal(id)
	if err != nil {
		return nil, fmt.Errorf("goal %s: %w", id.Short(), err)
	}
	return own, nil
}

// Pause stops a running goal after the call that runs.
func (a *App) Pause(ctx context.Context, id goal.ID) error {
	return a.pause(ctx, id, goal.Order{Kind: goal.OrderPause})
}

func (a *App) pause(ctx context.Context, id goal.ID, o goal.Order) error {
	row, err := a.store.Goal(ctx, id)
	if err == nil && row.Status == goal.Running { // its program may have died: then it is paused as interrupted
		if alive, err := a.store.IsLocked(id); err != nil || !alive {
			_, lost := a.store.InterruptOne(ctx, id)
			return errors.Join(err, lost)
		}
	}
	if err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	return a.addOrderIf(ctx, id, a.pauseProblem, o)
}

// pauseProblem says why a goal cannot be paused, if so.
func (a *App) pauseProblem(row store.GoalRow) error {
	queues, err := a.isQueued(row)
	switch {
	case err != nil:
		return err
	case row.Status == goal.Pending && queues:
		return &fault.Error{Code: fault.Conflict, Message: "the goal waits in the queue and has not begun", Hint: "abort takes it out of the queue; it can be continued later"}
	case row.Status != goal.Running && !queues:
		return &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("the goal is %s, not running", row.Status)}
	}
	return nil
}

// isQueued says whether a goal waits in the queue, here or in another process, whatever
// its status is: that of a goal which was resumed is what it was until its run begins.
func (a *App) isQueued(row store.GoalRow) (bool, error) {
	if a.runner.Queued(row.ID) {
		return true, nil
	}
	waits, err := a.store.QueueReason(row)
	return waits != "", err
}

// isActive says whether a goal has a run, waits for one, or may get one.
func (a *App) isActive(row store.GoalRow) (bool, error) {
	if row.Status.IsActive() {
		return true, nil
	}
	return a.isQueued(row)
}

// Steer leaves the user's note for a goal that lives.
func (a *App) Steer(ctx context.Context, id goal.ID, text string) error {
	return a.steer(ctx, id, goal.Order{Kind: goal.OrderSteer, Text: text})
}

func (a *App) steer(ctx context.Context, id goal.ID, o goal.Order) error {
	if o.Text == "" {
		return &fault.Error{Code: fault.Refused, Message: "the note is empty", Field: "text"}
	}
	return a.addOrderIf(ctx, id, func(row store.GoalRow) error {
		lives, err := a.isActive(row)
		if err != nil || lives {
			return err
		}
		return &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("the goal is %s already", row.Status), Hint: "resume it first, or start a new one"}
	}, o)
}

// Abort ends a live goal, here or in another process, and waits until it has. One that
// was over and waits to continue leaves the queue, and is what it was.
func (a *App) Abort(ctx context.Context, id goal.ID) error {
	return a.abort(ctx, id, &runner.Stop{Exit: goal.AbortedByUser, Reason: "the user aborted the goal"})
}

func (a *App) abort(ctx context.Context, id goal.ID, stop *runner.Stop) error {
	row, err := a.store.Goal(ctx, id)
	lives := false
	if err == nil {
		lives, err = a.isActive(row)
	}
	if err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	if !lives {
		return &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("the goal is %s already", row.Status)}
	}
	if a.runner.Cancel(id, stop) {
		select {
		case <-a.runner.Done(id):
		case <-ctx.Done():
			return fmt.Errorf("abort: %w", ctx.Err())
		}
		if row, err = a.store.Goal(ctx, id); err != nil || !row.Status.IsActive() {
			return err
		}
	}
	return a.abortHere(ctx, id, stop)
}

// abortHere ends a goal that this process does not run: it is pending, paused,
// or was just being paused. Another process that owns it is asked to.
func (a *App) abortHere(ctx context.Context, id goal.ID, stop *runner.Stop) (err error) {
	own, err := a.store.LockGoal(id)
	if errors.Is(err, store.ErrGoalLocked) {
		if err := a.addOrder(ctx, id, goal.Order{Kind: goal.OrderAbort, Text: stop.Reason, Request: string(stop.By)}); err != nil {
			return err
		}
		own, err = a.awaitRelease(ctx, id)
	}
	if err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	defer func() { err = errors.Join(err, own.Unlock()) }()
	row, err := a.store.Goal(ctx, id)
	if err != nil || !row.Status.IsActive() {
		return err
	}
	err = a.store.Append(ctx, goal.Run{Goal: id, ID: row.RunID}, &event.Ended{
		Status: goal.Aborted, Exit: goal.AbortedByUser, Report: row.EndReport(stop.Reason), Account: row.Account, By: stop.By,
	})
	a.panes.endShare(id, false) //nolint:contextcheck // likewise
	return errors.Join(err, a.cleanUpRun(ctx, id))
}

// cleanUpRun ends what the runs of a goal left for the next one: its programs, and the
// goals that it started.
func (a *App) cleanUpRun(ctx context.Context, id goal.ID) error {
	return errors.Join(a.closeSession(ctx, id), a.endChildren(ctx, id))
}

// awaitRelease waits until the process that owns a goal has ended its run. The
// kernel signals nothing about a lock, so it is asked.
func (a *App) awaitRelease(ctx context.Context, id goal.ID) (*store.GoalLock, error) {
	ctx, cancel := context.WithTimeout(ctx, runCloseTimeout)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		own, err := a.store.LockGoal(id)
		if !errors.Is(err, store.ErrGoalLocked) {
			return own, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, &fault.Error{Code: fault.Conflict, Message: "the process that runs the goal has not answered yet", Hint: "the order stays with it; look again in a moment"}
		}
	}
}

func (a *App) addOrder(ctx context.Context, id goal.ID, o goal.Order) error {
	return a.addOrderIf(ctx, id, func(store.GoalRow) error { return nil }, o)
}

// addOrderIf gives orders that only some goals hear.
func (a *App) addOrderIf(ctx context.Context, id goal.ID, hears func(store.GoalRow) error, orders ...goal.Order) error {
	if err := a.store.OrderIf(ctx, id, hears, orders...); err != nil {
		return fmt.Errorf("%s: %w", orders[0].Kind, err)
	}
	if !a.runner.Wake(id) {
		a.store.WakeAll(ctx, id) // else it is heard a little later
	}
	return nil
}

// Panes lists the panes that a goal leases.
func (a *App) Panes(id goal.ID) []string {
	var list []string
	for _, p := range a.panes.Snapshot().Panes {
		if p.GoalID == string(id) {
			list = append(list, p.ID)
		}
	}
	return list
}
