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

func (i *userWaitTimer) begin(now time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.since = now
}

func (i *userWaitTimer) end(now time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.total, i.since = i.total+now.Sub(i.since), time.Time{}
}

func (i *userWaitTimer) elapsed(now time.Time) time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.since.IsZero() {
		return i.total
	}
	return i.total + now.Sub(i.since)
}
