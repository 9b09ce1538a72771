package store

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// TestFollow_OldGoalResumed_ReportsOnlyNewEvents: another process resumes a goal that was paused an hour ago. Only the
// new events are reported, each once.
func TestFollow_OldGoalResumed_ReportsOnlyNewEvents(t *testing.T) {
	dir := t.TempDir()
	long, err := Open(context.Background(), Options{Dir: dir, Now: func() time.Time { return time.Now().Add(-time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	g := create(t, long)
	run := begin(t, long, g.ID)
	paused := &event.Paused{Exit: goal.PausedByUser, Reason: "rest"}
	if err := errors.Join(long.Journal.Append(context.Background(), run, paused), long.Close()); err != nil {
		t.Fatal(err)
	}

	s, other := open(t, dir, nil), open(t, dir, nil)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	create(t, other) // a new goal makes Follow call own, which shows that it has begun
	begun, reported, failed := make(chan struct{}, 1), make(chan event.Event, 64), make(chan error, 1)
	own := func(goal.ID) int64 {
		select {
		case begun <- struct{}{}:
		default:
		}
		return 0
	}
	go func() { failed <- s.History.Follow(ctx, nil, own, func(e event.Event) { reported <- e }) }()
	<-begun
	again := begin(t, other, g.ID)
	if err := other.Journal.Append(ctx, again, &event.Iteration{N: 1}); err != nil {
		t.Fatal(err)
	}
	for want := int64(4); want <= 5; want++ {
		if e := <-reported; e.GoalID != g.ID || e.Seq != want {
			t.Fatalf("told of %s %d, want %d", e.Body.EventType(), e.Seq, want)
		}
	}
	cancel()
	if err := <-failed; err != nil {
		t.Error(err)
	}
}

// TestPublish_ConcurrentCommits_KeepTheirOrder commits in several goroutines of one process.
func TestPublish_ConcurrentCommits_KeepTheirOrder(t *testing.T) {
	var mu sync.Mutex
	var seqs []int64
	s := open(t, t.TempDir(), func(e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		seqs = append(seqs, e.Seq)
	})
	g := create(t, s)
	run := begin(t, s, g.ID)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if err := s.Journal.Append(context.Background(), run, &event.Warning{What: "model", Text: "slow"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(seqs) != 162 || !slices.IsSorted(seqs) {
		t.Errorf("%d events, published as %v", len(seqs), seqs)
	}
}

// TestFollow_OwnCommitNotYetPublished_IsNotReported: other processes commit, and wake Follow, between a commit of this
// process and its publishing. Follow must not treat that commit as one of another process.
func TestFollow_OwnCommitNotYetPublished_IsNotReported(t *testing.T) {
	dir := t.TempDir()
	other := open(t, dir, nil)
	foreign := create(t, other)
	foreignRun := begin(t, other, foreign.ID)
	var mu sync.Mutex
	published := map[goal.ID]int64{}
	s := open(t, dir, func(e event.Event) {
		for range 3 {
			if err := other.Journal.Append(t.Context(), foreignRun, &event.Iteration{N: 1}); err != nil {
				t.Error(err)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		published[e.GoalID] = e.Seq
	})
	own := create(t, s)
	run := begin(t, s, own.ID)
	ctx, cancel := context.WithCancel(t.Context())
	reported, failed := map[goal.ID]int{}, make(chan error, 1)
	var asked atomic.Int64 // number of calls of own, for both goals
	go func() {
		failed <- s.History.Follow(ctx, nil, func(id goal.ID) int64 {
			mu.Lock()
			defer mu.Unlock()
			asked.Add(1)
			return published[id]
		}, func(e event.Event) { reported[e.GoalID]++ })
	}()
	for asked.Load() < 20 {
		if err := s.Journal.Append(t.Context(), run, &event.Warning{What: "model", Text: "slow"}); err != nil {
			t.Error(err)
		}
	}
	cancel()
	if err := <-failed; err != nil {
		t.Error(err)
	}
	if reported[foreign.ID] == 0 || reported[own.ID] > 0 {
		t.Errorf("%d events of the other process and %d of this one were reported", reported[foreign.ID], reported[own.ID])
	}
}
