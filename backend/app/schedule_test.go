package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/domain/schedule"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/waittest"
)

// scheduled is a program that starts the goals of schedules, with a clock that the test puts forward.
type scheduled struct {
	*program
	clock     *jumpClock
	schedules *calls.ScheduleAPI
}

func startSchedules(t *testing.T, home string, clock *jumpClock, script modeltest.Script) scheduled {
	t.Helper()
	p := startWith(t, home, clock)
	p.provide(script)
	p.app.StartSchedules(t.Context())
	return scheduled{p, clock, area[*calls.ScheduleAPI](t, p.app)}
}

// halfPast returns a clock that shows half past an hour on the tenth of a month: whenever the test runs, no hour and no
// month ends in its first steps.
func halfPast(t *testing.T) *jumpClock {
	t.Helper()
	clock := newJumpClock(t)
	now := clock.Now().UTC()
	clock.jump(time.Date(now.Year(), now.Month()+1, 10, 12, 30, 0, 0, time.UTC).Sub(now))
	return clock
}

// everyHour is a plan for a goal that makes result.txt.
func everyHour(dir string) schedule.Plan {
	return schedule.Plan{Cron: "0 * * * *", Zone: "UTC", Request: goal.Request{
		Objective: "make the result", Policy: policy.Policy{Dir: dir, Risk: policy.WriteLocal},
		Criterion: goal.Criterion{Checks: shell("test -f result.txt")},
		Options:   goal.Options{CriticEvery: goal.NoLimit, Review: goal.ReviewNever},
	}}
}

// makesResult makes the result and claims it.
func makesResult() modeltest.Script {
	return turns(runs("echo made > result.txt"), args("claim_complete", map[string]any{"rationale": "made"}))
}

// nextHour puts the clock forward to a minute after the next full hour, in small steps, so that nothing is late.
func (s scheduled) nextHour() {
	now := s.clock.Now()
	s.clock.jump(now.Truncate(time.Hour).Add(time.Hour + time.Second).Sub(now))
}

// runsOf waits until a schedule has n runs that fit, and returns all of its runs, the newest first.
func (s scheduled) runsOf(id schedule.ID, n int, fits func(api.ScheduleRunView) bool) (list []api.ScheduleRunView) {
	s.Helper()
	waittest.Until(s.T, "the runs of the schedule", func() bool {
		var err error
		list, err = s.schedules.Runs(string(id))
		must(s.T, err)
		found := 0
		for _, run := range list {
			if fits(run) {
				found++
			}
		}
		return found >= n
	})
	return list
}

func isDone(r api.ScheduleRunView) bool { return r.Exit == goal.Done }

// TestSchedule_DryRunThenPromoted_WorksInTheFolder: a dry run changes a copy, only then the schedule can be promoted; a
// real run changes the folder, and the next one finds nothing to do. Another goal needs another dry run.
func TestSchedule_DryRunThenPromoted_WorksInTheFolder(t *testing.T) {
	t.Parallel()
	s := startSchedules(t, t.TempDir(), halfPast(t), makesResult())
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "input.txt"), []byte("in\n"), 0o600))
	plan := everyHour(dir)
	plan.Request.Risk = policy.NetworkWrite
	v, err := s.schedules.Save("", plan)
	must(t, err)
	if v.Mode != schedule.DryRun || v.When != "every hour at minute 0 (UTC)" || len(v.Upcoming) != 4 || v.Running {
		t.Fatalf("%+v", v)
	}
	if _, err := s.schedules.SetMode(string(v.ID), schedule.Active); !api.IsConflict(err) {
		t.Fatalf("promoted without a dry run: %v", err)
	}

	s.nextHour()
	run := s.runsOf(v.ID, 1, isDone)[0]
	row, err := s.app.Store().Goals.Get(t.Context(), run.Goal)
	must(t, err)
	place := row.Origin.Scheduled
	if !run.DryRun || place == nil || place.Copy == "" || row.Policy.Dir != place.Copy ||
		row.Policy.Risk != policy.NetworkGet {
		t.Fatalf("%+v %+v", run, place)
	}
	for path, want := range map[string]bool{
		filepath.Join(dir, "result.txt"): false, filepath.Join(place.Copy, "result.txt"): true,
		filepath.Join(place.Copy, "input.txt"): true,
	} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	waittest.Until(t, "the dry run to count", func() bool {
		v, err = s.schedules.Get(string(v.ID))
		must(t, err)
		return v.Tried
	})
	_, err = s.schedules.SetMode(string(v.ID), schedule.Active)
	must(t, err)

	s.nextHour()
	if run := s.runsOf(v.ID, 2, isDone)[0]; run.DryRun {
		t.Errorf("%+v", run)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "result.txt")); string(got) != "made\n" {
		t.Errorf("the result is %q: %v", got, err)
	}
	s.nextHour()
	isSkipped := func(r api.ScheduleRunView) bool { return r.State == schedule.Skipped }
	if run := s.runsOf(v.ID, 1, isSkipped)[0]; !strings.Contains(run.Why, "nothing to do") || run.Goal != "" {
		t.Errorf("%+v", run)
	}

	plan.Cron = "30 * * * *"
	if v, err = s.schedules.Save(string(v.ID), plan); err != nil || v.Mode != schedule.Active || !v.Tried {
		t.Errorf("another time: %+v, %v", v, err)
	}
	plan.Request.Objective = "make another result"
	if v, err = s.schedules.Save(string(v.ID), plan); err != nil || v.Mode != schedule.DryRun || v.Tried {
		t.Errorf("another goal: %+v, %v", v, err)
	}
	must(t, s.app.Goals.Delete(t.Context(), run.Goal))
	if _, err := os.Stat(place.Copy); !os.IsNotExist(err) {
		t.Errorf("the copy of a deleted dry run: %v", err)
	}
	_, err = s.schedules.Delete(string(v.ID))
	must(t, err)
	if list, err := s.schedules.List(); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// TestSchedule_ThreeFailures_TurnItOff: the user is told once, and turning it on begins to count anew.
