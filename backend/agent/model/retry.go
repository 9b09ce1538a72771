package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"goalpost/backend/domain/goal"
)

// Clock replaces waiting in tests.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Budget limits the attempts for one turn. Zero fields mean the default: 6 attempts within 5 minutes.
type Budget struct {
	Tries int
	Time  time.Duration // from the first attempt to the start of the last
}

// triesWhileWaiting is how often a turn is tried after the goal was parked: twice more, because a network needs a
// moment after the machine has slept.
const triesWhileWaiting = 3

// Retry repeats turns that failed with a retryable error: after 1, 2, 4 … s with jitter, or after the time that the
// provider asked for. A wait that would exceed the budget is not started. The final error is a *goal.Unavailable if the
// failure can pass (see Remedy), otherwise the last error. The fields are set once; Turn is safe for concurrent use if
// Model is.
type Retry struct {
	Model  Client
	Clock  Clock // nil means the real one
	Budget Budget
	// Parks counts how often in a row the goal was parked; nil treats every park as the first one.
	Parks *ParkCounter
	// OnWait is called with each error and the wait that follows, unless the goal was already parked; it may be nil. Text
	// streamed by the failed attempt is void.
	OnWait func(err error, wait time.Duration)
}

// Turn asks the model until it replies, the error is permanent, or the budget is used up.
func (r Retry) Turn(ctx context.Context, t goal.Turn, delta func(text string)) (goal.Reply, error) {
	r = r.withDefaults()
	began := r.Clock.Now()
	for try := 1; ; try++ {
		reply, err := r.Model.Turn(ctx, t, delta)
		if err == nil {
			r.Parks.reset()
			return reply, nil
		}
		fault, ok := AsError(err)
		if ctx.Err() != nil || !ok {
			return reply, err
		}
		wait := backoffDelay(try, fault.RetryAfter, rand.Float64())
		isOver := try >= r.Budget.Tries || r.Clock.Now().Add(wait).Sub(began) > r.Budget.Time
		switch {
		case fault.IsRetryable() && !isOver:
		case fault.Remedy() == Wait:
			return goal.Reply{}, r.Parks.park(r.Clock.Now(), fault, addTries(try, err))
		default:
			return goal.Reply{}, addTries(try, err)
		}
		r.OnWait(err, wait)
		select {
		case <-ctx.Done():
			return goal.Reply{}, fmt.Errorf("model turn: %w", ctx.Err())
		case <-r.Clock.After(wait):
		}
	}
}

// withDefaults fills in the fields that may be empty.
func (r Retry) withDefaults() Retry {
	if r.Clock == nil {
		r.Clock = realClock{}
	}
	if r.Budget.Tries <= 0 {
		r.Budget.Tries = 6
	}
	if r.Budget.Time <= 0 {
		r.Budget.Time = 5 * time.Minute
	}
	isWaiting := r.Parks.isWaiting()
	if isWaiting {
		r.Budget.Tries = min(r.Budget.Tries, triesWhileWaiting)
	}
	if r.OnWait == nil || isWaiting {
		r.OnWait = func(error, time.Duration) {}
	}
	return r
}

func addTries(tries int, err error) error {
	if tries == 1 {
		return err
	}
	return fmt.Errorf("after %d tries: %w", tries, err)
}

// backoffDelay returns 1, 2, 4 … 60 s, plus up to a half; jitter is in [0, 1). It is never less than the provider asked
// for.
func backoffDelay(try int, minDelay time.Duration, jitter float64) time.Duration {
	const maxDelay = time.Minute
	wait := maxDelay
	if try <= 6 {
		wait = min(time.Second<<(try-1), maxDelay)
	}
	wait += time.Duration(jitter * float64(wait) / 2)
	if minDelay > 0 {
		// Slightly later than asked, because many clients got the same answer.
		return minDelay + time.Duration(jitter*float64(min(minDelay, 4*time.Second))/4)
	}
	return wait
}

type realClock struct{}

func (realClock) Now() time.Time                         { return time.Now() }
func (realClock) After(d time.Duration) <-chan time.Time { return time.After(d) }
