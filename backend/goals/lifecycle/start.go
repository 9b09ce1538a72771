package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"goalpost/backend/agent/model"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/models"
)

// Start validates a goal, stores it and starts it. If it returns an error, nothing has changed.
func (s *Service) Start(ctx context.Context, in goal.Request) (id goal.ID, err error) {
	return s.StartAs(ctx, in, func(*goal.Goal) error { return nil })
}

// StartAs does what Start does, and lets shape change the goal before its checks are tried.
func (s *Service) StartAs(
	ctx context.Context, in goal.Request, shape func(*goal.Goal) error,
) (id goal.ID, err error) {
	g, isNewDir, err := s.Intake.prepareGoal(ctx, in, shape)
	if err != nil {
		return "", err
	}
	if err := s.startPrepared(ctx, g); err != nil {
		if isNewDir {
			err = errors.Join(err, s.Intake.removeGoalDir(ctx, *g))
		}
		return "", err
	}
	return g.ID, nil
}

// startPrepared stores and starts a goal of prepareGoal. If it returns an error, there is no goal, and its folder is
// left to the caller.
func (s *Service) startPrepared(ctx context.Context, g *goal.Goal) error {
	if err := s.Intake.saveBaseline(ctx, *g); err != nil {
		return errors.Join(err, s.Intake.removeGoalState(g.ID))
	}
	lock, err := s.store.Locks.LockGoal(g.ID) // before the goal becomes visible: an abort finds its owner
	if err != nil {
		return errors.Join(fmt.Errorf("goal %s: %w", g.ID.Short(), err), s.Intake.removeGoalState(g.ID))
	}
	if err := s.store.Goals.Create(ctx, g); err != nil {
		return errors.Join(fmt.Errorf("create goal: %w", err), lock.Unlock(), s.Intake.removeGoalState(g.ID))
	}
	if err := s.Runs.startRunner(ctx, *g, lock, s.Intake.startEvents(ctx, *g)...); err != nil {
		return errors.Join(err, s.store.Goals.Delete(context.WithoutCancel(ctx), g.ID), s.Intake.removeGoalState(g.ID))
	}
	return nil
}

// Demo starts the built-in demonstration goal with its scripted model.
func (s *Service) Demo(ctx context.Context) (goal.ID, error) { return s.Start(ctx, s.DemoInput()) }

// DemoInput returns the demonstration goal, whose page this program serves.
func (*Service) DemoInput() goal.Request {
	return goal.Request{
		Objective: model.DemoObjective(""),
		Provider:  models.DemoProvider,
		Criterion: goal.Criterion{Checks: []goal.Check{{Type: goal.Shell, Command: model.DemoCheck()}}},
	}
}
