package lifecycle

import (
	"context"
	"fmt"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
)

// Recover pauses, as interrupted, the goals whose process died. Only programs that may run goals call it. The window
// and serve also adopt goals that wait without a process: queued goals, parked goals, which continue at their time, and
// goals with an answer to a manual check that no process has read. They also continue what KeepForNextHost has noted.
func (s *Service) Recover(ctx context.Context) error {
	n, err := s.store.Recovery.Interrupt(ctx)
	if n > 0 {
		s.Runs.log.Info("goals were interrupted", "count", n)
	}
	if err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	if !s.stays {
		return nil
	}
	if err := s.deleteExpired(ctx); err != nil {
		s.Runs.log.Warn("expired goals were not deleted", "error", err)
	}
	if err := s.Races.removeExpired(ctx); err != nil {
		s.Runs.log.Warn("the folders of old races were not removed", "error", err)
	}
	if err := s.removeOldDryRuns(ctx); err != nil {
		s.Runs.log.Warn("the copies of old dry runs were not removed", "error", err)
	}
	if n, err := s.store.Artifacts.Sweep(ctx); err != nil {
		s.Runs.log.Warn("unused evidence was not removed", "error", err)
	} else if n > 0 {
		s.Runs.log.Info("unused evidence was removed", "count", n)
	}
	for _, status := range []goal.Status{goal.Pending, goal.Paused} {
		if err := s.Recovery.adoptAll(ctx, status); err != nil {
			return fmt.Errorf("recover: %w", err)
		}
	}
	if err := s.continueKept(ctx); err != nil {
		return err
	}
	if err := s.Recovery.AdoptManualAnswers(ctx); err != nil {
		s.Runs.log.Warn("answered goals were not continued", "error", err)
	}
	return nil
}

// deleteExpired deletes ended goals that are older than the number of days in the settings.
func (s *Service) deleteExpired(ctx context.Context) error {
	days := s.cfg.Settings().KeepDays
	if days == 0 {
		return nil
	}
	n, err := s.Prune(ctx, api.PruneInput{OlderThanMS: (time.Duration(days) * 24 * time.Hour).Milliseconds()})
	if n > 0 {
		s.Runs.log.Info("goals were deleted", "count", n, "older_than_days", days)
	}
	return err
}
