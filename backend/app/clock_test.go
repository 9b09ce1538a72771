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

func (j *jumpClock) Now() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return time.Now().Add(j.ahead)
}

func (j *jumpClock) After(d time.Duration) <-chan time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	w := &clockWait{at: time.Now().Add(j.ahead + d), c: make(chan time.Time, 1)}
	w.timer = time.AfterFunc(d, func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.endWait(w)
	})
	j.waits[w] = true
	select {
	case j.began <- struct{}{}:
	default:
	}
	return w.c
}

// endWait ends a wait, once. The caller holds mu.
func (j *jumpClock) endWait(w *clockWait) {
	if j.waits[w] {
		delete(j.waits, w)
		w.timer.Stop()
		w.c <- time.Now().Add(j.ahead)
	}
}

// jumpOver jumps by one of the durations as soon as a wait would end in the last tenth of it. It returns that duration.
func (j *jumpClock) jumpOver(t *testing.T, durations ...time.Duration) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), late)
	defer cancel()
	jumped := j.jumpUnless(ctx.Done(), durations...)
	if jumped == 0 {
		t.Fatalf("nothing waits for %v", durations)
	}
	return jumped
}

// jumpUnless does what jumpOver does, but returns 0 if stop is closed first.
func (j *jumpClock) jumpUnless(stop <-chan struct{}, durations ...time.Duration) time.Duration {
	for {
		for _, d := range durations {
			if j.tryJump(d) {
				return d
			}
		}
		select {
		case <-j.began:
		case <-stop:
			return 0
		}
	}
}

// jump puts the clock forward, and ends the waits that are over then.
func (j *jumpClock) jump(d time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ahead += d
	for w := range j.waits {
		if !w.at.After(time.Now().Add(j.ahead)) {
			j.endWait(w)
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

func (j *jumpClock) tryJump(d time.Duration) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	now, waited := time.Now().Add(j.ahead), false
	for w := range j.waits {
		left := w.at.Sub(now)
		waited = waited || left > d-d/10 && left <= d
	}
	if !waited {
		return false
	}
	j.ahead += d
	for w := range j.waits {
		if !w.at.After(now.Add(d)) {
			j.endWait(w)
		}
	}
	return true
}