func TestSchedule_ThreeFailures_TurnItOff(t *testing.T) {
	t.Parallel()
	s := startSchedules(t, t.TempDir(), halfPast(t), turns(giveUp()))
	v, err := s.schedules.Save("", everyHour(t.TempDir()))
	must(t, err)
	for n := 1; n <= schedule.MaxFailures; n++ {
		s.nextHour()
		waittest.Until(t, "the failure", func() bool {
			v, err = s.schedules.Get(string(v.ID))
			must(t, err)
			return v.Failures == n
		})
	}
	s.await("the notice", func(e event.Event) bool {
		b, ok := e.Body.(*event.SchedulesChanged)
		return ok && b.TurnedOff == "3 runs in a row failed"
	})
	if v.Mode != schedule.Off || len(v.Upcoming) != 0 {
		t.Fatalf("%+v", v)
	}
	s.nextHour()
	v, err = s.schedules.SetMode(string(v.ID), schedule.DryRun)
	must(t, err)
	if runs, err := s.schedules.Runs(string(v.ID)); err != nil || len(runs) != schedule.MaxFailures || v.Failures != 0 {
		t.Errorf("%+v, %v, %+v", runs, err, v)
	}
}

// TestSchedule_RunBeforeIsNotDone_IsSkippedOrWaits: with queue, one run waits for the end of the one before; with skip,
// the journal of the schedule says why nothing started.
func TestSchedule_RunBeforeIsNotDone_IsSkippedOrWaits(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	script := makesResult()
	s := startSchedules(t, t.TempDir(), halfPast(t), func(n int, r modeltest.Request) modeltest.Answer {
		<-release
		return script(n, r)
	})
	var once sync.Once
	end := func() { once.Do(func() { close(release) }) }
	t.Cleanup(end)
	plan := everyHour(t.TempDir())
	plan.Request.Limits.WallClockMS = goal.NoLimit
	skipping, err := s.schedules.Save("", plan)
	must(t, err)
	plan.Request.Dir, plan.Overlap = t.TempDir(), schedule.Queue
	queueing, err := s.schedules.Save("", plan)
	must(t, err)
	isStarted := func(r api.ScheduleRunView) bool { return r.State == schedule.Started }
	s.nextHour()
	s.runsOf(skipping.ID, 1, isStarted)
	s.runsOf(queueing.ID, 1, isStarted)
	for range 2 {
		s.nextHour()
		s.runsOf(skipping.ID, 1, func(r api.ScheduleRunView) bool {
			return r.State == schedule.Skipped && r.Why == "the run before has not ended" &&
				r.Due.Equal(s.clock.Now().Truncate(time.Hour))
		})
		s.runsOf(queueing.ID, 1, func(r api.ScheduleRunView) bool {
			return r.State == schedule.Waiting && r.Due.Equal(s.clock.Now().Truncate(time.Hour))
		})
	}
	if _, err := s.schedules.Run(string(queueing.ID)); !api.IsConflict(err) {
		t.Errorf("a run was started beside another one: %v", err)
	}
	end()
	runs := s.runsOf(queueing.ID, 2, isDone)
	if len(runs) != 3 || runs[1].State != schedule.Skipped || runs[1].Why != "a newer run waited, too" {
		t.Errorf("%+v", runs)
	}
}

