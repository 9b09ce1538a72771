// Package runner drives goals to their end. A run stops only by a verified claim, an honest report, a limit or a
// user; the model cannot stop it.
//
// Runner owns the runs of this process: three at once by default; the others wait in a queue that belongs to the
// data folder. Run is the loop of one of them.
package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// Clock is the source of time; tests replace it.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Config holds the dependencies of a Runner. Everything but DailyLimitReached, ModelWait, Disk and Ended is
// required.
type Config struct {
	Store Store
	// Open opens the session of a goal; warn journals a problem that does not stop it.
	Open    func(ctx context.Context, g goal.Goal, run goal.Run, warn func(what, text string)) (Session, error)
	Publish func(event.Event) // for events that are not journaled
	Clock   Clock
	Log     *slog.Logger
	Slots   int // goals at once
	// LockFolders claims the folders in which a goal writes, against goals of other data folders, until unlock is called.
	// unlock is nil if nothing was claimed; busy is the reason if the goal has to wait. nil claims nothing.
	LockFolders func(id goal.ID, folders []string) (unlock func(), busy string, err error)
	Rules       policy.RuleSet
	// ApprovalTimeout returns how long an approval waits for a user, 0 if no user is present now. nil means that no user
	// is ever present.
	ApprovalTimeout func(context.Context) time.Duration
	// DailyLimitReached reports whether today's spending limit is used up; nil if there is none. It is called often
	// while goals wait for the next day.
	DailyLimitReached func(ctx context.Context) bool
	// ModelWait returns for how long a goal waits for its model before it asks its user, 0 if without end. nil is without
	// end.
	ModelWait func() time.Duration
	// Disk returns the free bytes on the disk of the journal; nil if that is unknown.
	Disk func() (uint64, error)
	// Ended is called for a goal that ended while it waited in this process, so that what its earlier runs left can
	// end, too. It is nil if runs leave nothing.
	Ended func(ctx context.Context, id goal.ID) error
}

// Runner owns the live runs of this process. All methods may be called concurrently.
type Runner struct {
	cfg   Config
	slots int
	wg    sync.WaitGroup

	mu     sync.Mutex
	live   map[goal.ID]*active
	queue  []*active
	freed  chan struct{} // closed and replaced when a run ends
	closed bool
}

type active struct {
	cancel context.CancelCauseFunc
	nudge  chan struct{} // receives when a new order may wait
	done   chan struct{}
	queued atomic.Bool // it waits in the queue, or is about to enter it

	pauser *pauser

	blocked bool // waits for a slot; guarded by Runner.mu

	away          stopwatch // since the model of the goal is away
	unlockFolders func()    // of the goal's run; nil outside of runs
}

// releaseFolders ends the claim of the goal's folders, if there is one.
func (a *active) releaseFolders() {
	if a.unlockFolders != nil {
		a.unlockFolders()
		a.unlockFolders = nil
	}
}

// New returns a Runner without any run.
func New(c Config) *Runner {
	return &Runner{cfg: c, slots: max(1, c.Slots), live: map[goal.ID]*active{}, freed: make(chan struct{})}
}

// Start starts or continues a goal in the background and returns at once. It calls release when this process no
// longer handles the goal. The caller holds the goal's lock file. The opening events are the first ones of the run in
// the journal: Started or Resumed, and what the user changed with it.
func (r *Runner) Start(ctx context.Context, g goal.Goal, release func(), opening ...event.Body) error {
	return r.launch(ctx, g.ID, release, true, func(ctx context.Context, a *active) { r.run(ctx, g, opening, a) })
}

// ResumeParked adopts a parked goal that another process has left. It continues when its wait is over or when the
// user resumes it.
func (r *Runner) ResumeParked(ctx context.Context, g goal.Goal, release func()) error {
	return r.launch(ctx, g.ID, release, false, func(ctx context.Context, a *active) {
		var opening []event.Body
		var ok bool
		if g.Exit == goal.WaitingForCondition {
			opening, ok = r.resumeWait(ctx, &g, a)
		} else {
			opening, ok = r.waitWhileParked(ctx, &g, r.cfg.parkUntil(g.ParkedUntil, true), a)
		}
		if ok {
			r.run(ctx, g, opening, a)
		}
	})
}

func (r *Runner) launch(
	ctx context.Context, id goal.ID, release func(), queued bool, work func(context.Context, *active),
) error {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	a := &active{cancel: cancel, nudge: make(chan struct{}, 1), done: make(chan struct{}), pauser: newPauser()}
	a.queued.Store(queued)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		cancel(nil)
		return errors.New("the program is closing")
	}
	if r.live[id] != nil {
		cancel(nil)
		return fmt.Errorf("goal %s is already running", id.Short())
	}
	r.live[id] = a
	r.wg.Go(func() {
		defer r.forget(id, a)
		defer release() // first: a caller that waits for the end may start the goal at once
		work(ctx, a)
	})
	return nil
}

