package tools

import (
	"context"
	"time"

	"goalpost/backend/domain/goal"
)

type waitForGoalArgs struct {
	Goal           string `json:"goal"`
	TimeoutSeconds int    `json:"timeout_seconds,omitempty"`
}

func waitForGoal(r Deps) (Tool, error) {
	return defineTool("wait_for_goal", readEffect, func(ctx context.Context, a waitForGoalArgs) goal.Result {
		if r.Goals == nil {
			return failedResult("%s", errNoGoals)
		}
		limit := waitDuration(a.TimeoutSeconds, 10*time.Minute, maxWaitTime)
		s, err := r.Goals.Wait(ctx, a.Goal, limit)
		switch {
		case err != nil:
			return failedResult("%s", err)
		case s.Status == goal.Completed:
			return okResult("%s", s.details())
		case s.Status == goal.Running || s.Status == goal.Pending || s.Status == goal.Paused && s.Exit.IsParked():
			waiting := failedResult("not within %s; it continues\n%s", goal.FormatDuration(limit), s.details())
			waiting.IsOngoing = true
			return waiting
		case s.Status == goal.Paused:
			// Another wait would return at once, because the goal waits for the user.
			return failedResult(
				"it is paused until the user has answered. Do other work, and check with goal_status whether "+
					"it is running again; if there is nothing else to do, use ask_user\n%s", s.details())
		}
		return failedResult("it stopped without being completed\n%s", s.details())
	})
}
