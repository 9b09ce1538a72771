package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/storage/store"
)

// KeepForNextHost notes which goals run: Recover of the process that has the data folder next continues them.
func (s *Service) KeepForNextHost(ctx context.Context) error {
	rows, _, err := s.store.Goals.List(ctx, store.Filter{Status: goal.Running, Limit: 1 << 20})
	if err != nil {
		return fmt.Errorf("note the goals that run: %w", err)
	}
	for _, row := range rows {
		err = errors.Join(err, s.Runs.AddOrder(ctx, row.ID, goal.Order{Kind: goal.OrderResume}))
	}
	return err
}

// continueKept continues the goals that KeepForNextHost has noted, the oldest first.
func (s *Service) continueKept(ctx context.Context) error {
	rows, _, err := s.store.Goals.List(ctx, store.Filter{Status: goal.Paused, Limit: 1 << 20})
	if err != nil {
		return fmt.Errorf("continue goals: %w", err)
	}
	for i := len(rows) - 1; i >= 0; i-- {
		if rows[i].Exit != goal.Interrupted || rows[i].Queued != "" {
			continue
		}
		kept, err := s.store.Orders.List(ctx, rows[i].ID, goal.OrderResume)
		if err == nil && len(kept) > 0 {
			err = s.Resumption.Resume(ctx, rows[i].ID, api.ResumeInput{})
		}
		if err != nil {
			// A goal that cannot continue must not keep the host from starting.
			s.Runs.log.Warn("a goal cannot continue", "goal", rows[i].ID, "error", err)
		}
	}
	return nil
}
