package runner

import (
	"context"
	"errors"
	"fmt"
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
	active *active

	room     Room
	tools    map[string]Tool
	specs    []goal.ToolSpec
	messages []goal.Message
	callIDs  map[string]bool // of the whole conversation

	guard     *guard
	began     time.Time     // of this run
	before    time.Duration // spent by earlier runs
	silent    int           // turns without a tool call, in a row
	claims    int           // over the goal's life
	failed    map[int]int   // failed claims in a row, by check
	idle      bool          // nothing done since the last failed claim
	failedAt  time.Time     // when the checks ran last
	last      []goal.Verdict
	warned    map[string]int // limit → percent warned of
	claim     *claim         // made in this iteration
	gaveUp    *givenUp
	asked     string // by ask_operator
	todos     []goal.Todo
	declared  *goal.Declaration // the open step of the protocol
	covered   bool              // a changing call was made in it
	pause     chan struct{}     // closed by the watch when the person pauses
	rationale string
}

type claim struct{ rationale, result string }

type givenUp struct{ reason, learned string }

func newRun(c Config, g goal.Goal, id goal.Run, a *active) *Run {
	r := &Run{
		cfg: c, goal: g, id: id, active: a, began: c.Clock.Now(), before: g.Spent.WallClock, claims: g.Spent.Claims,
		failed: map[int]int{}, callIDs: map[string]bool{}, warned: map[string]int{}, guard: newGuard(), pause: make(chan struct{}),
	}
	r.id.Control = r
	return r
}

// drive runs the loop to its stop and settles it. Everything that the goal
// started ends with it, except after done.
func (r *Run) drive(ctx context.Context) error {
	ctx = goal.WithRun(ctx, r.id)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := make(chan struct{})
	go func() { defer close(watched); r.watch(ctx, cancel) }()

	stop := r.work(ctx)
	cancel(stop)
	<-watched
	settled := r.settle(context.WithoutCancel(ctx), stop)
	return errors.Join(settled, r.closeRoom(context.WithoutCancel(ctx), stop.Exit))
}

func (r *Run) closeRoom(ctx context.Context, exit goal.Exit) error {
	if r.room == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := r.room.Close(ctx, exit); err != nil {
		return fmt.Errorf("close room: %w", err)
	}
	return nil
}

// work opens the room, restores the conversation and iterates.
func (r *Run) work(ctx context.Context) (stop *Stop) {
	defer func() {
		if p := recover(); p != nil {
			stop = &Stop{goal.Faulted, fmt.Sprintf("the loop broke: %v", p)}
			r.cfg.Log.Error("panic in run", "goal", r.goal.ID, "panic", p)
		}
	}()
	if stop := r.enter(ctx); stop != nil {
		return stop
	}
	for {
		if stop := r.iterate(ctx); stop != nil {
			return stop
		}
	}
}

func (r *Run) enter(ctx context.Context) *Stop {
	room, err := r.cfg.Open(ctx, r.goal, r.id, func(what, text string) {
		if stop := r.append(ctx, &event.Warning{What: what, Text: text}); stop != nil {
			r.cfg.Log.Warn("journal", "goal", r.goal.ID, "error", stop.Reason)
		}
	})
	if err != nil {
		return r.fault(ctx, "opening the goal's room", err)
	}
	r.room, r.tools = room, map[string]Tool{}
	for _, t := range room.Tools() {
		spec := t.Spec()
		r.tools[spec.Name] = t
		r.specs = append(r.specs, spec)
	}
	return r.restore(ctx)
}

// iterate is one pass of the loop, in the order of the contract.
func (r *Run) iterate(ctx context.Context) *Stop {
	if stop := r.limits(ctx); stop != nil {
		return stop
	}
	if stop := r.takeOrders(ctx); stop != nil {
		return stop
	}
	if stop := r.intact(); stop != nil {
		return stop
	}
	r.goal.Spent.Iterations++
	if stop := r.append(ctx, &event.Iteration{N: r.goal.Spent.Iterations}); stop != nil {
		return stop
	}
	reply, stop := r.turn(ctx)
	if stop != nil || reply == nil {
		return stop
	}
	if len(reply.Calls) == 0 {
		return r.urge(ctx)
	}
	r.silent = 0
	if stop := r.dispatch(ctx, reply.Calls); stop != nil {
		return stop
	}
	if r.gaveUp != nil {
		return &Stop{goal.GaveUp, r.gaveUp.reason}
	}
	return r.settleClaim(ctx)
}

// urge answers a turn without a tool call. Three in a row are stuck.
func (r *Run) urge(ctx context.Context) *Stop {
	const most = 3
	if r.silent++; r.silent >= most {
		return &Stop{goal.Stuck, fmt.Sprintf("the model made %d turns in a row without calling a tool", most)}
	}
	return r.say(ctx, "You called no tool. The run goes on until claim_complete is verified or you call abort_with_report. "+
		"Take the next step now with a tool call.")
}

// intact is the pre-check: the criterion and the policy must still be the ones that were frozen.
func (r *Run) intact() *Stop {
	c, err1 := goal.Hash(r.goal.Criterion)
	p, err2 := goal.Hash(r.goal.Policy)
	if err := errors.Join(err1, err2); err != nil {
		return &Stop{goal.Faulted, err.Error()}
	}
	if c != r.goal.CriterionSHA256 || p != r.goal.PolicySHA256 {
		return &Stop{goal.NeedsOperator, "the criterion or the policy is not the one that was frozen at the start"}
	}
	return nil
}

// say puts a user message into the conversation at this point in time.
func (r *Run) say(ctx context.Context, text string, also ...event.Body) *Stop {
	m := goal.Message{Role: goal.User, Text: text}
	r.messages = append(r.messages, m)
	return r.append(ctx, append(also, &event.Message{Message: m})...)
}

// append journals even when the run is being cancelled: what happened, happened.
func (r *Run) append(ctx context.Context, bodies ...event.Body) *Stop {
	if err := r.cfg.Journal.Append(context.WithoutCancel(ctx), r.id, bodies...); err != nil {
		return &Stop{goal.Faulted, "the journal could not be written: " + err.Error()}
	}
	return nil
}

// fault turns an error into a stop; a cancelled run stops for the reason it was cancelled.
func (r *Run) fault(ctx context.Context, doing string, err error) *Stop {
	if stop := stopOf(ctx); stop != nil {
		return stop
	}
	return &Stop{goal.Faulted, doing + ": " + err.Error()}
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
	return &Stop{goal.Interrupted, "the program was closed"}
}
