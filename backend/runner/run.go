package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// Run is the loop of one run of one goal. Its fields belong to the goroutine of
// drive, but for those marked.
type Run struct {
	cfg    Config
	goal   goal.Goal
	id     goal.Run
	active *active         // safe for both
	pause  <-chan struct{} // closed when the person pauses

	room         Room
	tools        map[string]Tool
	specs        []goal.ToolSpec
	conversation conversation
	callIDs      map[string]bool // of the whole conversation

	began   time.Time     // of this run
	before  time.Duration // spent by earlier runs
	stopped time.Time     // what follows is not the goal's time any more; zero while it runs
	warned  warned        // safe for both
	silent  int           // turns without a tool call, in a row, over all runs

	guard    *guard
	critic   critic
	progress progress
	kept     time.Time   // when the memory of both was kept last
	recent   []goal.Step // the newest, oldest first, for critic and judges

	todos    []goal.Todo
	declared *goal.StepDeclaration // the open step of the protocol
	covered  bool                  // a changing call was made in it

	approvals approvals
	hands     hands
	unwritten unwritten     // safe for both
	idle      idle          // safe for both
	stirred   chan struct{} // the watch has looked at the orders

	claims    claims
	claim     *claim   // made in this iteration
	gaveUp    *givenUp // in this iteration
	asked     string   // by ask_operator in this iteration
	askedPane string   // where the person is to do it
	inner     *Stop    // by a call within a call
	// uncounted says that the journal has an iteration whose model did not answer: it
	// is not counted, and a pause takes it back.
	uncounted bool
	guessed   bool     // the person was told that tokens are guessed
	account   string   // the agent's last word, on a limit or when it was stuck
	said      []string // the report of its stop
}

type givenUp struct{ reason, learned string }

func newRun(c Config, g goal.Goal, id goal.Run, a *active) *Run {
	r := &Run{
		cfg: c, goal: g, id: id, active: a, pause: a.pausing.begin(), stirred: make(chan struct{}, 1), callIDs: map[string]bool{},
		began: c.Clock.Now(), before: g.Spent.WallClock, guard: newGuard(), claims: newClaims(g.Spent.Claims), hands: hands{},
	}
	r.id.Control = r
	r.progress.usd = g.Spent.USD // what earlier runs spent is no standstill of this one
	return r
}

// left is the goal as this run leaves it after a stop, for the next one.
func (r *Run) left(stop *Stop) goal.Goal {
	g := r.goal
	g.Spent.WallClock, g.Spent.Claims, g.RunID = r.spent(), r.claims.made, r.id.ID
	g.Status, g.Exit, g.Report, g.Account = goal.StatusForExit(stop.Exit), stop.Exit, r.said, r.account
	return g
}

// drive runs the loop to its stop and settles it. Everything that the goal
// started ends with it, except after done and in a pause. An error is one of settling.
func (r *Run) drive(ctx context.Context) (*Stop, error) {
	ctx = goal.WithRun(ctx, r.id)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := make(chan struct{})
	go func() { defer close(watched); r.watch(ctx, cancel) }()

	stop := r.work(ctx)
	if stop.Exit == goal.PausedByUser && r.paused() { // the person's pause is not lifted by anybody else
		stop = r.atRest()
	}
	cancel(stop)
	<-watched
	if l := r.progress.first; l != nil {
		<-l.done
	}
	r.stopped = r.cfg.Clock.Now()
	settled := r.settle(context.WithoutCancel(ctx), stop)
	r.closeRoom(context.WithoutCancel(ctx), stop.Exit)
	return stop, settled
}

// closeRoom holds nothing up: a goal whose room was slow to close goes on like any other.
func (r *Run) closeRoom(ctx context.Context, exit goal.Exit) {
	if r.room == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := r.room.Close(ctx, exit); err != nil {
		r.cfg.Log.Error("close room", "goal", r.goal.ID, "error", err)
	}
}

// work opens the room, restores what earlier runs left and iterates.
func (r *Run) work(ctx context.Context) (stop *Stop) {
	defer func() {
		if p := recover(); p != nil {
			stop = &Stop{Exit: goal.ExitError, Reason: fmt.Sprintf("the loop broke: %v", p)}
			r.cfg.Log.Error("panic in run", "goal", r.goal.ID, "panic", p)
		}
	}()
	if stop := r.inOrder(ctx, r.enter, r.recall, r.restore, r.settleClaim); stop != nil {
		return stop
	}
	for {
		if stop := r.iterate(ctx); stop != nil {
			return r.lastAccount(ctx, stop)
		}
	}
}

func (r *Run) enter(ctx context.Context) *Stop {
	unmet, err := r.cfg.Journal.Unmet(ctx, r.goal.ID)
	if err != nil {
		return r.fault(ctx, "looking at the goals that must be done first", err)
	}
	if stop := r.goWithout(ctx, unmet); stop != nil {
		return stop
	}
	room, err := r.cfg.Open(ctx, r.goal, r.id, func(what, text string) {
		if stop := r.append(ctx, &event.Warning{What: what, Text: text}); stop != nil {
			r.cfg.Log.Warn("journal", "goal", r.goal.ID, "error", stop.Reason)
		}
	})
	if err != nil {
		if stop := stopOf(ctx); stop != nil {
			return stop
		}
		return unfit(err)
	}
	r.room, r.tools = room, map[string]Tool{}
	for _, t := range room.Tools() {
		spec := t.Spec()
		r.tools[spec.Name] = t
		r.specs = append(r.specs, spec)
	}
	r.furnish()
	r.critic = newCritic(r.goal, room.Models())
	if stop := r.putBack(ctx); stop != nil {
		return stop
	}
	if r.room.World() != nil {
		r.progress.first = r.lookAround(ctx)
	}
	return nil
}

