package runner

import (
	"context"
	"fmt"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// turn asks the model once. A nil reply without a stop means that the turn was
// cut off by an order and is to be repeated after it.
func (r *Run) turn(ctx context.Context) (*goal.Reply, *Stop) {
	turnCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	release := r.cutOnPause(turnCtx, cancel)
	reply, err := r.room.Models().Agent.Turn(turnCtx, goal.Turn{
		Model: r.goal.Model, System: r.contract(), Messages: r.messages, Tools: r.specs,
	}, r.delta)
	release()
	switch {
	case err != nil && stopOf(ctx) != nil:
		return nil, stopOf(ctx)
	case err != nil && r.paused():
		return nil, nil
	case err != nil:
		return nil, &Stop{goal.Faulted, "the model: " + err.Error()}
	}
	r.nameCalls(reply.Calls)
	m := goal.Message{Role: goal.Assistant, Text: reply.Text, Calls: reply.Calls}
	r.messages = append(r.messages, m)
	r.goal.Spent.TokensIn += reply.Usage.TokensIn
	r.goal.Spent.TokensOut += reply.Usage.TokensOut
	r.goal.Spent.USD += reply.Usage.USD
	return &reply, r.append(ctx, &event.Message{Message: m}, &event.Usage{Usage: reply.Usage})
}

// nameCalls makes the ids of calls unique over the conversation: some servers
// count from one again in every turn, and a result must belong to one call.
func (r *Run) nameCalls(calls []goal.Call) {
	for i := range calls {
		for n := 1; calls[i].ID == "" || r.callIDs[calls[i].ID]; n++ {
			calls[i].ID = fmt.Sprintf("call_%d_%d_%d", r.goal.Spent.Iterations, i, n)
		}
		r.callIDs[calls[i].ID] = true
	}
}

// cutOnPause cancels a turn when the person pauses. The returned function ends
// the waiting and must be called.
func (r *Run) cutOnPause(ctx context.Context, cancel context.CancelFunc) func() {
	done, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-r.pause:
			cancel()
		case <-done:
		case <-ctx.Done():
		}
	}()
	return func() { close(done); <-gone }
}

// paused says whether the person has asked for a pause.
func (r *Run) paused() bool {
	select {
	case <-r.pause:
		return true
	default:
		return false
	}
}

func (r *Run) delta(text string) {
	r.cfg.Publish(event.Event{GoalID: r.id.Goal, RunID: r.id.ID, At: r.cfg.Clock.Now(), Body: &event.Delta{Text: text}})
}
