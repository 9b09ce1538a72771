// Package schedules starts goals at their times, and turns off what fails again and again.
package schedules

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/schedule"
	"goalpost/backend/goals/access"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// longestWait is how long the service waits before it looks at the clock again: while the computer sleeps, and when
// its clock is set, timers do not know it.
const longestWait = time.Minute

// Service starts the goals of schedules. Its methods may be called concurrently.
type Service struct {
	Store  *store.Store
	Goals  *lifecycle.Service
	Access *access.Rules
	Broker *event.Broker
	Clock  runner.Clock
	Log    *slog.Logger

	wake chan struct{} // has one slot; receives that schedules or their goals have changed
	stop context.CancelFunc
	work sync.WaitGroup

	mu       sync.Mutex
	starting map[schedule.ID]bool // a goal of the schedule is being started
}

// Open starts what is due, now and from now on, until Close.
func (s *Service) Open(ctx context.Context) {
	ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.wake, s.starting = make(chan struct{}, 1), map[schedule.ID]bool{}
	ends := s.Broker.SubscribeReliable(256)
	s.work.Go(func() {
		defer ends.Close()
		for {
			select {
			case e, ok := <-ends.C:
				if !ok { // too many events at once
					ends = s.Broker.SubscribeReliable(256)
					s.look()
				}
				if _, isEnd := e.Body.(*event.Ended); isEnd {
					s.look()
				}
			case <-ctx.Done():
				return
			}
		}
	})
	s.work.Go(func() { s.run(ctx) })
}

// Close starts nothing more, and waits for what is being started.
func (s *Service) Close() {
	if s.stop != nil {
		s.stop()
		s.work.Wait()
	}
}

// look makes the service look at the schedules.
func (s *Service) look() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// changed tells the pages and the service that schedules have changed.
func (s *Service) changed() {
	s.Broker.Publish(event.Event{At: s.Clock.Now(), Body: &event.SchedulesChanged{}})
	if s.wake != nil {
		s.look()
	}
}

// run decides about due times, one round after the other.
func (s *Service) run(ctx context.Context) {
	for {
		next, err := s.decideAll(ctx)
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("schedules were not read", "error", err)
		}
		var due <-chan time.Time
		if !next.IsZero() {
			due = s.Clock.After(min(max(next.Sub(s.Clock.Now()), 0), longestWait))
		}
		select {
		case <-due:
		case <-s.wake:
		case <-ctx.Done():
			return
		}
	}
}

// decideAll counts the ends of runs, decides about everything that is due, and returns when something is due next;
// zero if nothing is.
func (s *Service) decideAll(ctx context.Context) (next time.Time, err error) {
	if err := s.countEnds(ctx); err != nil {
		return next, err
	}
	list, err := s.Store.Schedules.List(ctx)
	if err != nil {
		return next, err
	}
	for _, one := range list {
		if one.Mode == schedule.Off || s.isStarting(one.ID) {
			continue
		}
		due, err := s.decide(ctx, one)
		if err != nil {
			s.Log.Warn("a schedule was not decided", "schedule", one.ID, "error", err)
		}
		if !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
	}
	return next, nil
}

// decide decides about the newest due time of a schedule, and returns its next one.
func (s *Service) decide(ctx context.Context, one schedule.Schedule) (next time.Time, err error) {
	table, err := ParseTimetable(one.Cron, one.Zone)
	if err != nil {
		return next, err
	}
	now := s.Clock.Now()
	due, n := table.Last(one.DecidedTo, now)
	if n > 0 {
		err = s.decideDue(ctx, one, due, now)
	} else {
		err = s.startWaiting(ctx, one)
	}
	if err != nil {
		return now.Add(longestWait), err
	}
	return table.Next(now)
}

// decideDue starts a run, or notes why it does not start.
func (s *Service) decideDue(ctx context.Context, one schedule.Schedule, due, now time.Time) error {
	run := schedule.Run{Schedule: one.ID, Due: due, State: schedule.Skipped, DryRun: one.Mode == schedule.DryRun}
	isRunning, err := s.Store.Schedules.IsRunning(ctx, one.ID)
	if err != nil {
		return err
	}
	run.Why, err = s.reasonToSkip(ctx, one, due, now, isRunning)
	switch {
	case err != nil:
		return err
	case run.Why != "":
	case isRunning: // it may wait
		if err := s.skipWaiting(ctx, one); err != nil {
			return err
		}
		run.State, run.Why = schedule.Waiting, "the run before has not ended"
	default:
		s.start(ctx, one, run)
		return nil
	}
	err = s.Store.Schedules.Decide(ctx, run)
	s.changed()
	return ignoreDecided(err)
}

// reasonToSkip returns why a due time starts nothing; "" if it may start, or may wait.
func (s *Service) reasonToSkip(
	ctx context.Context, one schedule.Schedule, due, now time.Time, isRunning bool,
) (string, error) {
	if one.Missed == schedule.SkipMissed && now.Sub(due) > schedule.Grace {
		return "Goalpost was not running at that time", nil
	}
	if isRunning && one.Overlap == schedule.SkipOverlap {
		return "the run before has not ended", nil
	}
	return s.reasonOfBudget(ctx, one)
}

