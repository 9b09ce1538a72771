package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/schedule"
	"goalpost/backend/lib/fault"
)

// ErrDecided means that a due time of a schedule was decided before, maybe by another process.
var ErrDecided error = fault.Kind(fault.Conflict, "", "this run of the schedule was started already",
	"goalctl schedule show lists the runs")

// ScheduleTable stores schedules, and what was decided about their due times.
type ScheduleTable struct{ *connection }

const scheduleColumns = "id, plan, mode, tried, failures, created_at, decided_to"

func scanSchedule(r scanner, s *schedule.Schedule) error {
	return r.Scan(&s.ID, jsonColumn{&s.Plan}, &s.Mode, &s.Tried, &s.Failures, timeColumn{&s.CreatedAt},
		timeColumn{&s.DecidedTo})
}

// List reads all schedules, the oldest first.
func (st *ScheduleTable) List(ctx context.Context) ([]schedule.Schedule, error) {
	return readRows(ctx, st.read, "read schedules", scanSchedule,
		"SELECT "+scheduleColumns+" FROM schedules ORDER BY created_at, id")
}

// Find reads the schedule whose id contains a part.
func (st *ScheduleTable) Find(ctx context.Context, part string) (found schedule.Schedule, err error) {
	list, err := readRows(ctx, st.read, "read schedules", scanSchedule,
		"SELECT "+scheduleColumns+" FROM schedules WHERE instr(id, ?) > 0 LIMIT 2", part)
	switch {
	case err != nil:
		return found, err
	case part == "" || len(list) == 0:
		return found, fault.Kind(fault.NotFound, "", fmt.Sprintf("there is no schedule %q", part),
			"goalctl schedule list shows the schedules")
	case len(list) > 1:
		return found, fault.Invalid("", fmt.Sprintf("several schedules have %q in their ids", part), "write more of the id")
	}
	return list[0], nil
}

// Save stores a new schedule, or replaces one.
func (st *ScheduleTable) Save(ctx context.Context, s schedule.Schedule) error {
	plan, err := json.Marshal(s.Plan)
	if err != nil {
		return fmt.Errorf("encode a schedule: %w", err)
	}
	return st.commitStatement(ctx, "save a schedule", "INSERT INTO schedules ("+scheduleColumns+
		") VALUES (?,?,?,?,?,?,?) ON CONFLICT (id) DO UPDATE SET plan = excluded.plan, mode = excluded.mode, "+
		"tried = excluded.tried, failures = excluded.failures, decided_to = excluded.decided_to",
		s.ID, string(plan), s.Mode, s.Tried, s.Failures, formatTime(s.CreatedAt), formatTime(s.DecidedTo))
}

// Delete deletes a schedule with the list of its runs. The goals that it started stay.
func (st *ScheduleTable) Delete(ctx context.Context, id schedule.ID) error {
	return st.commitStatement(ctx, "delete a schedule", "DELETE FROM schedules WHERE id = ?", id)
}

// Decide stores what was decided about a due time that starts no goal. It returns ErrDecided if that was decided
// before, unless the run was waiting.
func (st *ScheduleTable) Decide(ctx context.Context, r schedule.Run) error {
	return st.tx(ctx, func(tx *sql.Tx) error { return st.decide(ctx, tx, r) })
}