// TestSchedule_MissedTimes_AreMadeUpForOnce: after a night in which nothing ran, one run starts, or none.
func TestSchedule_MissedTimes_AreMadeUpForOnce(t *testing.T) {
	t.Parallel()
	home, clock := t.TempDir(), halfPast(t)
	var once, skip api.ScheduleView
	t.Run("evening", func(t *testing.T) {
		s := startSchedules(t, home, clock, makesResult())
		var err error
		once, err = s.schedules.Save("", everyHour(t.TempDir()))
		must(t, err)
		plan := everyHour(t.TempDir())
		plan.Missed = schedule.SkipMissed
		skip, err = s.schedules.Save("", plan)
		must(t, err)
	})
	dir := t.TempDir() // the folders of the evening are gone
	clock.jump(9 * time.Hour)
	p := startWith(t, home, clock)
	p.provide(makesResult())
	for _, v := range []*api.ScheduleView{&once, &skip} {
		one, err := p.app.Store().Schedules.Find(t.Context(), string(v.ID))
		must(t, err)
		one.Request.Dir = dir
		must(t, p.app.Store().Schedules.Save(t.Context(), one))
	}
	p.app.StartSchedules(t.Context())
	s := scheduled{p, clock, area[*calls.ScheduleAPI](t, p.app)}
	due := clock.Now().Truncate(time.Hour)
	if list := s.runsOf(once.ID, 1, isDone); len(list) != 1 || !list[0].Due.Equal(due) {
		t.Errorf("%+v", list)
	}
	list := s.runsOf(skip.ID, 1, func(r api.ScheduleRunView) bool { return r.State == schedule.Skipped })
	if len(list) != 1 || !list[0].Due.Equal(due) || list[0].Why != "Goalpost was not running at that time" {
		t.Errorf("%+v", list)
	}
}

// TestSchedule_MonthUsedUp_StartsNothing: the budget is that of the month, in the time zone of the schedule.
func TestSchedule_MonthUsedUp_StartsNothing(t *testing.T) {
	t.Parallel()
	s := startSchedules(t, t.TempDir(), halfPast(t), makesResult())
	s.usePrice()
	plan := everyHour(t.TempDir())
	plan.MonthUSD = 0.000001
	v, err := s.schedules.Save("", plan)
	must(t, err)
	s.nextHour()
	s.runsOf(v.ID, 1, isDone)
	s.nextHour()
	isSkipped := func(r api.ScheduleRunView) bool { return r.State == schedule.Skipped }
	run := s.runsOf(v.ID, 1, isSkipped)[0]
	v, err = s.schedules.Get(string(v.ID))
	must(t, err)
	if !strings.Contains(run.Why, "for this month") || v.SpentUSD <= 0 {
		t.Errorf("%+v %+v", run, v)
	}
	s.clock.jump(32 * 24 * time.Hour)
	s.runsOf(v.ID, 2, isDone)
}

// TestSchedule_FolderIsGone_IsRefusedAndSaid: what cannot start counts as a failure, with the reason.
func TestSchedule_FolderIsGone_IsRefusedAndSaid(t *testing.T) {
	t.Parallel()
	s := startSchedules(t, t.TempDir(), halfPast(t), makesResult())
	dir := filepath.Join(t.TempDir(), "gone")
	must(t, os.Mkdir(dir, 0o700))
	v, err := s.schedules.Save("", everyHour(dir))
	must(t, err)
	must(t, os.Remove(dir))
	s.nextHour()
	run := s.runsOf(v.ID, 1, func(r api.ScheduleRunView) bool { return r.State == schedule.Refused })[0]
	if run.Goal != "" || !strings.Contains(run.Why, "gone") {
		t.Errorf("%+v", run)
	}
	for name, change := range map[string]func(*schedule.Plan){
		"cron":      func(p *schedule.Plan) { p.Cron = "0 25 * * *" },
		"zone":      func(p *schedule.Plan) { p.Zone = "Mars" },
		"missed":    func(p *schedule.Plan) { p.Missed = "twice" },
		"overlap":   func(p *schedule.Plan) { p.Overlap = "both" },
		"month_usd": func(p *schedule.Plan) { p.MonthUSD = -1 },
		"objective": func(p *schedule.Plan) { p.Request.Objective = "" },
		"dir":       func(p *schedule.Plan) { p.Request.Dir = "" },
	} {
		plan := everyHour(t.TempDir())
		change(&plan)
		if _, err := s.schedules.Save("", plan); api.ToProblem(err).Field != name {
			t.Errorf("%s: %+v", name, api.ToProblem(err))
		}
	}
	if _, err := s.schedules.Get("nowhere"); api.ToProblem(err).Code != fault.NotFound {
		t.Errorf("an unknown schedule: %v", err)
	}
}
