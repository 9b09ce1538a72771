package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/app"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// follow starts a goal and shows its events until its run is over. The first signal pauses the goal as interrupted;
// the second ends this process at once.
func (l liveView) follow(
	ctx context.Context, a *app.App, o output, start func(context.Context) (runningGoal, error),
) (err error) {
	signals, stop := l.program.signals()
	defer stop()
	const buffer = 4096
	sub := a.Events(buffer)
	defer func() { sub.Close() }()
	s, err := l.startGoal(ctx, signals, start)
	if err != nil {
		return err
	}
	if !s.cut.IsZero() {
		return l.interrupt(ctx, a, s.cut, s.id, s.last, o)
	}
	id, last, done := s.id, s.last, a.Done(s.id)
	parked := l.countdown(o)
	defer parked.stop()
	show := func(e event.Event) (goal.Exit, error) {
		if e.GoalID != id || e.Seq != 0 && e.Seq <= last {
			return "", nil
		}
		last = max(last, e.Seq)
		parked.onEvent(e)
		return l.showEvent(e, o)
	}
	defer func() {
		if !o.json {
			err = errors.Join(err, l.printOutcome(ctx, a, id))
		}
	}()
	for {
		select {
		case sig := <-signals:
			at := time.Now()
			l.announceSignal(sig, signals, "pausing the goal")
			return l.interrupt(ctx, a, at, id, last, o)
		case <-l.program.gone(): // the goal keeps running
			return exitCode(exitInterrupted)
		case <-ctx.Done(): // the host process ends, and pauses the goal
			l.program.errorf("%s: the host process ends; %s resume %s continues the goal\n", l.program.Name, l.program.Name,
				id.Short())
			return exitCode(exitInterrupted)
		case <-done: // streamed events that arrived before are in no journal
			for len(sub.C) > 0 {
				if exit, err := show(<-sub.C); err != nil || exit != "" {
					return errors.Join(err, exitCodeError(exit))
				}
			}
			return l.printRest(ctx, a, id, last, o)
		case e, ok := <-sub.C:
			if !ok { // too many events at once: the journal has all of them
				sub = a.Events(buffer)
				if exit, err := l.printMissed(ctx, a, id, &last, o); err != nil || exit != "" {
					return errors.Join(err, exitCodeError(exit))
				}
				continue
			}
			if exit, err := show(e); err != nil || exit != "" {
				return errors.Join(err, exitCodeError(exit))
			}
		case <-parked.tick:
			parked.showTimeLeft()
		}
	}
}

// detach starts a goal and prints its id.
func (l liveView) detach(ctx context.Context, start func(context.Context) (runningGoal, error)) error {
	signals, stop := l.program.signals()
	defer stop()
	s, err := l.startGoal(ctx, signals, start)
	if err != nil {
		return err
	}
	l.program.errorf("goal %s runs in the host process; %s events %s --follow shows it\n", s.id.Short(), l.program.Name,
		s.id.Short())
	return l.program.printf("%s\n", s.id)
}

// printOutcome prints, after a goal has stopped, its verdicts and how to answer what it needs.
func (l liveView) printOutcome(ctx context.Context, a *app.App, id goal.ID) error {
	ctx = context.WithoutCancel(ctx)
	if err := receiptCommand(l).printVerdicts(ctx, a.Store(), id); err != nil {
		return err
	}
	row, err := a.Store().Goals.Get(ctx, id)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	l.printChanges(ctx, a, id)
	l.program.errorf("%s", l.nextCommands(row.Exit, id))
	return approvalCommands(l).printAnswerHelp(ctx, a.Store(), id)
}

// printChanges lists the files that a stopped goal changed.
func (l liveView) printChanges(ctx context.Context, a *app.App, id goal.ID) {
	const maxListed = 10
	v, err := a.ChangesAPI(ctx).List(string(id), nil)
	if err != nil || len(v.Files) == 0 {
		return // the report says why
	}
	added, removed := countLines(v.Files)
	l.program.errorf("Changes\n")
	for _, f := range v.Files[:min(maxListed, len(v.Files))] {
		l.program.errorf("  %s\n", statLine(f))
	}
	l.program.errorf("  %s changed, +%d −%d\n", goal.FormatCount(len(v.Files), "file"), added, removed)
}

