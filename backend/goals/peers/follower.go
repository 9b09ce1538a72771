// Package peers publishes the events of the journal: those of this process, and those that other processes commit.
package peers

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"goalpost/backend/core/runner"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/panes"
	"goalpost/backend/goals/session"
	"goalpost/backend/storage/store"
)

// publisher publishes each event of the journal once. All methods may be called concurrently.
type publisher struct {
	broker *event.Broker

	mu           sync.Mutex
	publishedSeq map[goal.ID]int64 // the newest seq that was published
}

// Follower publishes the events that other processes on the same folder commit, and takes over the goals of processes
// that died.
type Follower struct {
	*publisher
	log      *slog.Logger
	clock    runner.Clock
	store    *store.Store
	sessions *session.Registry
	panes    *panes.Registry
	// adoptAnswered continues goals whose approvals were answered after their process had died.
	adoptAnswered func(context.Context) error

	cancel context.CancelFunc
	work   sync.WaitGroup
}

// NewFollower makes a follower that publishes the commits of this process. It follows other processes after Start.
func NewFollower(broker *event.Broker, log *slog.Logger, clock runner.Clock) *Follower {
	return &Follower{
		publisher: &publisher{broker: broker, publishedSeq: map[goal.ID]int64{}},
		log:       log,
		clock:     clock,
	}
}

// Start follows the commits of other processes on the same folder until Close. adopt continues goals whose
// approvals were answered after their process had died.
func (f *Follower) Start(
	ctx context.Context,
	s *store.Store,
	sessions *session.Registry,
	panes *panes.Registry,
	adopt func(context.Context) error,
) {
	ctx, cancel := context.WithCancel(ctx)
	f.cancel = cancel
	f.store, f.sessions, f.panes, f.adoptAnswered = s, sessions, panes, adopt
	f.work.Go(func() {
		for ctx.Err() == nil {
			if err := f.store.History.Follow(ctx, f.publishedSeqs(), f.publishedUpTo, f.publishForeign); err != nil {
				f.log.Error("the journal cannot be followed; trying again", "error", err)
			}
			select {
			case <-ctx.Done():
			case <-f.clock.After(followRetryDelay):
			}
		}
	})
	f.work.Go(func() { f.pollOtherProcesses(ctx) })
}

// pollOtherProcesses pauses, as interrupted, the goals of a process that died: the kernel releases its lock
// files and notifies nobody.
func (f *Follower) pollOtherProcesses(ctx context.Context) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n, err := f.store.Recovery.Interrupt(ctx); err != nil && ctx.Err() == nil {
			f.log.Warn("goals of ended processes were not taken over", "error", err)
		} else if n > 0 {
			f.log.Info("goals were interrupted", "count", n)
		}
		if err := f.adoptAnswered(ctx); err != nil && ctx.Err() == nil {
			f.log.Warn("answered goals were not continued", "error", err)
		}
	}
}

const pollInterval = 2 * time.Second

// followRetryDelay is the pause after a failed read of the journal.
const followRetryDelay = 2 * time.Second

// publishedSeqs returns the newest published seq of each goal, nil before the first event.
func (p *publisher) publishedSeqs() map[goal.ID]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.publishedSeq)
}

// Publish publishes an event that this process committed, unless the follower has already read it from the journal.
func (p *publisher) Publish(e event.Event) { p.publishOnce(e) }

// publishOnce publishes an event if it is newer than the last one of its goal, and reports whether it was.
func (p *publisher) publishOnce(e event.Event) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Seq <= p.publishedSeq[e.GoalID] {
		return false
	}
	p.publishedSeq[e.GoalID] = e.Seq
	p.broker.Publish(e)
	return true
}

// publishForeign publishes an event of another process. If the goal ended there, its panes here end too.
func (f *Follower) publishForeign(e event.Event) {
	if b, ok := e.Body.(*event.GrantEnded); ok {
		f.sessions.RevokeGrant(context.Background(), e.GoalID, b.Request)
	}
	_, ended := e.Body.(*event.Ended)
	if !f.publishOnce(e) || !ended {
		return
	}
	f.work.Go(func() {
		f.panes.EndShare(e.GoalID, false)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := f.sessions.CloseGoal(ctx, e.GoalID); err != nil {
			f.log.Warn("a session was not closed", "goal", e.GoalID, "error", err)
		}
	})
}

func (p *publisher) publishedUpTo(id goal.ID) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.publishedSeq[id]
}

// Close stops following and waits for it. It does nothing before Start.
func (f *Follower) Close() {
	if f.cancel != nil {
		f.cancel()
		f.work.Wait()
	}
}
