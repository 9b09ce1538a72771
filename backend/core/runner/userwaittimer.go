package runner

import (
	"sync"
	"time"
)

// userWaitTimer measures how long the run waited for a user. The zero value is ready to use. All methods may be called
// concurrently.
type userWaitTimer struct {
	mu    sync.Mutex
	total time.Duration
	since time.Time // zero while it does not wait
}

func (u *userWaitTimer) begin(now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.since = now
}

func (u *userWaitTimer) end(now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.total, u.since = u.total+now.Sub(u.since), time.Time{}
}

func (u *userWaitTimer) elapsed(now time.Time) time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.since.IsZero() {
		return u.total
	}
	return u.total + now.Sub(u.since)
}
