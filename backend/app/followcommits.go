package app

import (
	"context"
	"maps"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// What other processes on the same folder do is followed in the journal, and told here once.

func (a *App) startFollowing(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	a.follow = cancel
	a.wg.Go(func() {
		for ctx.Err() == nil {
			if err := a.store.Follow(ctx, a.publishedSeqs(), a.publishedUpTo, a.publishForeign); err != nil {
				a.log.Error("following other processes; trying again", "error", err)
			}
			select {
			case <-ctx.Done():
			case <-a.clock.After(followRetryDelay):
			}
		}
	})
	a.peerPanes = &peerPanes{app: a, open: map[string]bool{}}
	a.wg.Go(func() { a.pollOtherProcesses(ctx) })
}

// pollOtherProcesses pauses, as interrupted, what another process was running when it
// died: the kernel drops its sentinel, and tells nobody. And it shows the panes of
// goals that others run.
func (a *App) pollOtherProcesses(ctx context.Context) {
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		a.peerPanes.discover(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n, err := a.store.Interrupt(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("goals of programs that ended", "error", err)
		} else if n > 0 {
			a.log.Info("goals were interrupted", "count", n)
		}
		if err := a.adoptManualAnswers(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("goals that were answered", "error", err)
		}
	}
}

const pollInterval = 2 * time.Second

// followRetryDelay is how long after a fault the journal of other processes is looked at again.
const followRetryDelay = 2 * time.Second

// publishedSeqs copies what was told so far, nil before anything was.
func (a *App) publishedSeqs() map[goal.ID]int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.publishedSeq)
}

// publish tells everyone of an event that this process committed. Following may
// have seen it in the journal first: everything is told once.
func (a *App) publish(e event.Event) { a.publishOnce(e) }

// publishOnce publishes what is newer than what was told of the goal, and says whether it did.
func (a *App) publishOnce(e event.Event) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if e.Seq <= a.publishedSeq[e.GoalID] {
		return false
	}
	a.publishedSeq[e.GoalID] = e.Seq
	a.broker.Publish(e)
	return true
}

// publishForeign tells of an event of another process. What a goal has here ends when it
// was ended there.
func (a *App) publishForeign(e event.Event) {
	if b, ok := e.Body.(*event.GrantEnded); ok {
		a.revokeGrant(context.Background(), e.GoalID, b.Request)
	}
	_, ended := e.Body.(*event.Ended)
	if !a.publishOnce(e) || !ended {
		return
	}
	a.wg.Go(func() {
		a.panes.endShare(e.GoalID, false)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := a.closeSession(ctx, e.GoalID); err != nil {
			a.log.Warn("closing a room", "goal", e.GoalID, "error", err)
		}
	})
}

func (a *App) publishedUpTo(id goal.ID) int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.publishedSeq[id]
}
