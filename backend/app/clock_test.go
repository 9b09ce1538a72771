package app_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// jumpClock is the real clock, which a test can put forward. Waits whose end is skipped end at once.
type jumpClock struct {
	mu    sync.Mutex
	ahead time.Duration
	waits map[*clockWait]bool
	began chan struct{} // signals that a wait has begun; has one slot
}

type clockWait struct {
	at    time.Time
	c     chan time.Time // has one slot
	timer *time.Timer
}

func newJumpClock(t *testing.T) *jumpClock {
	c := &jumpClock{waits: map[*clockWait]bool{}, began: make(chan struct{}, 1)}
	t.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for w := range c.waits {
			w.timer.Stop()
		}
	})
	return c
}

func (c *jumpClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *jumpClock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := &clockWait{at: time.Now().Add(c.ahead + d), c: make(chan time.Time, 1)}
	w.timer = time.AfterFunc(d, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.endWait(w)
	})
	c.waits[w] = true
	select {
	case c.began <- struct{}{}:
	default:
	}
	return w.c
}

// endWait ends a wait, once. The caller holds mu.
func (c *jumpClock) endWait(w *clockWait) {
	if c.waits[w] {
		delete(c.waits, w)
		w.timer.Stop()
		w.c <- time.Now().Add(c.ahead)
	}
}

// jumpOver jumps by one of the durations as soon as a wait would end in the last tenth of it. It returns that duration.
func (c *jumpClock) jumpOver(t *testing.T, durations ...time.Duration) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), late)
	defer cancel()
	jumped := c.jumpUnless(ctx.Done(), durations...)
	if jumped == 0 {
		t.Fatalf("nothing waits for %v", durations)
	}
	return jumped
}

// jumpUnless does what jumpOver does, but returns 0 if stop is closed first.
func (c *jumpClock) jumpUnless(stop <-chan struct{}, durations ...time.Duration) time.Duration {
	for {
		for _, d := range durations {
			if c.tryJump(d) {
				return d
			}
		}
		select {
		case <-c.began:
		case <-stop:
			return 0
		}
	}
}

// jumpUntilPaused jumps over every wait of these durations until the goal has stopped, and returns its result. An
// update of the agent that arrives after a jump begins such a wait again.
func (p *program) jumpUntilPaused(
	c *jumpClock, id string, durations ...time.Duration,
) (exit goal.Exit, reason string, events []event.Body) {
	p.Helper()
	stopped, jumps := make(chan struct{}), sync.WaitGroup{}
	defer jumps.Wait()
	defer close(stopped)
	jumps.Go(func() {
		for c.jumpUnless(stopped, durations...) != 0 {
			continue
		}
	})
	return p.result(id)
}

func (c *jumpClock) tryJump(d time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, waited := time.Now().Add(c.ahead), false
	for w := range c.waits {
		left := w.at.Sub(now)
		waited = waited || left > d-d/10 && left <= d
	}
	if !waited {
		return false
	}
	c.ahead += d
	for w := range c.waits {
		if !w.at.After(now.Add(d)) {
			c.endWait(w)
		}
	}
	return true
}