// goWithout stops a goal whose goal before it did not become done, once. Whom the
// person resumes after that goes on without it, with a warning. One that was aborted in
// the queue, or cut as it began, may not have told of it.
func (r *Run) goWithout(ctx context.Context, unmet string) *Stop {
	untold := r.goal.Exit == "" || r.goal.Exit == goal.AbortedByUser || r.goal.Exit == goal.Interrupted
	switch {
	case unmet == "":
		return nil
	case untold && r.goal.Spent.Iterations == 0:
		return &Stop{Exit: goal.NeedsUser, Reason: unmet + "; resume this one to go on without it"}
	}
	return r.append(ctx, &event.Warning{What: "after", Text: unmet + "; this one goes on without it, because it was resumed"})
}

// iterate is one pass of the loop, in the order of the contract.
func (r *Run) iterate(ctx context.Context) *Stop {
	if stop := r.inOrder(ctx, r.limits, r.takeOrders, r.intact, r.count); stop != nil {
		return stop
	}
	reply, stop := r.turn(ctx)
	r.listen()
	if stop != nil || reply == nil {
		return stop
	}
	if len(reply.Calls) == 0 {
		return r.inOrder(ctx, r.urge, r.move, r.keepMemory)
	}
	r.silent = 0
	dispatch := func(ctx context.Context) *Stop { return r.dispatch(ctx, reply.Calls) }
	return r.inOrder(ctx, r.opened, dispatch, r.hush, r.tellNotes, r.leave, r.settleClaim, r.critique, r.move, r.keepMemory)
}

// inOrder takes the steps one after the other until one of them stops the run.
func (r *Run) inOrder(ctx context.Context, steps ...func(context.Context) *Stop) *Stop {
	for _, step := range steps {
		if stop := step(ctx); stop != nil {
			return stop
		}
	}
	return nil
}

func (r *Run) count(ctx context.Context) *Stop {
	r.goal.Spent.Iterations++
	r.uncounted = false
	return r.append(ctx, &event.Iteration{N: r.goal.Spent.Iterations})
}

// urge answers a turn without a tool call. Three in a row are stuck.
func (r *Run) urge(ctx context.Context) *Stop {
	const most = 3
	if r.silent++; r.silent >= most {
		return &Stop{Exit: goal.Stuck, Reason: fmt.Sprintf("the model made %d turns in a row without calling a tool", most)}
	}
	return r.say(ctx, "You called no tool. The run goes on until claim_complete is verified or you call abort_with_report. "+
		"Take the next step now with a tool call.")
}

// leave stops the run when the agent gave up or asked its person. What it claimed
// before it asked is decided first.
func (r *Run) leave(ctx context.Context) *Stop {
	if r.gaveUp != nil {
		return &Stop{Exit: goal.GaveUp, Reason: r.gaveUp.reason}
	}
	if r.asked != "" || r.approvals.waiting != "" {
		if stop := r.settleClaim(ctx); stop != nil {
			return stop
		}
	}
	switch {
	case r.asked != "":
		return &Stop{Exit: goal.NeedsUser, Reason: goal.QuestionPrefix + r.asked, Pane: r.askedPane}
	case r.approvals.waiting != "":
		return r.unanswered()
	}
	return stopOf(ctx)
}

// say puts a user message into the conversation at this point in time.
func (r *Run) say(ctx context.Context, text string, also ...event.Body) *Stop {
	m := goal.Message{Role: goal.User, Text: text}
	r.conversation.add(m)
	return r.append(ctx, append(also, &event.Message{Message: m})...)
}

// append journals even when the run is being cancelled: what happened, happened.
func (r *Run) append(ctx context.Context, bodies ...event.Body) *Stop {
	r.unwritten.mu.Lock()
	defer r.unwritten.mu.Unlock() // what is appended first stands first, whoever appends
	bodies = append(r.unwritten.bodies, bodies...)
	r.unwritten.bodies = nil
	if len(bodies) == 0 {
		return nil
	}
	if err := r.cfg.Journal.Append(context.WithoutCancel(ctx), r.id, bodies...); err != nil {
		return &Stop{Exit: goal.ExitError, Reason: "the journal could not be written: " + err.Error()}
	}
	return nil
}

// unwritten goes to the journal with what is appended next, in one commit: a
// commit costs more than everything else that the host does for a step. Nothing
// of it has been told to anyone, nor done for it.
type unwritten struct {
	mu     sync.Mutex
	bodies []event.Body
}

func (u *unwritten) add(bodies ...event.Body) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.bodies = append(u.bodies, bodies...)
}

// fault turns an error into a stop; a cancelled run stops for the reason it was
// cancelled, and one whose judge may be asked later is parked.
func (r *Run) fault(ctx context.Context, doing string, err error) *Stop {
	if stop := stopOf(ctx); stop != nil {
		return stop
	}
	if errors.Is(err, goal.ErrPaused) {
		return r.atRest()
	}
	var later *goal.Unavailable
	if errors.As(err, &later) {
		return &Stop{Exit: goal.WaitingForProvider, Reason: doing + ": " + err.Error(), Until: later.Until}
	}
	return &Stop{Exit: goal.ExitError, Reason: doing + ": " + err.Error()}
}

// stopOf is the reason for which ctx was cancelled, nil while it lives.
func stopOf(ctx context.Context) *Stop {
	if ctx.Err() == nil {
		return nil
	}
	var stop *Stop
	if errors.As(context.Cause(ctx), &stop) {
		return stop
	}
	return &Stop{Exit: goal.Interrupted, Reason: "the program was closed"}
}
