package model

import (
	"sync"
	"time"

	"goalpost/backend/domain/goal"
)

// ParkCounter counts how often in a row a goal was parked for one model. Parking ends a run, and the next run continues
// the count. A nil counter counts nothing. It is safe for concurrent use.
type ParkCounter struct {
	mu sync.Mutex
	n  int
}

// NewParkCounter returns a counter that starts at n, the count that another process stored.
func NewParkCounter(n int) *ParkCounter { return &ParkCounter{n: n} }

// park returns the error that parks the goal after an attempt that failed at a time.
func (p *ParkCounter) park(now time.Time, fault *Error, err error) error {
	n := p.next()
	wait := parkDuration(n, fault.Kind)
	if fault.RetryAfter > 0 { // but not at once: too many requests are what it complains about
		wait = max(fault.RetryAfter, minPark)
	}
	return &goal.Unavailable{Until: now.Add(wait), Err: err}
}

// minPark is the duration of the first park.
const minPark = 30 * time.Second

// parkDuration returns how long the n-th park in a row lasts if the provider names no time: 30 s, 1, 2, 4 … min. A
// provider that limits requests or is overloaded is left alone for up to half an hour. Trying whether a server can be
// reached again costs nothing.
func parkDuration(n int, k Kind) time.Duration {
	longest := 5 * time.Minute
	if k == RateLimited || k == Overloaded {
		longest = 30 * time.Minute
	}
	return min(minPark<<min(n-1, 10), longest)
}

// isWaiting reports whether the last turn parked the goal.
func (p *ParkCounter) isWaiting() bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n > 0
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
