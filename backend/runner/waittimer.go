package runner

import (
	"sync"
	"time"
)

// waitTimer measures the time in which the run waited for a user. The zero value is ready to use; all methods may be
// called concurrently.
type waitTimer struct {
	mu    sync.Mutex
	total time.Duration
	since time.Time // zero when it does not wait
}

func (i *waitTimer) begin(now time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.since = now
}

func (i *waitTimer) end(now time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.total, i.since = i.total+now.Sub(i.since), time.Time{}
}

func (i *waitTimer) elapsed(now time.Time) time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.since.IsZero() {
		return i.total
	}
	return i.total + now.Sub(i.since)
}
