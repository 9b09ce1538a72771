package peers

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"goalpost/backend/app/panes"
	"goalpost/backend/app/session"
	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/runner"
	"goalpost/backend/store"
)

// Publisher publishes what is committed to the journal, each event once. All methods may be
// called concurrently.
type Publisher struct {
	Broker *event.Broker

	mu           sync.Mutex
	PublishedSeq map[goal.ID]int64 // newest seq that was told of
}

// Follower publishes what other processes on the same folder commit, and takes up what they left.
type Follower struct {
	*Publisher
	Store    *store.Store
	Log      *slog.Logger
	Clock    runner.Clock
	Sessions *session.Registry
	Panes    *panes.Registry
	Viewer   *Viewer
	// AdoptAnswered continues goals that were answered, and whose process has died.
	AdoptAnswered func(context.Context) error

	cancel context.CancelFunc
	work   sync.WaitGroup
}

// What other processes on the same folder do is followed in the journal, and told here once.

func (f *Follower) StartFollowing(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	f.cancel = cancel
	f.work.Go(func() {
		for ctx.Err() == nil {
			if err := f.Store.Follow(ctx, f.publishedSeqs(), f.publishedUpTo, f.publishForeign); err != nil {
				f.Log.Error("following other processes; trying again", "error", err)
			}
			select {
			case <-ctx.Done():
			case <-f.Clock.After(followRetryDelay):
			}
		}
	})
	f.work.Go(func() { f.pollOtherProcesses(ctx) })
}

// pollOtherProcesses pauses, as interrupted, what another process was running when it
// died: the kernel drops its sentinel, and tells nobody. And it shows the panes of
// goals that others run.
func (f *Follower) pollOtherProcesses(ctx context.Context) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		f.Viewer.discover(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n, err := f.Store.Interrupt(ctx); err != nil && ctx.Err() == nil {
			f.Log.Warn("goals of programs that ended", "error", err)
		} else if n > 0 {
			f.Log.Info("goals were interrupted", "count", n)
		}
		if err := f.AdoptAnswered(ctx); err != nil && ctx.Err() == nil {
			f.Log.Warn("goals that were answered", "error", err)
		}
	}
}

const pollInterval = 2 * time.Second

// followRetryDelay is how long after a fault the journal of other processes is looked at again.
const followRetryDelay = 2 * time.Second

// publishedSeqs copies what was told so far, nil before anything was.
func (f *Publisher) publishedSeqs() map[goal.ID]int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.PublishedSeq)
}

// Publish tells everyone of an event that this process committed. Following may
// have seen it in the journal first: everything is told once.
func (f *Publisher) Publish(e event.Event) { f.publishOnce(e) }

// publishOnce publishes what is newer than what was told of the goal, and says whether it did.
func (f *Publisher) publishOnce(e event.Event) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e.Seq <= f.PublishedSeq[e.GoalID] {
		return false
	}
	f.PublishedSeq[e.GoalID] = e.Seq
	f.Broker.Publish(e)
	return true
}

// publishForeign tells of an event of another process. What a goal has here ends when it
// was ended there.
func (f *Follower) publishForeign(e event.Event) {
	if b, ok := e.Body.(*event.GrantEnded); ok {
		f.Sessions.RevokeGrant(context.Background(), e.GoalID, b.Request)
	}
	_, ended := e.Body.(*event.Ended)
	if !f.publishOnce(e) || !ended {
		return
	}
	f.work.Go(func() {
		f.Panes.EndShare(e.GoalID, false)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := f.Sessions.CloseGoal(ctx, e.GoalID); err != nil {
			f.Log.Warn("closing a room", "goal", e.GoalID, "error", err)
		}
	})
}

func (f *Publisher) publishedUpTo(id goal.ID) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.PublishedSeq[id]
}

// Close ends the following and waits for it; one that was not started is left.
func (f *Follower) Close() {
	if f.cancel != nil {
		f.cancel()
		f.work.Wait()
		f.Viewer.work.Wait()
	}
}
