package model

import (
	"fmt"
	"sync"
	"time"

	"goalpost/backend/goal"
)

// mostParks is how often in a row a goal waits for its provider before the fault
// is an error.
const mostParks = 6

// Parks counts how often in a row a goal was parked for one model, over all of
// its runs: a run ends with the park, and the next one goes on counting. A nil
// one counts nothing. It is safe for concurrent use.
type Parks struct {
	mu sync.Mutex
	n  int
}

// ParkedBefore counts on after so many parks in a row, of which another process knew.
func ParkedBefore(n int) *Parks { return &Parks{n: n} }

// unavailable decides what is left when the budget is used up: a provider that
// limits or is overloaded parks the goal, until when it said or for 1, 2, 4 … 30
// min; anything else, and the seventh park in a row, is the fault itself.
func (p *Parks) unavailable(now time.Time, fault *Error, err error) error {
	if fault.Kind != RateLimited && fault.Kind != Overloaded {
		return err
	}
	n := p.another()
	if n > mostParks {
		return fmt.Errorf("waited for the provider %d times in a row: %w", mostParks, err)
	}
	return &goal.Unavailable{Until: now.Add(max(fault.RetryAfter, parkTime(n))), Err: err}
}

// parkTime is how long the n-th park in a row lasts when the provider does not say.
func parkTime(n int) time.Duration {
	const most = 30 * time.Minute
	return min(time.Minute<<(n-1), most)
}

// another counts a park and says the how-manieth in a row it is, from 1.
func (p *Parks) another() int {
	if p == nil {
		return 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	return p.n
}

// over says that the provider answered.
func (p *Parks) over() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n = 0
}
