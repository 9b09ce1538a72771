package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Pause stops a running goal after its current call. A parked goal no longer continues automatically.
func (s *Service) Pause(ctx context.Context, id goal.ID) error {
	return s.PauseWith(ctx, id, goal.Order{Kind: goal.OrderPause})
}

// PauseWith does what Pause does, with an order that says who pauses the goal and why.
func (s *Service) PauseWith(ctx context.Context, id goal.ID, o goal.Order) error {
	row, err := s.store.Goals.Get(ctx, id)
	if err == nil && row.Status == goal.Running { // its process may have died: then it is paused as interrupted
		if alive, err := s.store.Locks.IsLocked(id); err != nil || !alive {
			_, interruptErr := s.store.Recovery.InterruptOne(ctx, id)
			return errors.Join(err, interruptErr)
		}
	}
	if err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	return s.Runs.addOrderIf(ctx, id, s.pauseProblem, o)
}

// pauseProblem returns why a goal cannot be paused, nil if it can.
func (s *Service) pauseProblem(row store.GoalRow) error {
	queues, err := s.Runs.isQueued(row)
	switch {
	case err != nil:
		return err
	case row.Status == goal.Pending && queues:
		return fault.New(fault.Conflict, "the goal waits in the queue and has not begun",
			"abort it to take it out of the queue; you can continue it later")
	case row.Status != goal.Running && !queues && !isParked(row):
		return fault.New(fault.Conflict, fmt.Sprintf("the goal is %s, not running", row.Status),
			"only a goal that runs can be paused")
	}
	return nil
}

// Steer stores a note of the user for an active goal.
func (s *Service) Steer(ctx context.Context, id goal.ID, text string) error {
	return s.SteerWith(ctx, id, goal.Order{Kind: goal.OrderSteer, Text: text})
}

// SteerWith does what Steer does, with an order that says whose note it is.
func (s *Service) SteerWith(ctx context.Context, id goal.ID, o goal.Order) error {
	if o.Text == "" {
		return fault.Invalid("text", "the note is empty", "write what the agent should know")
	}
	return s.Runs.addOrderIf(ctx, id, func(row store.GoalRow) error {
		isActive, err := s.Runs.isActive(row)
		if err != nil || isActive {
			return err
		}
		return fault.New(fault.Conflict, fmt.Sprintf("the goal is already %s", row.Status),
			"resume it first, or start a new one")
	}, o)
}

// Abort ends a goal, here or in another process, and waits until it has ended. A goal that waits to be
// reopened leaves the queue and keeps its former status.
func (s *Service) Abort(ctx context.Context, id goal.ID) error {
	return s.AbortWith(ctx, id, &runner.Stop{Exit: goal.AbortedByUser, Reason: "the user aborted the goal"})
}

// AbortWith does what Abort does, with a stop that says who aborts the goal and why.
func (s *Service) AbortWith(ctx context.Context, id goal.ID, stop *runner.Stop) error {
	row, isActive, err := s.Runs.readActive(ctx, id)
	if err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	if !isActive {
		return fault.New(fault.Conflict, fmt.Sprintf("the goal is already %s", row.Status),
			"nothing is left to abort; delete it if it is not needed")
	}
	if s.Runs.runner.Cancel(id, stop) {
		select {
		case <-s.Runs.runner.Done(id):
		case <-ctx.Done():
			return fmt.Errorf("abort: %w", ctx.Err())
		}
		if row, err = s.store.Goals.Get(ctx, id); err != nil || !row.Status.IsActive() {
			return err
		}
	}
	return s.abortHere(ctx, id, stop)
}
