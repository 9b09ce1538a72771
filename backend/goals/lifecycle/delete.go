package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/storage/store"
)

// Delete deletes a goal with its panes and all its data. It aborts an active goal first. It also removes the goal's git
// worktree, unless that has work that no other branch has.
func (s *Service) Delete(ctx context.Context, id goal.ID) error {
	row, isActive, err := s.Runs.readActive(ctx, id)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	if isActive {
		if err := s.Abort(ctx, id); err != nil {
			if row, readErr := s.store.Goals.Get(ctx, id); readErr != nil || row.Status.IsActive() {
				return err
			} // it ended in the meantime
		}
	}
	lock, err := s.Runs.lockStopped(ctx, id) // so that no process can resume it
	if err != nil {
		return err
	}
	if err := errors.Join(s.sessions.CloseGoal(ctx, id), s.removeFinishedWorktree(ctx, row), removeDryRun(row),
		s.store.Goals.Delete(ctx, id),
		s.Intake.removeGoalState(id), lock.Unlock()); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	return nil
}

// Prune deletes ended goals with all their data and returns how many. It skips goals that were just resumed.
func (s *Service) Prune(ctx context.Context, in api.PruneInput) (int, error) {
	p, err := in.Predicate()
	if err != nil {
		return 0, err
	}
	ids, err := s.store.Goals.Prunable(ctx, p)
	if err != nil {
		return 0, fmt.Errorf("prune: %w", err)
	}
	n := 0
	for _, id := range ids {
		isDeleted, err := s.prune(ctx, id)
		if err != nil {
			return n, fmt.Errorf("prune %s: %w", id.Short(), err)
		}
		if isDeleted {
			n++
		}
	}
	return n, nil
}

func (s *Service) prune(ctx context.Context, id goal.ID) (isDeleted bool, err error) {
	lock, err := s.Runs.lockStopped(ctx, id)
	if errors.Is(err, store.ErrGoalLocked) || api.IsConflict(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	row, err := s.store.Goals.Get(ctx, id)
	if errors.Is(err, goal.ErrNotFound) || err == nil && row.Status.IsActive() {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, errors.Join(s.sessions.CloseGoal(ctx, id), s.removeFinishedWorktree(ctx, row), removeDryRun(row),
		s.store.Goals.Delete(ctx, id), s.Intake.removeGoalState(id))
}
