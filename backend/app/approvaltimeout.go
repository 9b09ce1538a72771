package app

import (
	"time"
)

// approvalTimeout returns how long an approval waits for a user. It is 0 without a window and a terminal, because then
// no user can answer.
func (a *App) approvalTimeout() time.Duration {
	if !a.options.Watch && !a.options.Attended {
		return 0
	}
	return time.Duration(a.cfg.Settings().ApprovalMinutes) * time.Minute
}
