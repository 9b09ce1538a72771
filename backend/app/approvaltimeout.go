package app

import (
	"time"
)

// approvalTimeout is how long an approval waits for a user. It is 0 where there is neither a window nor a
// terminal: then nobody can answer.
func (a *App) approvalTimeout() time.Duration {
	if !a.options.Watch && !a.options.Attended {
		return 0
	}
	return time.Duration(a.cfg.Settings().ApprovalMinutes) * time.Minute
}
