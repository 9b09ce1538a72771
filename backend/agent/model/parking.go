package model

import (
	"fmt"
	"sync"
	"time"

	"goalpost/backend/domain/goal"
)

// maxParks is how often in a row a goal is parked before the provider's error ends the run.
const maxParks = 6

// ParkCounter counts how often in a row a goal was parked for one model. Parking ends a run, and the next run continues
// the count. A nil counter counts nothing. It is safe for concurrent use.
type ParkCounter struct {
	mu sync.Mutex
	n  int
}

// NewParkCounter returns a counter that starts at n, the count that another process stored.
func NewParkCounter(n int) *ParkCounter { return &ParkCounter{n: n} }

// decide returns the error of a turn whose attempts are used up. If the provider limits requests or is overloaded, the
// error parks the goal until the time that the provider named, or for 1, 2, 4 … 30 min. For anything else, and for the
// seventh park in a row, it is the provider's error.
func (p *ParkCounter) decide(now time.Time, fault *Error, err error) error {
	if fault.Kind != RateLimited && fault.Kind != Overloaded {
		return err
	}
	n := p.next()
	if n > maxParks {
		return fmt.Errorf("waited for the provider %d times in a row: %w", maxParks, err)
	}
	return &goal.Unavailable{Until: now.Add(max(fault.RetryAfter, parkDuration(n))), Err: err}
}

// parkDuration returns how long the n-th park in a row lasts if the provider names no time.
func parkDuration(n int) time.Duration {
	const maxPark = 30 * time.Minute
	return min(time.Minute<<(n-1), maxPark)
}

// next increments the number of consecutive parks and returns it.
func (p *ParkCounter) next() int {
	if p == nil {
		return 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	return p.n
}

// reset sets the count to zero, because the provider answered.
func (p *ParkCounter) reset() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n = 0
}