// reasonOfBudget returns why the budget of the month allows no further run, "" if it does.
func (s *Service) reasonOfBudget(ctx context.Context, one schedule.Schedule) (string, error) {
	if one.MonthUSD == 0 {
		return "", nil
	}
	spent, err := s.SpentThisMonth(ctx, one)
	if err != nil || spent < one.MonthUSD {
		return "", err
	}
	return fmt.Sprintf("its runs have cost $%.2f of $%.2f for this month", spent, one.MonthUSD), nil
}

// SpentThisMonth returns what the runs of a schedule have cost since the month began in its time zone, in US dollars.
func (s *Service) SpentThisMonth(ctx context.Context, one schedule.Schedule) (float64, error) {
	table, err := ParseTimetable(one.Cron, one.Zone)
	if err != nil {
		return 0, err
	}
	now := s.Clock.Now().In(table.zone)
	return s.Store.Schedules.Spent(ctx, one.ID, time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, table.zone))
}

// skipWaiting skips what still waits, because a newer run does.
func (s *Service) skipWaiting(ctx context.Context, one schedule.Schedule) error {
	waiting, err := s.Store.Schedules.Waiting(ctx, one.ID)
	for _, run := range waiting {
		run.State, run.Why = schedule.Skipped, "a newer run waited, too"
		err = errors.Join(err, ignoreDecided(s.Store.Schedules.Decide(ctx, run)))
	}
	return err
}

// startWaiting starts the run that waits, if the run before has ended.
func (s *Service) startWaiting(ctx context.Context, one schedule.Schedule) error {
	waiting, err := s.Store.Schedules.Waiting(ctx, one.ID)
	if err != nil || len(waiting) == 0 {
		return err
	}
	isRunning, err := s.Store.Schedules.IsRunning(ctx, one.ID)
	if err != nil || isRunning {
		return err
	}
	s.start(ctx, one, waiting[0])
	return nil
}

// start starts the goal of a run beside the other schedules: its checks may take long.
func (s *Service) start(ctx context.Context, one schedule.Schedule, run schedule.Run) {
	if !s.reserve(one.ID) {
		return
	}
	s.work.Go(func() {
		defer s.look()
		defer s.release(one.ID)
		if _, err := s.startGoal(ctx, one, run); err != nil && ctx.Err() == nil {
			s.Log.Warn("a scheduled goal did not start", "schedule", one.ID, "error", err)
		}
	})
}

// reserve reports whether nothing of the schedule is being started, and notes that something is.
func (s *Service) reserve(id schedule.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.starting[id] {
		return false
	}
	s.starting[id] = true
	return true
}

func (s *Service) release(id schedule.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.starting, id)
}

func (s *Service) isStarting(id schedule.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.starting[id]
}

// startGoal starts the goal of a run, or notes why there is nothing to do or why it is refused. Of several processes,
// one starts it.
func (s *Service) startGoal(ctx context.Context, one schedule.Schedule, run schedule.Run) (goal.ID, error) {
	id, err := s.Goals.StartScheduled(ctx, one.Request, goal.Scheduled{
		ID: string(one.ID), Due: run.Due, DryRun: run.DryRun, Folder: one.Request.Dir,
	})
	defer s.changed()
	switch {
	case err == nil:
		return id, nil
	case errors.Is(err, store.ErrDecided) || ctx.Err() != nil:
		return "", ignoreDecided(err)
	}
	var refusal *fault.Error
	if errors.As(err, &refusal) && refusal.Code == fault.CheckPasses {
		run.State, run.Why = schedule.Skipped, "there was nothing to do: "+refusal.Message
		return "", errors.Join(err, ignoreDecided(s.Store.Schedules.Decide(ctx, run)))
	}
	run.State, run.Goal, run.Why = schedule.Refused, id, err.Error()
	problem := s.Store.Schedules.Refuse(ctx, run)
	if errors.Is(problem, store.ErrDecided) {
		// Another process has decided this time, maybe with a goal whose work is what made this one fail.
		return "", nil
	}
	return "", errors.Join(err, problem, s.count(ctx, store.EndedRun{Run: run, Exit: goal.ExitError}))
}