// nextCommands lists the usual commands after a goal has stopped. A goal that needs the user has none here:
// printAnswerHelp lists them.
func (l liveView) nextCommands(exit goal.Exit, id goal.ID) string {
	next := func(command, words string) string {
		return fmt.Sprintf("  %s %s   %s\n", l.program.Name, strings.Replace(command, "ID", id.Short(), 1), words)
	}
	switch exit {
	case goal.Done:
		return next("diff ID", "shows its changes") + next("commit ID", "commits them to a branch") +
			next("undo ID", "undoes them") + next("reopen ID --note TEXT", "continues it with what is missing") +
			next("receipt ID --why", "says what the pass rests on")
	case goal.LimitReached:
		return next("resume ID --max-iterations N", "raises a limit and continues it (--help lists the limits)")
	case goal.Stuck, goal.GaveUp:
		return next("resume ID --note TEXT", "continues it with your advice")
	case goal.ExitError:
		return next("providers test", "tests the model") + next("resume ID", "continues it")
	case goal.Interrupted, goal.PausedByUser, goal.AbortedByUser:
		return next("resume ID", "continues it")
	case goal.NeedsUser, goal.WaitingForProvider, goal.DailyLimitReached, goal.WaitingForCondition:
	}
	return ""
}

// printRest shows the remaining events after the run is over. If the journal has no end, it could not be written.
func (l liveView) printRest(ctx context.Context, a *app.App, id goal.ID, last int64, o output) error {
	exit, err := l.printMissed(ctx, a, id, &last, o)
	if err == nil && exit == "" {
		l.program.errorf("%s: the run of goal %s ended, but its journal could not be written; see the log in %s. "+
			"%s resume %s continues it.\n",
			l.program.Name, id.Short(), a.Config().State(), l.program.Name, id.Short())
		return exitCode(exitError)
	}
	return errors.Join(err, exitCodeError(exit))
}

// interrupt pauses the goal after a signal that came at a time, and shows the last events.
func (l liveView) interrupt(ctx context.Context, a *app.App, at time.Time, id goal.ID, last int64, o output) error {
	exit := l.program.exitAfterSignal(exitInterrupted, at)
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), exit.by.Add(-finalWait))
	defer cancel()
	if err := a.Interrupt(ctx, id); err != nil {
		l.program.errorf("%s: the goal could not be paused in time; its programs were ended: %v\n", l.program.Name, err)
		return exit
	}
	if _, err := l.printMissed(ctx, a, id, &last, o); err != nil {
		return errors.Join(err, exit)
	}
	return exit
}

// countdown shows on stderr how long a parked goal still waits: every second on a terminal, every minute in a log.
// tick is nil while nothing is parked.
type countdown struct {
	p           Program
	off         bool
	interactive bool
	until       time.Time
	since       time.Time // since when it waits for its model; zero if it does not
	ticker      *time.Ticker
	tick        <-chan time.Time
}

func (l liveView) countdown(o output) *countdown {
	return &countdown{p: l.program, off: o.noWait, interactive: l.program.isTerminal(2)}
}

// onEvent starts the countdown when a goal is parked, and stops it at the next event.
func (c *countdown) onEvent(e event.Event) {
	if _, answered := e.Body.(*event.Usage); answered {
		c.since = time.Time{}
	}
	b, paused := e.Body.(*event.Paused)
	if !paused || !b.Exit.IsParked() {
		if e.Seq != 0 {
			c.stop()
		}
		return
	}
	at, err := time.Parse(time.RFC3339, b.Until)
	if err != nil || c.off {
		return
	}
	c.stop()
	if b.Exit == goal.WaitingForCondition { // it continues when something happens, which may be long before
		c.p.errorf("%s\n  at most until %s; %s resume %s stops waiting, Ctrl+C quits\n", oneLine(b.Reason),
			at.Local().Format("Mon 15:04"), c.p.Name, e.GoalID.Short())
		return
	}
	every := time.Minute
	if c.interactive {
		every = time.Second
	}
	c.until, c.ticker = at, time.NewTicker(every)
	c.tick = c.ticker.C
	c.p.errorf("%s\n  %s resume %s tries now, --model NAME with another model, Ctrl+C quits\n", c.describe(e, b), c.p.Name,
		e.GoalID.Short())
	c.showTimeLeft()
}

// describe says what a goal waits for, since when and why.
func (c *countdown) describe(e event.Event, b *event.Paused) string {
	if b.Exit != goal.WaitingForProvider {
		return "parked: " + oneLine(b.Reason)
	}
	if c.since.IsZero() {
		c.since = e.At
	}
	return fmt.Sprintf("waiting for the model since %s: %s", c.since.Local().Format("15:04"),
		oneLine(strings.TrimPrefix(b.Reason, goal.ModelPrefix)))
}

func (c *countdown) showTimeLeft() {
	timeLeft := goal.FormatDuration(max(0, time.Until(c.until)).Round(time.Second))
	if c.interactive {
		_, _ = c.p.Stderr.Write([]byte("\r  next try in " + timeLeft + "      "))
		return
	}
	c.p.errorf("  next try in %s\n", timeLeft)
}

func (c *countdown) stop() {
	if c.ticker == nil {
		return
	}
	c.ticker.Stop()
	c.ticker, c.tick = nil, nil
	if c.interactive {
		c.p.errorf("\n")
	}
}
