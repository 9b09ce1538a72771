package transcript_test

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// jumpClock is the real clock, which a transcript can put forward. Waits whose end is skipped end at once.
type jumpClock struct {
	mu      sync.Mutex
	ahead   time.Duration
	waiting map[*alarm]struct{}
	wanted  []time.Duration // waits that began after the last jump, including finished ones
	more    chan struct{}   // signals that a wait has begun
}

type alarm struct {
	at    time.Time
	c     chan time.Time
	timer *time.Timer
}

func newJumpClock() *jumpClock {
	return &jumpClock{waiting: map[*alarm]struct{}{}, more: make(chan struct{}, 1)}
}

func (c *jumpClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *jumpClock) now() time.Time { return time.Now().Add(c.ahead) }

func (c *jumpClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := &alarm{at: c.now().Add(d), c: make(chan time.Time, 1)}
	c.waiting[a] = struct{}{}
	c.wanted = append(c.wanted, d)
	a.timer = time.AfterFunc(d, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ring(a)
	})
	select {
	case c.more <- struct{}{}:
	default:
	}
	return a.c
}

// ring ends a wait, once. The caller holds mu.
func (c *jumpClock) ring(a *alarm) {
	if _, waits := c.waiting[a]; !waits {
		return
	}
	delete(c.waiting, a)
	a.timer.Stop()
	a.c <- c.now()
}

// reach jumps by d once a wait would end in the second half of the jump: a back-off, a deadline or the end of a park,
// but none of the shorter waits that always exist. On a busy machine such a wait may already be over; it counts if it
// began after the last jump.
func (c *jumpClock) reach(d time.Duration) error {
	over := time.After(late)
	for !c.awaited(d) {
		select {
		case <-c.more:
		case <-over:
			return fmt.Errorf("nobody waits for a time between %s and %s", d/2, d)
		}
	}
	c.jump(d)
	return nil
}

func (c *jumpClock) awaited(d time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	fits := func(wait time.Duration) bool { return wait > d/2 && wait <= d }
	now := c.now()
	for a := range c.waiting {
		if fits(a.at.Sub(now)) {
			return true
		}
	}
	return slices.ContainsFunc(c.wanted, fits)
}

func (c *jumpClock) jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += d
	c.wanted = nil
	now := c.now()
	for a := range c.waiting {
		if !a.at.After(now) {
			c.ring(a)
		}
	}
}

// stop stops every timer.
func (c *jumpClock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for a := range c.waiting {
		a.timer.Stop()
	}
}
