package runner

import (
	"sync"
	"time"
)

// idle is the time in which the run waited for a person. The zero value is
// ready; all methods may be called concurrently.
type idle struct {
	mu    sync.Mutex
	total time.Duration
	since time.Time // zero when it does not wait
}

func (i *idle) begin(now time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.since = now
}

func (i *idle) end(now time.Time) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.total, i.since = i.total+now.Sub(i.since), time.Time{}
}

func (i *idle) at(now time.Time) time.Duration {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.since.IsZero() {
		return i.total
	}
	return i.total + now.Sub(i.since)
}
