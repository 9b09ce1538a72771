// Package runner drives goals to their end. A run stops only by a verified
// claim, an honest report, a limit or a person; the model cannot stop it.
//
// Runner owns the runs of this process: three at once by default, the rest wait
// in a queue. Run is the loop of one of them and reads like the contract.
package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// Clock is the seam for deadlines.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Config says what a Runner works with. Everything is required.
type Config struct {
	Journal Journal
	// Open makes the room of a goal; warn journals a fault that was survived.
	Open    func(ctx context.Context, g goal.Goal, run goal.Run, warn func(what, text string)) (Room, error)
	Publish func(event.Event) // for what is not journaled
	Clock   Clock
	Log     *slog.Logger
	Slots   int // goals at once
}

// Runner owns the live runs of this process. All methods may be called
// concurrently.
type Runner struct {
	cfg   Config
	slots chan struct{}
	wg    sync.WaitGroup

	mu     sync.Mutex
	live   map[goal.ID]*active
	closed bool
}

type active struct {
	cancel context.CancelCauseFunc
	nudge  chan struct{} // a new order may wait
	done   chan struct{}
	begun  atomic.Bool // it has left the queue
}

// New returns a Runner without any run.
func New(c Config) *Runner {
	return &Runner{cfg: c, slots: make(chan struct{}, max(1, c.Slots)), live: map[goal.ID]*active{}}
}

// Go starts or continues a goal in the background and returns at once; release
// is called when its run is over. The caller holds the goal's sentinel. The
// opening is the run's first event: Started or Resumed.
func (r *Runner) Go(ctx context.Context, g goal.Goal, opening event.Body, release func()) error {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	a := &active{cancel: cancel, nudge: make(chan struct{}, 1), done: make(chan struct{})}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		cancel(nil)
		return errors.New("the program is closing")
	}
	if r.live[g.ID] != nil {
		cancel(nil)
		return fmt.Errorf("goal %s runs already", g.ID.Short())
	}
	r.live[g.ID] = a
	r.wg.Go(func() {
		defer r.forget(g.ID, a)
		defer release() // first: whoever waits for the end may want the goal for himself
		r.run(ctx, g, opening, a)
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

func (r *Runner) run(ctx context.Context, g goal.Goal, opening event.Body, a *active) {
	if stop := r.wait(ctx, g, a.nudge); stop != nil {
		r.neverBegan(ctx, g, stop)
		return
	}
	defer func() { <-r.slots }()
	a.begun.Store(true)
	id, err := r.cfg.Journal.Begin(context.WithoutCancel(ctx), g.ID, opening)
	if err != nil {
		r.cfg.Log.Error("begin run", "goal", g.ID, "error", err)
		return
	}
	g.RunID = id.ID
	run := newRun(r.cfg, g, id, a)
	if err := run.drive(ctx); err != nil {
		r.cfg.Log.Error("run", "goal", g.ID, "error", err)
	}
}

// neverBegan settles a goal that was stopped in the queue: aborted by a person,
// or left as it was.
func (r *Runner) neverBegan(ctx context.Context, g goal.Goal, stop *Stop) {
	if stop.Exit != goal.UserAborted {
		return
	}
	body := &event.Ended{Status: goal.Aborted, Exit: stop.Exit, Report: []string{"Stopped because " + stop.Reason + "."}}
	if err := r.cfg.Journal.Append(context.WithoutCancel(ctx), goal.Run{Goal: g.ID, ID: g.RunID}, body); err != nil {
		r.cfg.Log.Error("abort in the queue", "goal", g.ID, "error", err)
	}
}

// wait takes a slot, and says so in the journal when there is none at once. A
// stop means that the goal was stopped in the queue.
func (r *Runner) wait(ctx context.Context, g goal.Goal, nudge <-chan struct{}) *Stop {
	select {
	case r.slots <- struct{}{}:
		return nil
	default:
	}
	if g.Status == goal.Pending {
		body := &event.Queued{Reason: fmt.Sprintf("%d goals run already", cap(r.slots))}
		if err := r.cfg.Journal.Append(ctx, goal.Run{Goal: g.ID, ID: g.RunID}, body); err != nil {
			r.cfg.Log.Warn("queue", "goal", g.ID, "error", err)
		}
	}
	for {
		select {
		case r.slots <- struct{}{}:
			return nil
		case <-ctx.Done():
			return stopOf(ctx)
		case <-nudge:
		case <-r.cfg.Clock.After(orderInterval):
		}
		orders, err := r.cfg.Journal.TakeOrders(ctx, g.ID, goal.OrderAbort)
		if err != nil && ctx.Err() == nil {
			r.cfg.Log.Warn("orders", "goal", g.ID, "error", err)
		}
		if len(orders) > 0 {
			return aborted()
		}
	}
}

func aborted() *Stop { return &Stop{goal.UserAborted, "the person aborted the goal"} }

// Queued says whether the goal waits for a slot of this process.
func (r *Runner) Queued(id goal.ID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.live[id]
	return a != nil && !a.begun.Load()
}

// Nudge makes a live goal look at its orders now. It says whether this process runs the goal.
func (r *Runner) Nudge(id goal.ID) bool {
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

// Cancel stops a live goal at once, also in the queue and in the middle of a
// call. It says whether this process runs the goal.
func (r *Runner) Cancel(id goal.ID, stop *Stop) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.live[id]
	if a != nil {
		a.cancel(stop)
	}
	return a != nil
}

// Done returns a channel that is closed when this process no longer runs the goal.
func (r *Runner) Done(id goal.ID) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a := r.live[id]; a != nil {
		return a.done
	}
	gone := make(chan struct{})
	close(gone)
	return gone
}

// Live counts the goals that this process runs or has queued.
func (r *Runner) Live() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.live)
}

// Close pauses every live goal as interrupted and waits for all of them.
func (r *Runner) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	for _, a := range r.live {
		a.cancel(&Stop{goal.Interrupted, "the program was closed"})
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

// Stop is why a run is over. It is the cause of the run's cancelled context.
type Stop struct {
	Exit   goal.Exit
	Reason string
}

func (s *Stop) Error() string { return string(s.Exit) + ": " + s.Reason }
