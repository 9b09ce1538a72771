package runner

import (
	"sync"
	"time"
)

// userWaitTimer measures how long the run waited for a user, or for a model that did not answer. The zero value is
// ready to use. All methods may be called concurrently.
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

// add adds a wait that is over.
func (u *userWaitTimer) add(d time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.total += d
}

func (u *userWaitTimer) elapsed(now time.Time) time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.since.IsZero() {
		return u.total
	}
	return u.total + now.Sub(u.since)
}
