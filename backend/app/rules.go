package app

import (
	"time"
)

// approvalTimeout is how long an approval waits for a user: not at all where there is
// no window and no terminal.
func (a *App) approvalTimeout() time.Duration {
	if !a.options.Watch && !a.options.Attended {
		return 0
	}
	return time.Duration(a.cfg.Settings().ApprovalMinutes) * time.Minute
}