func (r *Runner) forget(id goal.ID, a *active) {
	a.cancel(nil)
	r.mu.Lock()
	delete(r.live, id)
	r.mu.Unlock()
	close(a.done)
}

// run drives a goal until it needs its user or has ended. A parked goal continues automatically.
func (r *Runner) run(ctx context.Context, g goal.Goal, opening []event.Body, a *active) {
	for {
		id, stop := r.enqueue(ctx, g, a, opening)
		if stop != nil {
			r.leaveQueue(ctx, g, stop)
			return
		}
		g.RunID = id.ID
		r.takeLateOrders(ctx, &g)
		run := newRun(r.cfg, g, id, a)
		stop, err := run.run(ctx)
		a.releaseFolders()
		r.releaseSlot()
		if err != nil {
			r.cfg.Log.Error("run", "goal", g.ID, "error", err)
			return
		}
		g = run.endState(stop) // before the wait, which does not count against its wall clock
		var ok bool
		switch {
		case stop.Exit == goal.WaitingForCondition:
			a.pauser.detachRun()
			opening, ok = r.waitForCondition(ctx, &g, run, *stop.Wait, a)
		case stop.Exit.IsParked():
			a.pauser.detachRun()
			p := r.cfg.parkUntil(stop.Until, stop.Exit == goal.DailyLimitReached)
			opening, ok = r.waitWhileParked(ctx, &g, p, a)
		case stop.Exit == goal.NeedsUser && run.approvals.unanswered != "":
			opening, ok = r.approvalsAnswered(ctx, g, run.approvals.pendingApprovals())
		}
		if !ok {
			return
		}
	}
}

// pausedByUserText is the reason of a pause for which the user gave none.
const pausedByUserText = "the user paused the goal"

// stopForOrder returns the stop that an order to abort or to pause requests.
func stopForOrder(o goal.Order) *Stop {
	if o.Kind == goal.OrderAbort {
		return &Stop{Exit: goal.AbortedByUser, Reason: cmp.Or(o.Text, "the user aborted the goal"), By: goal.ID(o.Request)}
	}
	return &Stop{Exit: goal.PausedByUser, Reason: cmp.Or(o.Text, pausedByUserText), By: goal.ID(o.Request)}
}

// IsQueued reports whether the goal waits in the queue of this process.
func (r *Runner) IsQueued(id goal.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.live[id]
	return a != nil && a.queued.Load()
}

// Wake makes a live goal read its orders now. It reports whether this process runs the goal.
func (r *Runner) Wake(id goal.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.live[id]
	if a == nil {
		return false
	}
	select {
	case a.nudge <- struct{}{}:
	default: // one is waiting already
	}
	return true
}

// Cancel stops a live goal at once, even in the queue or in the middle of a call. It reports whether this process
// runs the goal.
func (r *Runner) Cancel(id goal.ID, stop *Stop) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.live[id]
	if a != nil {
		a.cancel(stop)
	}
	return a != nil
}

// Interrupt pauses a live goal as interrupted, and waits until it has stopped.
func (r *Runner) Interrupt(ctx context.Context, id goal.ID) error {
	done := r.Done(id)
	r.Cancel(id, &Stop{Exit: goal.Interrupted, Reason: "the program was closed"})
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the run to end: %w", ctx.Err())
	}
}

// Done returns a channel that is closed when this process no longer runs the goal.
func (r *Runner) Done(id goal.ID) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.live[id]; a != nil {
		return a.done
	}
	done := make(chan struct{})
	close(done)
	return done
}

// Live returns the goals that this process runs, has queued or watches while they wait.
func (r *Runner) Live() []goal.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.live))
}

// ActiveCount counts the goals that this process runs or has queued.
func (r *Runner) ActiveCount() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.live)
}

// Close pauses every live goal as interrupted and waits for all of them.
func (r *Runner) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	for _, a := range r.live {
		a.cancel(&Stop{Exit: goal.Interrupted, Reason: "the program was closed"})
	}
	r.mu.Unlock()
	done := make(chan struct{})
	go func() { r.wg.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for the runs to end: %w", ctx.Err())
	}
}

// Stop says why a run is over. It is the cause of the run's cancelled context.
type Stop struct {
	Exit   goal.Exit
	Reason string
	Until  time.Time // parked: when it continues
	// Wait is the condition of a goal that waits for one.
	Wait *goal.Wait
	// Question is what the agent asks: needs_user.
	Question goal.Question
	// Changed are files that decide about the goal and were changed: needs_user until the user decides about them.
	Changed []goal.DecidingFile
	By      goal.ID // who requested it: the goal that started this one, or goal.ExternalAgent; "" is the user
}

func (s *Stop) Error() string { return string(s.Exit) + ": " + s.Reason }
