package model

import (
	"fmt"
	"sync"
	"time"

	"goalpost/backend/goal"
)

// maxParks is how often in a row a goal waits for its provider before the fault
// is an error.
const maxParks = 6

// ParkCounter counts how often in a row a goal was parked for one model, over all of
// its runs: a run ends with the park, and the next one continues counting. A nil
// one counts nothing. It is safe for concurrent use.
type ParkCounter struct {
	mu sync.Mutex
	n  int
}

// NewParkCounter counts on after n parks in a row, of which another process knew.
func NewParkCounter(n int) *ParkCounter { return &ParkCounter{n: n} }

// decide decides what is left when the budget is used up: a provider that
// limits or is overloaded parks the goal, until when it said or for 1, 2, 4 … 30
// min; anything else, and the seventh park in a row, is the fault itself.
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

// parkDuration is how long the n-th park in a row lasts when the provider does not say.
func parkDuration(n int) time.Duration {
	const most = 30 * time.Minute
	return min(time.Minute<<(n-1), most)
}

// next counts a park and says the how-manieth in a row it is, from 1.
func (p *ParkCounter) next() int {
	if p == nil {
		return 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	return p.n
}

// reset says that the provider answered.
func (p *ParkCounter) reset() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n = 0
}
