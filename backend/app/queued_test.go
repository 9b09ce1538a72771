package app_test

import (
	"errors"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

// TestQueue_ProcessDied_GoalIsNotQueuedAgain: a window adopts the parked goal until its time. It must not show why the
// dead process had queued the goal.
func TestQueue_ProcessDied_GoalIsNotQueuedAgain(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var id string
	t.Run("before", func(t *testing.T) {
		p := start(t, home)
		p.provide(func(int, modeltest.Request) modeltest.Answer {
			return modeltest.Answer{Status: 429, RetryAfter: "3600", Body: `{"error":{"message":"come back in an hour"}}`}
		})
		out, err := p.goal.Start(goal.Request{
			Objective: "wait",
			Criterion: goal.Criterion{Checks: shell("false")},
			Options:   goal.Options{CriticEvery: goal.NoLimit},
		})
		must(t, err)
		id = out.GoalID
		if e, ok := p.ended(id).Body.(*event.Paused); !ok || e.Exit != goal.WaitingForProvider {
			t.Fatalf("%+v", e)
		}
	})
	// the state that a process leaves if it dies in the queue
	s, err := store.Open(t.Context(), store.Options{Dir: home + "/state"})
	must(t, err)
	row, err := s.Goals.Get(t.Context(), goal.ID(id))
	must(t, err)
	must(t, errors.Join(s.Journal.Append(t.Context(), goal.Run{Goal: row.ID, ID: row.RunID},
		&event.Queued{Reason: "3 goals are already running"}), s.Close()))
	p := start(t, home)
	must(t, p.app.Goals.Recover(t.Context()))
	v, err := p.goal.Get(id)
	if err != nil || v.PID == 0 || v.Queued != "" || v.Exit != goal.WaitingForProvider {
		t.Errorf("pid %d, queued %q, %s/%s, %v", v.PID, v.Queued, v.Status, v.Exit, err)
	}
}

// TestRecover_PausedGoal_IsNotLocked: another process may be about to resume the goal.
func TestRecover_PausedGoal_IsNotLocked(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	s, id := p.app.Store(), p.waiting()
	p.paused(id)
	<-p.app.Done(goal.ID(id))
	over := make(chan struct{})
	go func() {
		defer close(over)
		for range 30 {
			if err := p.app.Goals.Recover(t.Context()); err != nil {
				t.Error(err)
			}
		}
	}()
	for open := true; open; {
		own, err := s.Locks.LockGoal(goal.ID(id))
		if err == nil {
			err = own.Unlock()
		}
		if err != nil {
			t.Error(err)
		}
		select {
		case <-over:
			open = false
		default:
			open = err == nil
		}
	}
	<-over
}
