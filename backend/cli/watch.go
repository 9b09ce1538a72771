package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"goalpost/backend/app"
	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// followInOwner starts a goal in the process that owns its pane, and shows it to its end.
func (p liveView) followInOwner(
	ctx context.Context, a *app.App, o output, start func(context.Context) (runningGoal, error),
) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	s, err := p.startGoal(ctx, signals, start)
	switch {
	case err != nil:
		return err
	case !s.cut.IsZero():
		p.errorf("%s: goal %s keeps running in the process that owns its pane\n", p.Name, s.id.Short())
		return exitCode(exitInterrupted)
	}
	err = p.watchGoal(ctx, a, s.id, 0, o, signals)
	if !o.json {
		err = errors.Join(err, p.printOutcome(ctx, a, s.id))
	}
	return err
}

// watchGoal shows a goal that runs in another process, until it stops there: the process that owns a parked goal
// resumes it. A signal ends only the watching.
func (p liveView) watchGoal(
	ctx context.Context, a *app.App, id goal.ID, shown int64, o output, signals <-chan os.Signal,
) error {
	owner, err := a.Store().LockOwner(id)
	if err != nil {
		return err
	}
	if owner.PID != 0 { // otherwise it is over already
		p.errorf("  running in pid %d; Ctrl+C detaches without stopping it\n", owner.PID)
	}
	ctx, cancel := context.WithCancel(ctx)
	news, followed := make(chan event.Event), make(chan error, 1)
	go func() {
		followed <- a.Store().Follow(ctx, map[goal.ID]int64{id: shown}, func(goal.ID) int64 { return 0 },
			func(e event.Event) {
				select {
				case news <- e:
				case <-ctx.Done():
				}
			})
	}()
	exit, err := p.watchUntilStop(ctx, a, id, shown, o, news, signals)
	cancel()
	return errors.Join(err, isClosed(exit), <-followed)
}

func (p liveView) watchUntilStop(
	ctx context.Context, a *app.App, id goal.ID, shown int64, o output, news <-chan event.Event, signals <-chan os.Signal,
) (goal.Exit, error) {
	look := time.NewTicker(time.Second) // a process that is killed sends nothing
	defer look.Stop()
	for {
		select {
		case <-signals:
			p.errorf("\n%s: the goal continues\n", p.Name)
			return "", exitCode(exitInterrupted)
		case e := <-news:
			if e.GoalID != id || e.Seq <= shown {
				continue
			}
			shown = e.Seq
			if exit, err := p.showEvent(e, o); err != nil || exit != "" {
				return exit, err
			}
		case <-look.C:
			owner, err := a.Store().LockOwner(id)
			if err != nil || owner.PID != 0 {
				continue // the lock file is just changing owners
			}
			if exit, err := p.printMissed(ctx, a, id, &shown, o); err != nil || exit != "" {
				return exit, err
			}
			p.errorf("%s: the process that ran goal %s has ended; %s resume %s continues it\n", p.Name, id.Short(), p.Name,
				id.Short())
			return "", exitCode(exitError)
		}
	}
}
