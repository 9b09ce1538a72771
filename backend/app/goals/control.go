package goals

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/api"
	"goalpost/backend/app/models"
	"goalpost/backend/fault"
	"goalpost/backend/goal"
	"goalpost/backend/model"
	"goalpost/backend/runner"
	"goalpost/backend/store"
)

// Start validates a goal, stores it and starts it. After an error nothing has changed.
func (s *Service) Start(ctx context.Context, in api.StartInput) (id goal.ID, err error) {
	return s.StartAs(ctx, in, func(*goal.Goal) error { return nil })
}

// StartAs is Start with a last change to the goal by shape, before its checks are tried.
func (s *Service) StartAs(
	ctx context.Context, in api.StartInput, shape func(*goal.Goal) error,
) (id goal.ID, err error) {
	g, made, err := s.prepareGoal(ctx, in, shape)
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil && made {
			err = errors.Join(err, s.removeGoalDir(ctx, *g))
		}
	}()
	if err := s.saveBaseline(ctx, *g); err != nil {
		return "", errors.Join(err, s.removeGoalState(g.ID))
	}
	own, err := s.store.LockGoal(g.ID) // before the goal becomes visible: an abort finds its owner
	if err != nil {
		return "", errors.Join(fmt.Errorf("goal %s: %w", g.ID.Short(), err), s.removeGoalState(g.ID))
	}
	if err := s.store.Create(ctx, g); err != nil {
		return "", errors.Join(fmt.Errorf("create goal: %w", err), own.Unlock(), s.removeGoalState(g.ID))
	}
	if err := s.startRunner(ctx, *g, own, s.startEvents(ctx, *g)...); err != nil {
		return "", errors.Join(err, s.store.Delete(context.WithoutCancel(ctx), g.ID), s.removeGoalState(g.ID))
	}
	return g.ID, nil
}

// Demo starts the built-in demonstration goal with its scripted model.
func (s *Service) Demo(ctx context.Context) (goal.ID, error) { return s.Start(ctx, s.DemoInput()) }

// DemoInput returns the demonstration goal. This program itself serves its page.
func (*Service) DemoInput() api.StartInput {
	return api.StartInput{
		Objective: model.DemoObjective(""), Provider: models.DemoProvider,
		Checks: []goal.Check{{Type: goal.Shell, Command: model.DemoCheck()}},
	}
}

// Pause stops a running goal after its current call.
func (s *Service) Pause(ctx context.Context, id goal.ID) error {
	return s.PauseWith(ctx, id, goal.Order{Kind: goal.OrderPause})
}

func (s *Service) PauseWith(ctx context.Context, id goal.ID, o goal.Order) error {
	row, err := s.store.Goal(ctx, id)
	if err == nil && row.Status == goal.Running { // its process may have died: then it is paused as interrupted
		if alive, err := s.store.IsLocked(id); err != nil || !alive {
			_, lost := s.store.InterruptOne(ctx, id)
			return errors.Join(err, lost)
		}
	}
	if err != nil {
		return fmt.Errorf("pause: %w", err)
	}
	return s.addOrderIf(ctx, id, s.pauseProblem, o)
}

// pauseProblem returns why a goal cannot be paused, nil if it can.
func (s *Service) pauseProblem(row store.GoalRow) error {
	queues, err := s.isQueued(row)
	switch {
	case err != nil:
		return err
	case row.Status == goal.Pending && queues:
		return fault.New(fault.Conflict, "the goal waits in the queue and has not begun",
			"abort takes it out of the queue; it can be continued later")
	case row.Status != goal.Running && !queues:
		return &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("the goal is %s, not running", row.Status)}
	}
	return nil
}

// Steer stores a note of the user for a goal that has not ended.
func (s *Service) Steer(ctx context.Context, id goal.ID, text string) error {
	return s.SteerWith(ctx, id, goal.Order{Kind: goal.OrderSteer, Text: text})
}

func (s *Service) SteerWith(ctx context.Context, id goal.ID, o goal.Order) error {
	if o.Text == "" {
		return &fault.Error{Code: fault.Refused, Message: "the note is empty", Field: "text"}
	}
	return s.addOrderIf(ctx, id, func(row store.GoalRow) error {
		lives, err := s.isActive(row)
		if err != nil || lives {
			return err
		}
		return fault.New(fault.Conflict, fmt.Sprintf("the goal is %s already", row.Status),
			"resume it first, or start a new one")
	}, o)
}

// Abort ends a goal, here or in another process, and waits until it has ended. A goal that waits to be
// reopened leaves the queue and keeps its former status.
func (s *Service) Abort(ctx context.Context, id goal.ID) error {
	return s.AbortWith(ctx, id, &runner.Stop{Exit: goal.AbortedByUser, Reason: "the user aborted the goal"})
}

func (s *Service) AbortWith(ctx context.Context, id goal.ID, stop *runner.Stop) error {
	row, lives, err := s.readActive(ctx, id)
	if err != nil {
		return fmt.Errorf("abort: %w", err)
	}
	if !lives {
		return &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("the goal is %s already", row.Status)}
	}
	if s.runner.Cancel(id, stop) {
		select {
		case <-s.runner.Done(id):
		case <-ctx.Done():
			return fmt.Errorf("abort: %w", ctx.Err())
		}
		if row, err = s.store.Goal(ctx, id); err != nil || !row.Status.IsActive() {
			return err
		}
	}
	return s.abortHere(ctx, id, stop)
}