// countEnds counts the runs whose goals have ended.
func (s *Service) countEnds(ctx context.Context) error {
	ended, err := s.Store.Schedules.Ended(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, run := range ended {
		errs = append(errs, s.count(ctx, run))
	}
	return errors.Join(errs...)
}

// count counts the end of a run, and turns the schedule off after too many failures.
func (s *Service) count(ctx context.Context, run store.EndedRun) error {
	turnedOff := false
	err := s.Store.Schedules.Count(ctx, run.Run, func(one *schedule.Schedule) {
		switch {
		case run.Exit == "" || run.Exit == goal.AbortedByUser: // the user ended or deleted it
			return
		case run.Exit != goal.Done:
			one.Failures++
		default:
			one.Failures = 0
			one.Tried = one.Tried || run.DryRun
		}
		if one.Failures >= schedule.MaxFailures && one.Mode != schedule.Off {
			one.Mode, turnedOff = schedule.Off, true
		}
	})
	if err != nil {
		return err
	}
	if turnedOff {
		s.Broker.Publish(event.Event{GoalID: run.Goal, At: s.Clock.Now(), Body: &event.SchedulesChanged{
			TurnedOff: fmt.Sprintf("%d runs in a row failed", schedule.MaxFailures),
		}})
	}
	s.changed()
	return nil
}

// ignoreDecided returns nil for a time that another process has decided.
func ignoreDecided(err error) error {
	if errors.Is(err, store.ErrDecided) {
		return nil
	}
	return err
}

// Save stores a new schedule, whose id is "", or changes one. A new one, and one whose goal has changed, is a dry run.
func (s *Service) Save(ctx context.Context, id string, p schedule.Plan) (schedule.Schedule, error) {
	one := schedule.Schedule{ID: schedule.ID(store.NewID()), Mode: schedule.DryRun, CreatedAt: s.Clock.Now()}
	if id != "" {
		var err error
		if one, err = s.Store.Schedules.Find(ctx, id); err != nil {
			return one, err
		}
	}
	if err := s.complete(ctx, &p); err != nil {
		return one, err
	}
	isSame, err := sameRequest(one.Request, p.Request)
	if err != nil {
		return one, err
	}
	if !isSame && one.Mode != schedule.Off {
		one.Mode = schedule.DryRun
	}
	one.Tried = one.Tried && isSame
	one.Plan, one.DecidedTo = p, s.Clock.Now() // no time before the change is made up for
	if err := s.Store.Schedules.Save(ctx, one); err != nil {
		return one, err
	}
	s.changed()
	return one, nil
}

// complete sets what the user left open, and refuses what could never start.
func (s *Service) complete(ctx context.Context, p *schedule.Plan) error {
	if _, err := ParseTimetable(p.Cron, p.Zone); err != nil {
		return err
	}
	if err := p.Complete(); err != nil {
		return err
	}
	if err := s.Goals.Intake.ValidateRequest(ctx, p.Request); err != nil {
		return err
	}
	if p.Request.Dir == "" {
		return fault.Invalid("dir", "a schedule needs a folder: its runs find there what the runs before have made",
			"choose the folder").OnCommandLine("name it with --dir")
	}
	dir, err := s.Access.ValidateExistingDir(p.Request.Dir)
	p.Request.Dir = dir
	return err
}

// sameRequest compares what two plans ask of an agent.
func sameRequest(a, b goal.Request) (bool, error) {
	before, err1 := json.Marshal(a)
	after, err2 := json.Marshal(b)
	if err := errors.Join(err1, err2); err != nil {
		return false, fmt.Errorf("compare plans: %w", err)
	}
	return string(before) == string(after), nil
}

// SetMode turns a schedule off or on. It refuses Active before a dry run of the plan was done.
func (s *Service) SetMode(ctx context.Context, part string, mode schedule.Mode) (schedule.Schedule, error) {
	one, err := s.Store.Schedules.Find(ctx, part)
	if err != nil {
		return one, err
	}
	if mode == schedule.Active && !one.Tried {
		return one, fault.New(fault.Conflict, "no dry run of this schedule was done yet",
			"run it once (goalctl schedule run), look at what it changed in the copy, then promote it")
	}
	if one.Mode == schedule.Off {
		one.Failures, one.DecidedTo = 0, s.Clock.Now()
	}
	one.Mode = mode
	if err := s.Store.Schedules.Save(ctx, one); err != nil {
		return one, err
	}
	s.changed()
	return one, nil
}

// Delete deletes a schedule. Its goals stay; one that runs continues.
func (s *Service) Delete(ctx context.Context, part string) (schedule.Schedule, error) {
	one, err := s.Store.Schedules.Find(ctx, part)
	if err != nil {
		return one, err
	}
	if err := s.Store.Schedules.Delete(ctx, one.ID); err != nil {
		return one, err
	}
	s.changed()
	return one, nil
}

// Run starts a run now, in the present mode of the schedule; one that is off does a dry run.
func (s *Service) Run(ctx context.Context, part string) (goal.ID, error) {
	one, err := s.Store.Schedules.Find(ctx, part)
	if err != nil {
		return "", err
	}
	isRunning, err := s.Store.Schedules.IsRunning(ctx, one.ID)
	if err != nil {
		return "", err
	}
	if isRunning || !s.reserve(one.ID) {
		return "", fault.New(fault.Conflict, "a run of this schedule has not ended", "wait for it, or abort it")
	}
	defer s.release(one.ID)
	return s.startGoal(ctx, one, schedule.Run{Schedule: one.ID, Due: s.Clock.Now(), DryRun: one.Mode != schedule.Active})
}

// Count counts the schedules that are not off.
func (s *Service) Count(ctx context.Context) int {
	list, err := s.Store.Schedules.List(ctx)
	if err != nil {
		return 0
	}
	n := 0
	for _, one := range list {
		if one.Mode != schedule.Off {
			n++
		}
	}
	return n
}
