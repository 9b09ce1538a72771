package runner

import (
	"context"
	"sync"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// journalWriter appends the events of one run to the journal, in the order of the calls. It is safe for concurrent
// use by the loop and by the goroutine that watches the orders.
type journalWriter struct {
	log EventLog
	run goal.Run

	mu sync.Mutex
	// queued events are written together with the next ones, in one commit, because a commit costs more than the
	// rest of a step. No subscriber has seen a queued event, and nothing was done because of it.
	queued []event.Body
}

// append writes the queued events and then bodies, even if ctx is cancelled, because they describe what has
// happened.
func (j *journalWriter) append(ctx context.Context, bodies ...event.Body) *Stop {
	j.mu.Lock()
	defer j.mu.Unlock()
	bodies = append(j.queued, bodies...)
	j.queued = nil
	if len(bodies) == 0 {
		return nil
	}
	if err := j.log.Append(context.WithoutCancel(ctx), j.run, bodies...); err != nil {
		return &Stop{Exit: goal.ExitError, Reason: "the journal could not be written: " + err.Error()}
	}
	return nil
}

// queue keeps events for the next append.
func (j *journalWriter) queue(bodies ...event.Body) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.queued = append(j.queued, bodies...)
}
