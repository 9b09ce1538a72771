package lifecycle

import (
	"context"
	"errors"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/storage/store"
)

// StartScheduled starts the goal of a schedule. A dry run works in a copy of the folder, and its network only reads.
// The error is store.ErrDecided if the run was started before; then nothing has changed. With any other error, id names
// the goal that may have claimed the run and is deleted.
func (s *Service) StartScheduled(
	ctx context.Context, in goal.Request, place goal.Scheduled,
) (id goal.ID, err error) {
	if place.DryRun {
		if place.Copy, err = s.Races.copyFolder(ctx, place.Folder, "dry-run"); err != nil {
			return "", err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, removeCopy(place.Copy))
			}
		}()
		in.Dir, in.NewWorktree = place.Copy, false
		if in.Risk == "" || in.Risk.Exceeds(policy.NetworkGet) {
			in.Risk = policy.NetworkGet
		}
	}
	_, err = s.StartAs(ctx, in, func(g *goal.Goal) error {
		id, g.Origin.Scheduled = g.ID, &place
		return nil
	})
	return id, err
}

// dryRunsKeptFor is how long the copies of dry runs are kept.
const dryRunsKeptFor = 7 * 24 * time.Hour

// removeOldDryRuns removes the copies in which dry runs worked that ended long ago. The goals stay.
func (s *Service) removeOldDryRuns(ctx context.Context) error {
	rows, err := s.store.Schedules.DryRuns(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, row := range rows {
		if !row.Status.IsActive() && s.Intake.clock.Now().Sub(row.UpdatedAt) > dryRunsKeptFor {
			errs = append(errs, removeDryRun(row))
		}
	}
	return errors.Join(errs...)
}

// removeDryRun removes the copy in which a goal worked, if it was a dry run.
func removeDryRun(row store.GoalRow) error {
	if row.Origin.Scheduled == nil {
		return nil
	}
	return removeCopy(row.Origin.Scheduled.Copy)
}
