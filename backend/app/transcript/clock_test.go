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

func (j *jumpClock) Now() time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.now()
}

func (j *jumpClock) now() time.Time { return time.Now().Add(j.ahead) }

func (j *jumpClock) After(d time.Duration) <-chan time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	a := &alarm{at: j.now().Add(d), c: make(chan time.Time, 1)}
	j.waiting[a] = struct{}{}
	j.wanted = append(j.wanted, d)
	a.timer = time.AfterFunc(d, func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.ring(a)
	})
	select {
	case j.more <- struct{}{}:
	default:
	}
	return a.c
}

// ring ends a wait, once. The caller holds mu.
func (j *jumpClock) ring(a *alarm) {
	if _, waits := j.waiting[a]; !waits {
		return
	}
	delete(j.waiting, a)
	a.timer.Stop()
	a.c <- j.now()
}

// reach jumps by d once a wait would end in the second half of the jump: a back-off, a deadline or the end of a park,
// but none of the shorter waits that always exist. On a busy machine such a wait may already be over; it counts if it
// began after the last jump.
func (j *jumpClock) reach(d time.Duration) error {
	over := time.After(late)
	for !j.awaited(d) {
		select {
		case <-j.more:
		case <-over:
			return fmt.Errorf("nobody waits for a time between %s and %s", d/2, d)
		}
	}
	j.jump(d)
	return nil
}

func (j *jumpClock) awaited(d time.Duration) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	fits := func(wait time.Duration) bool { return wait > d/2 && wait <= d }
	now := j.now()
	for a := range j.waiting {
		if fits(a.at.Sub(now)) {
			return true
		}
	}
	return slices.ContainsFunc(j.wanted, fits)
}

func (j *jumpClock) jump(d time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ahead += d
	j.wanted = nil
	now := j.now()
	for a := range j.waiting {
		if !a.at.After(now) {
			j.ring(a)
		}
	}
}

// stop stops every timer.
func (j *jumpClock) stop() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for a := range j.waiting {
		a.timer.Stop()
	}
}
