package calls

import (
	"context"
	"errors"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/schedule"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/schedules"
	"goalpost/backend/storage/store"
)

// ScheduleAPI manages schedules, which start goals again and again. One is named by a part of its id.
type ScheduleAPI struct {
	service *schedules.Service
	store   *store.Store
	apiBase
}

// NewScheduleAPI makes the API; ctx is the program's life.
func NewScheduleAPI(ctx context.Context, service *schedules.Service, s *store.Store) *ScheduleAPI {
	return &ScheduleAPI{service, s, apiBase{ctx}}
}

// upcomingTimes is how many of the next times of a schedule are shown.
const upcomingTimes = 4

// recentRuns is how many runs of a schedule are shown.
const recentRuns = 50

// List lists all schedules, the oldest first.
func (sa *ScheduleAPI) List() (out []api.ScheduleView, err error) {
	defer sa.recoverProblem(&err)
	list, err := sa.store.Schedules.List(sa.ctx)
	if err != nil {
		return nil, err
	}
	out = make([]api.ScheduleView, 0, len(list))
	for _, one := range list {
		v, err := sa.view(one)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// Get describes one schedule.
func (sa *ScheduleAPI) Get(id string) (out api.ScheduleView, err error) {
	defer sa.recoverProblem(&err)
	one, err := sa.store.Schedules.Find(sa.ctx, id)
	if err != nil {
		return out, err
	}
	return sa.view(one)
}

func (sa *ScheduleAPI) view(one schedule.Schedule) (v api.ScheduleView, err error) {
	v = api.ScheduleView{Schedule: one, Upcoming: []string{}}
	table, err := schedules.ParseTimetable(one.Cron, one.Zone)
	if err != nil {
		return v, err
	}
	v.When = table.Describe()
	if one.Mode != schedule.Off {
		v.Upcoming = sa.upcoming(table)
	}
	v.Running, err = sa.store.Schedules.IsRunning(sa.ctx, one.ID)
	if err != nil {
		return v, err
	}
	v.SpentUSD, err = sa.service.SpentThisMonth(sa.ctx, one)
	return v, err
}

func (sa *ScheduleAPI) upcoming(table schedules.Timetable) []string {
	times := []string{}
	for _, at := range table.Upcoming(sa.service.Clock.Now(), upcomingTimes) {
		times = append(times, at.Format(time.RFC3339))
	}
	return times
}

// Runs lists the newest runs of a schedule, the newest first.
func (sa *ScheduleAPI) Runs(id string) (out []api.ScheduleRunView, err error) {
	defer sa.recoverProblem(&err)
	one, err := sa.store.Schedules.Find(sa.ctx, id)
	if err != nil {
		return nil, err
	}
	list, err := sa.store.Schedules.Runs(sa.ctx, one.ID, recentRuns)
	if err != nil {
		return nil, err
	}
	out = make([]api.ScheduleRunView, 0, len(list))
	for _, run := range list {
		v := api.ScheduleRunView{Run: run}
		if run.Goal != "" {
			row, err := sa.store.Goals.Get(sa.ctx, run.Goal)
			if err != nil && !errors.Is(err, goal.ErrNotFound) { // it may have been deleted
				return nil, err
			}
			v.Status, v.Exit, v.USD = row.Status, row.Exit, row.Spent.USD
		}
		out = append(out, v)
	}
	return out, nil
}

// Describe says a cron expression in words, with its next times. zone is a name such as Europe/Berlin; "" is the
// computer's.
func (sa *ScheduleAPI) Describe(cron, zone string) (out api.Timetable, err error) {
	defer sa.recoverProblem(&err)
	table, err := schedules.ParseTimetable(cron, zone)
	if err != nil {
		return out, err
	}
	return api.Timetable{When: table.Describe(), Upcoming: sa.upcoming(table)}, nil
}

// Save stores a new schedule, whose id is "", or changes one. A new one, and one whose goal has changed, does dry runs.
func (sa *ScheduleAPI) Save(id string, in schedule.Plan) (out api.ScheduleView, err error) {
	defer sa.recoverProblem(&err)
	one, err := sa.service.Save(sa.ctx, id, in)
	if err != nil {
		return out, err
	}
	return sa.view(one)
}

// SetMode makes a schedule do dry runs or real runs, or turns it off. Real runs need a dry run that is done.
func (sa *ScheduleAPI) SetMode(id string, mode schedule.Mode) (out api.ScheduleView, err error) {
	defer sa.recoverProblem(&err)
	one, err := sa.service.SetMode(sa.ctx, id, mode)
	if err != nil {
		return out, err
	}
	return sa.view(one)
}

// Run starts a run now, in the present mode of the schedule, and returns the id of its goal.
func (sa *ScheduleAPI) Run(id string) (out string, err error) {
	defer sa.recoverProblem(&err)
	started, err := sa.service.Run(sa.ctx, id)
	return string(started), err
}

// Delete deletes a schedule. Its goals stay.
func (sa *ScheduleAPI) Delete(id string) (out api.ScheduleView, err error) {
	defer sa.recoverProblem(&err)
	one, err := sa.store.Schedules.Find(sa.ctx, id)
	if err != nil {
		return out, err
	}
	if out, err = sa.view(one); err != nil {
		return out, err
	}
	_, err = sa.service.Delete(sa.ctx, string(one.ID))
	return out, err
}
