package runner_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"goalpost/backend/agent/model"
	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// nightClock is a clock on which the waits for a model end at once, as if their time had passed.
type nightClock struct {
	mu     sync.Mutex
	ahead  time.Duration
	sleeps bool // the machine sleeps in the next wait of minutes: its timer does not advance
}

func (n *nightClock) Now() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return time.Now().Add(n.ahead)
}

func (n *nightClock) After(d time.Duration) <-chan time.Time {
	const limit = 50 * time.Minute // of the goal, whose deadline does not come
	switch n.mu.Lock(); {
	case d > limit:
		defer n.mu.Unlock()
		return nil
	case d == idle:
		defer n.mu.Unlock()
		return time.After(d / 20)
	case d > time.Second/4:
		defer n.mu.Unlock()
		n.ahead += d
		if n.sleeps && d > 4*time.Minute {
			n.sleeps = false
			n.ahead -= time.Minute // it wakes before the wait is over
			return nil
		}
		passed := make(chan time.Time)
		close(passed)
		return passed
	}
	n.mu.Unlock()
	return time.After(d)
}

// idle is how often the runner looks at what nothing wakes it for. It stays in real time, only more often.
const idle = 5 * time.Second

// TestModelAway_ThreeHours_GoalIsDone: between two turns, the model is away in several ways and sends garbage, and the
// machine sleeps. The goal waits, loses no step, uses up no limit, and is done.
func TestModelAway_ThreeHours_GoalIsDone(t *testing.T) {
	clock := &nightClock{sleeps: true}
	began := clock.Now()
	faults := []modeltest.Answer{
		{Text: "a reply that breaks", CutAfter: 2},
		modeltest.Fail(503, "down"),
		{Raw: "<html>sign in</html>", ContentType: "text/html"},
		{Raw: "\x00\x01"},
	}
	asked := 0
	s := modeltest.New(t, func(n int, _ modeltest.Request) modeltest.Answer {
		switch asked = n; {
		case n == 0:
			return modeltest.Call("write_file", `{"path":"first","content":"x"}`)
		case clock.Now().Sub(began) < 3*time.Hour:
			return faults[n%len(faults)]
		}
		return modeltest.Answer{Calls: []goal.Call{
			{Tool: "write_file", Arguments: `{"path":"done.txt","content":"x"}`},
			{Tool: "claim_complete", Arguments: `{"rationale":"I did it"}`},
		}}
	})
	client, err := model.NewOpenAI(model.Options{BaseURL: s.URL, Model: "script"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	agent := model.Retry{Model: client, Clock: clock, Parks: &model.ParkCounter{}}
	w := newWorldAt(t, clock, func(ctx context.Context, t goal.Turn) (goal.Reply, error) {
		return agent.Turn(ctx, t, func(string) {})
	})
	g, row := w.run(nil)
	expect(t, row, goal.Completed, goal.Done)
	if row.Spent.Steps != 3 || row.Spent.Iterations != 2 || row.Spent.WallClock > 10*time.Minute ||
		clock.Now().Sub(began) < 3*time.Hour {
		t.Errorf("spent %+v", row.Spent)
	}
	var parks int
	var notes []string
	for _, e := range w.events {
		switch b := e.Body.(type) {
		case *event.Paused:
			parks++
		case *event.Resumed:
			notes = append(notes, b.Note)
		}
	}
	all := strings.Join(notes, "\n")
	if parks < 10 || parks > 45 || asked > 3*parks+8 || strings.Count(all, "has slept") != 1 {
		t.Errorf("%s was parked %d times and asked %d times: %s", g.ID, parks, asked, all)
	}
}