// decide stores a run in the transaction of what it belongs to.
func (c *connection) decide(ctx context.Context, tx *sql.Tx, r schedule.Run) error {
	done, err := tx.ExecContext(ctx,
		"INSERT INTO schedule_runs (schedule, due, decided_at, state, goal_id, dry_run, why) "+
			"VALUES (?,?,?,?,?,?,?) ON CONFLICT (schedule, due) DO UPDATE SET decided_at = excluded.decided_at, "+
			"state = excluded.state, goal_id = excluded.goal_id, dry_run = excluded.dry_run, why = excluded.why "+
			"WHERE schedule_runs.state = 'waiting'",
		r.Schedule, formatTime(r.Due), formatTime(c.now()), r.State, r.Goal, r.DryRun, r.Why)
	if err != nil {
		return fmt.Errorf("decide a run: %w", err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return errors.Join(ErrDecided, err)
	}
	return execStatement(ctx, tx, "decide a run",
		"UPDATE schedules SET decided_to = ? WHERE id = ? AND decided_to < ?", formatTime(r.Due), r.Schedule,
		formatTime(r.Due))
}

// Refuse notes that the goal of a run could not be started: r.Goal, which has claimed the due time or not. It returns
// ErrDecided if something else was decided about that time, such as a goal of another process.
func (st *ScheduleTable) Refuse(ctx context.Context, r schedule.Run) error {
	return st.tx(ctx, func(tx *sql.Tx) error {
		err := execStatement(ctx, tx, "take back a claim", "DELETE FROM schedule_runs WHERE schedule = ? AND due = ? "+
			"AND state = 'started' AND goal_id = ?", r.Schedule, formatTime(r.Due), r.Goal)
		if err != nil {
			return err
		}
		r.State, r.Goal = schedule.Refused, ""
		return st.decide(ctx, tx, r)
	})
}

const runColumns = "schedule, due, decided_at, state, goal_id, dry_run, why"

func scanRun(r scanner, run *schedule.Run) error {
	return r.Scan(&run.Schedule, timeColumn{&run.Due}, timeColumn{&run.DecidedAt}, &run.State, &run.Goal, &run.DryRun,
		&run.Why)
}

// Runs reads the newest runs of a schedule, the newest first.
func (st *ScheduleTable) Runs(ctx context.Context, id schedule.ID, limit int) ([]schedule.Run, error) {
	return readRows(ctx, st.read, "read runs", scanRun,
		"SELECT "+runColumns+" FROM schedule_runs WHERE schedule = ? ORDER BY due DESC LIMIT ?", id, limit)
}

// Waiting reads the runs of a schedule that wait for the one before, the newest first.
func (st *ScheduleTable) Waiting(ctx context.Context, id schedule.ID) ([]schedule.Run, error) {
	return readRows(ctx, st.read, "read waiting runs", scanRun,
		"SELECT "+runColumns+" FROM schedule_runs WHERE schedule = ? AND state = 'waiting' ORDER BY due DESC", id)
}

// IsRunning reports whether a goal of the schedule has not ended.
func (st *ScheduleTable) IsRunning(ctx context.Context, id schedule.ID) (bool, error) {
	return readValue[bool](ctx, st.read, "read runs", "SELECT EXISTS (SELECT 1 FROM schedule_runs r JOIN goals g "+
		"ON g.id = r.goal_id WHERE r.schedule = ? AND g.status IN ('pending', 'running', 'paused'))", id)
}

// EndedRun is a run whose goal has ended, or was deleted, and that is not counted yet.
type EndedRun struct {
	schedule.Run
	Exit goal.Exit // "" if the goal was deleted
}

// Ended reads the runs of all schedules whose ends are not counted, the oldest first.
func (st *ScheduleTable) Ended(ctx context.Context) ([]EndedRun, error) {
	return readRows(ctx, st.read, "read ended runs", func(r scanner, run *EndedRun) error {
		return r.Scan(&run.Schedule, timeColumn{&run.Due}, timeColumn{&run.DecidedAt}, &run.State, &run.Goal, &run.DryRun,
			&run.Why, &run.Exit)
	}, "SELECT r.schedule, r.due, r.decided_at, r.state, r.goal_id, r.dry_run, r.why, coalesce(g.exit, '') "+
		"FROM schedule_runs r LEFT JOIN goals g ON g.id = r.goal_id WHERE r.counted = 0 AND r.state = 'started' "+
		"AND coalesce(g.status, '') NOT IN ('pending', 'running', 'paused') ORDER BY r.due")
}

// Count counts the end of a run in its schedule once, whichever process notices it: change is called only then, with
// the present state of the schedule.
func (st *ScheduleTable) Count(ctx context.Context, r schedule.Run, change func(*schedule.Schedule)) error {
	return st.tx(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx,
			"UPDATE schedule_runs SET counted = 1 WHERE schedule = ? AND due = ? AND counted = 0", r.Schedule, formatTime(r.Due))
		if err != nil {
			return fmt.Errorf("count a run: %w", err)
		}
		if n, err := done.RowsAffected(); err != nil || n == 0 {
			return err //nolint:wrapcheck // SQLite's driver always knows the number
		}
		var s schedule.Schedule
		err = scanSchedule(tx.QueryRowContext(ctx, "SELECT "+scheduleColumns+" FROM schedules WHERE id = ?", r.Schedule), &s)
		if err != nil {
			return fmt.Errorf("count a run: %w", err)
		}
		change(&s)
		return execStatement(ctx, tx, "count a run", "UPDATE schedules SET mode = ?, tried = ?, failures = ? WHERE id = ?",
			s.Mode, s.Tried, s.Failures, s.ID)
	})
}

// Spent returns what the goals of a schedule, and those that they started, have cost since a time, in US dollars.
func (st *ScheduleTable) Spent(ctx context.Context, id schedule.ID, since time.Time) (float64, error) {
	return readValue[float64](ctx, st.read, "read the costs of a schedule",
		"WITH RECURSIVE family (id) AS (SELECT goal_id FROM schedule_runs WHERE schedule = ? AND goal_id <> '' "+
			"UNION SELECT g.id FROM goals g JOIN family f ON g.options ->> 'parent' = f.id) "+
			"SELECT coalesce(sum(usd), 0) FROM spend WHERE at >= ? AND goal_id IN (SELECT id FROM family)",
		id, formatTime(since))
}

// DryRuns reads the goals of all dry runs that were not deleted.
func (st *ScheduleTable) DryRuns(ctx context.Context) ([]GoalRow, error) {
	return readRows(ctx, st.read, "read dry runs", scanGoal, "SELECT "+goalColumns+
		" FROM goals WHERE id IN (SELECT goal_id FROM schedule_runs WHERE dry_run AND state = 'started')")
}

// claimScheduled stores that a goal is the run of a schedule. It returns ErrDecided if the time was decided before.
func (gt *GoalTable) claimScheduled(ctx context.Context, tx *sql.Tx, g *goal.Goal) error {
	place := g.Origin.Scheduled
	if place == nil {
		return nil
	}
	return gt.decide(ctx, tx, schedule.Run{
		Schedule: schedule.ID(place.ID), Due: place.Due, State: schedule.Started, Goal: g.ID, DryRun: place.DryRun,
	})
}
