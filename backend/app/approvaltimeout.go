package app

import (
	"context"
	"time"

	"goalpost/backend/goals/api"
)

// approvalTimeout returns how long an approval waits for a user. It is 0 without a window and a terminal, because then
// no user can answer.
func (a *App) approvalTimeout(ctx context.Context) time.Duration {
	isAttended := a.options.Stays || a.options.Attended
	if c, ok := api.CallerOf(ctx); ok {
		isAttended = c.IsAttended
	}
	if !isAttended {
		return 0
	}
	return time.Duration(a.cfg.Settings().ApprovalMinutes) * time.Minute
}
