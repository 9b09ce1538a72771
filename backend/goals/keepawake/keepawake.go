// Package keepawake keeps the computer awake while goals work, as the settings want it.
package keepawake

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/host/awake"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/store"
)

// Keeper keeps the computer awake between Start and Close.
type Keeper struct {
	Config *config.Config
	Log    *slog.Logger
	Store  *store.Store
	Broker *event.Broker
	// Live returns the goals that this process runs, has queued or watches while they wait.
	Live func() []goal.ID
	// IsPluggedIn reports whether the computer does not run on battery.
	IsPluggedIn func() bool
	// Again receives when the power may have changed, of which no event tells.
	Again <-chan time.Time

	sub  *event.Subscription // nil before Start
	work sync.WaitGroup
	// of run
	lock *awake.Lock // nil while the computer may suspend
	held wish        // what lock was taken for
	said string      // the problem that was logged last
}

// Interval is how often the power is looked at.
const Interval = time.Minute

// takeTimeout bounds how long logind may take to answer.
const takeTimeout = 5 * time.Second

// eventBuffer is how many events may come while logind is slow. Streamed text is among them.
const eventBuffer = 4096

// wish is what the computer is kept awake for; the zero value lets it suspend.
type wish struct {
	working int  // goals
	lid     bool // also with the lid closed
}

// Start follows the goals of this process.
func (k *Keeper) Start(ctx context.Context) {
	k.sub = k.Broker.SubscribeLossy(eventBuffer)
	k.work.Go(func() { k.run(ctx, k.sub.C) })
}

// Close lets the computer suspend.
func (k *Keeper) Close() {
	if k.sub != nil {
		k.sub.Close()
		k.work.Wait()
	}
}

func (k *Keeper) run(ctx context.Context, events <-chan event.Event) {
	defer k.release()
	k.follow(ctx)
	for {
		select {
		case e, ok := <-events:
			if !ok {
				return
			}
			if changesWork(e.Body) {
				k.follow(ctx)
			}
		case <-k.Again:
			k.follow(ctx)
		}
	}
}

// changesWork reports whether goals may work after an event that did not before, or the other way round.
func changesWork(body event.Body) bool {
	switch body.(type) {
	case *event.Queued, *event.Started, *event.Resumed, *event.Reopened, *event.Paused, *event.Ended,
		*event.ApprovalRequested, *event.ApprovalResolved, *event.SettingsChanged:
		return true
	}
	return false
}

// follow takes the lock for what the goals and the settings want now, and gives up the one for what they wanted before.
// Without a lock goals run as well as with one, so a problem is no error.
func (k *Keeper) follow(ctx context.Context) {
	want := k.wish(ctx)
	if want == k.held && (k.lock != nil || want == wish{}) {
		return
	}
	if want == (wish{}) {
		k.release()
		return
	}
	ctx, cancel := context.WithTimeout(ctx, takeTimeout)
	defer cancel()
	lock, err := awake.Take(ctx, describe(want.working), want.lid)
	if err != nil {
		k.report(err.Error())
		return // an older lock for another number of goals is better than none
	}
	k.release() // only now, so that the computer does not suspend in between
	k.lock, k.held = lock, want
	k.report(lock.Refused)
}

// wish returns what the computer is to be kept awake for.
func (k *Keeper) wish(ctx context.Context) wish {
	setting := k.Config.Settings().KeepAwake
	if setting == config.AwakeOff || setting != config.AwakeAlways && !k.IsPluggedIn() {
		return wish{}
	}
	w := wish{working: k.countWorking(ctx)}
	w.lid = w.working > 0 && setting == config.AwakeLid
	return w
}

// countWorking counts the goals that work, or that the host continues without the user.
func (k *Keeper) countWorking(ctx context.Context) (n int) {
	for _, id := range k.Live() {
		g, err := k.Store.Goals.Get(ctx, id)
		if err != nil {
			continue // it was deleted
		}
		open, err := k.Store.Approvals.OpenApprovals(ctx, id)
		if err == nil && len(open) == 0 && isWorking(g.Goal) {
			n++
		}
	}
	return n
}

// isWorking reports whether a goal works, or waits for its model or a condition, at which the host has to look. One
// that waits for the next day does not: hours may pass until then.
func isWorking(g goal.Goal) bool {
	return g.Status == goal.Running ||
		g.Status == goal.Paused && (g.Exit == goal.WaitingForProvider || g.Exit == goal.WaitingForCondition)
}

// describe says to a user who suspends the computer why it is kept awake.
func describe(working int) string {
	if working == 1 {
		return "1 goal is running"
	}
	return goal.FormatCount(working, "goal") + " are running"
}

func (k *Keeper) release() {
	if k.lock != nil {
		if err := k.lock.Close(); err != nil {
			k.Log.Warn("the computer stays awake", "error", err)
		}
	}
	k.lock, k.held = nil, wish{}
}

// report logs a problem once, not for each goal.
func (k *Keeper) report(problem string) {
	if problem != "" && problem != k.said {
		k.Log.Info("the computer may suspend while goals run; goalctl doctor says more", "problem", problem)
	}
	k.said = problem
}
