package runner

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/runner/loopguard"
	"goalpost/backend/runner/stall"
)

// Run is the loop of one run of one goal. Its fields belong to the goroutine of
// drive, but for those marked.
type Run struct {
	cfg    Config
	goal   goal.Goal
	id     goal.Run
	active *active         // safe for both
	pause  <-chan struct{} // closed when the user pauses

	lifecycle Lifecycle
	history   History

	session Session

	silentTurns int // turns without a tool call, in a row, over all runs

	stateSavedAt time.Time // when the loop state was saved last

	// uncounted says that the journal has an iteration whose model did not answer: it
	// is not counted, and a pause takes it back.
	uncounted      bool
	finalStatement string   // the agent's last word, on a limit or when it was stuck
	statement      []string // the report of its stop
	journal_       journalWriter
	messages       messageLog
	budget         budget
	plan           plan
	control        agentControl
	asking         approvalRequests
	granted        grantBook
	intake         orderIntake
	verification   verification
	criticism      criticism
	steps          recentSteps
	movement       progressWatch
	reporter       reporter
	integrity      integrity
	secrets        callSecrets
	dispatcher     dispatcher
}

type givenUp struct{ reason, learned string }

func newRun(c Config, g goal.Goal, id goal.Run, a *active) *Run {
	r := &Run{
		cfg:       c,
		goal:      g,
		id:        id,
		active:    a,
		pause:     a.pausing.attachRun(),
		lifecycle: c.Journal,
		history:   c.Journal,
	}
	r.linkParts()
	r.journal_.events = c.Journal
	r.intake.orders = c.Journal
	r.intake.ordersPolled = make(chan struct{}, 1)
	r.asking.approvalLog = c.Journal
	r.messages.callIDs = map[string]bool{}
	r.budget.startedAt = c.Clock.Now()
	r.budget.spentBefore = g.Spent.WallClock
	r.dispatcher.guard = loopguard.New()
	r.movement.progress = stall.New(g.Spent.USD) // what earlier runs spent is no standstill of this one
	r.verification.claims = newClaims(g.Spent.Claims)
	r.secrets.exposedSecrets = exposedSecrets{}
	r.id.Control = runControl{&r.control, &r.plan, r}
	return r
}

// linkParts gives each part its way back to the run.
func (r *Run) linkParts() *Run {
	r.journal_.run = r
	r.messages.run = r
	r.budget.run = r
	r.plan.run = r
	r.control.run = r
	r.asking.run = r
	r.granted.run = r
	r.intake.run = r
	r.verification.run = r
	r.criticism.run = r
	r.steps.run = r
	r.movement.run = r
	r.reporter.run = r
	r.integrity.run = r
	r.secrets.run = r
	r.dispatcher.run = r
	return r
}

// endState is the goal as this run leaves it after a stop, for the next one.
func (r *Run) endState(stop *Stop) goal.Goal {
	g := r.goal
	g.Spent.WallClock, g.Spent.Claims, g.RunID = r.budget.elapsed(), r.verification.claims.made, r.id.ID
	g.Status, g.Exit, g.Report, g.Account = goal.StatusForExit(stop.Exit), stop.Exit, r.statement, r.finalStatement
	return g
}

// run runs the loop to its stop and settles it. Everything that the goal
// started ends with it, except after done and in a pause. An error is one of settling.
func (r *Run) run(ctx context.Context) (*Stop, error) {
	ctx = goal.WithRun(ctx, r.id)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := make(chan struct{})
	go func() { defer close(watched); r.watchOrders(ctx, cancel) }()

	stop := r.loop(ctx)
	if stop.Exit == goal.PausedByUser && r.pauseRequested() { // the user's pause is not lifted by anybody else
		stop = r.pauseStop()
	}
	cancel(stop)
	<-watched
	if l := r.movement.firstFingerprint; l != nil {
		<-l.done
	}
	r.budget.stoppedAt = r.cfg.Clock.Now()
	settled := r.finish(context.WithoutCancel(ctx), stop)
	r.closeSession(context.WithoutCancel(ctx), stop.Exit)
	return stop, settled
}

// closeSession holds nothing up: a goal whose room was slow to close continues like any other.
func (r *Run) closeSession(ctx context.Context, exit goal.Exit) {
	if r.session == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := r.session.Close(ctx, exit); err != nil {
		r.cfg.Log.Error("close room", "goal", r.goal.ID, "error", err)
	}
}

// loop opens the room, restores what earlier runs left and iterates.
func (r *Run) loop(ctx context.Context) (stop *Stop) {
	defer func() {
		if p := recover(); p != nil {
			stop = &Stop{Exit: goal.ExitError, Reason: fmt.Sprintf("the loop broke: %v", p)}
			r.cfg.Log.Error("panic in run", "goal", r.goal.ID, "panic", p)
		}
	}()
	if stop := r.runSteps(ctx, r.openSession, r.asking.restoreApprovals, r.restore, r.verification.verifyClaim); stop != nil {
		return stop
	}
	for {
		if stop := r.iterate(ctx); stop != nil {
			return r.askFinalStatement(ctx, stop)
		}
	}
}

func (r *Run) openSession(ctx context.Context) *Stop {
	unmet, err := r.lifecycle.FailedDependency(ctx, r.goal.ID)
	if err != nil {
		return r.stopForError(ctx, "looking at the goals that must be done first", err)
	}
	if stop := r.checkDependency(ctx, unmet); stop != nil {
		return stop
	}
	room, err := r.cfg.Open(ctx, r.goal, r.id, func(what, text string) {
		if stop := r.journal_.journal(ctx, &event.Warning{What: what, Text: text}); stop != nil {
			r.cfg.Log.Warn("journal", "goal", r.goal.ID, "error", stop.Reason)
		}
	})
	if err != nil {
		if stop := stopCause(ctx); stop != nil {
			return stop
		}
		return unusableSession(err)
	}
	r.session, r.dispatcher.tools = room, map[string]Tool{}
	for _, t := range room.Tools() {
		spec := t.Spec()
		r.dispatcher.tools[spec.Name] = t
		r.dispatcher.specs = append(r.dispatcher.specs, spec)
	}
	r.secrets.addEnvironmentSecrets()
	r.criticism.critic = newCritic(r.goal, room.Models())
	if stop := r.integrity.restoreProtected(ctx); stop != nil {
		return stop
	}
	if r.session.World() != nil {
		r.movement.firstFingerprint = r.movement.startFingerprint(ctx)
	}
	return nil
}

// checkDependency stops a goal whose goal before it did not become done, once. Whom the
// user resumes after that continues without it, with a warning. One that was aborted in
// the queue, or cut as it began, may not have told of it.
func (r *Run) checkDependency(ctx context.Context, unmet string) *Stop {
	untold := r.goal.Exit == "" || r.goal.Exit == goal.AbortedByUser || r.goal.Exit == goal.Interrupted
	switch {
	case unmet == "":
		return nil
	case untold && r.goal.Spent.Iterations == 0:
		return &Stop{Exit: goal.NeedsUser, Reason: unmet + "; resume this one to continue without it"}
	}
	return r.journal_.journal(ctx, &event.Warning{What: "after", Text: unmet + "; this one continues without it, because it was resumed"})
}

// iterate is one pass of the loop, in the order of the contract.
func (r *Run) iterate(ctx context.Context) *Stop {
	if stop := r.runSteps(ctx, r.budget.enforceLimits, r.applyOrders, r.integrity.checkIntegrity, r.startIteration); stop != nil {
		return stop
	}
	reply, stop := r.askModelOnce(ctx)
	r.movement.collectOutput()
	if stop != nil || reply == nil {
		return stop
	}
	if len(reply.Calls) == 0 {
		return r.runSteps(ctx, r.requireToolCall, r.movement.checkProgress, r.saveLoopState)
	}
	r.silentTurns = 0
	dispatch := func(ctx context.Context) *Stop { return r.dispatcher.dispatch(ctx, reply.Calls) }
	return r.runSteps(ctx, r.movement.awaitFirstFingerprint, dispatch, r.movement.discardOutput, r.asking.flushNotes, r.checkVoluntaryStop, r.verification.verifyClaim, r.criticism.runCritic, r.movement.checkProgress, r.saveLoopState)
}

// runSteps takes the steps one after the other until one of them stops the run.
func (r *Run) runSteps(ctx context.Context, steps ...func(context.Context) *Stop) *Stop {
	for _, step := range steps {
		if stop := step(ctx); stop != nil {
			return stop
		}
	}
	return nil
}

func (r *Run) startIteration(ctx context.Context) *Stop {
	r.goal.Spent.Iterations++
	r.uncounted = false
	return r.journal_.journal(ctx, &event.Iteration{N: r.goal.Spent.Iterations})
}

// requireToolCall answers a turn without a tool call. Three in a row are stuck.
func (r *Run) requireToolCall(ctx context.Context) *Stop {
	const most = 3
	if r.silentTurns++; r.silentTurns >= most {
		return &Stop{Exit: goal.Stuck, Reason: fmt.Sprintf("the model made %d turns in a row without calling a tool", most)}
	}
	return r.messages.addUserMessage(ctx, "You called no tool. The run continues until claim_complete is verified or you call abort_with_report. "+
		"Take the next step now with a tool call.")
}

// checkVoluntaryStop stops the run when the agent gave up or asked its user. What it claimed
// before it asked is decided first.
func (r *Run) checkVoluntaryStop(ctx context.Context) *Stop {
	if r.control.gaveUp != nil {
		return &Stop{Exit: goal.GaveUp, Reason: r.control.gaveUp.reason}
	}
	if r.control.question != "" || r.asking.approvals.unanswered != "" {
		if stop := r.verification.verifyClaim(ctx); stop != nil {
			return stop
		}
	}
	switch {
	case r.control.question != "":
		return &Stop{Exit: goal.NeedsUser, Reason: goal.QuestionPrefix + r.control.question, Pane: r.control.questionPane}
	case r.asking.approvals.unanswered != "":
		return r.asking.pauseForApproval()
	}
	return stopCause(ctx)
}

// addUserMessage puts a user message into the conversation at this point in time.
func (l *messageLog) addUserMessage(ctx context.Context, text string, also ...event.Body) *Stop {
	m := goal.Message{Role: goal.User, Text: text}
	l.conversation.Add(m)
	return l.run.journal_.journal(ctx, append(also, &event.Message{Message: m})...)
}

// journal journals even when the run is being cancelled: what happened, happened.
func (w *journalWriter) journal(ctx context.Context, bodies ...event.Body) *Stop {
	w.pendingEvents.mu.Lock()
	defer w.pendingEvents.mu.Unlock() // what is appended first stands first, whoever appends
	bodies = append(w.pendingEvents.bodies, bodies...)
	w.pendingEvents.bodies = nil
	if len(bodies) == 0 {
		return nil
	}
	if err := w.events.Append(context.WithoutCancel(ctx), w.run.id, bodies...); err != nil {
		return &Stop{Exit: goal.ExitError, Reason: "the journal could not be written: " + err.Error()}
	}
	return nil
}

// pendingEvents goes to the journal with what is appended next, in one commit: a
// commit costs more than everything else that the host does for a step. Nothing
// of it has been told to anyone, nor done for it.
type pendingEvents struct {
	mu     sync.Mutex
	bodies []event.Body
}

func (u *pendingEvents) add(bodies ...event.Body) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.bodies = append(u.bodies, bodies...)
}

// stopForError turns an error into a stop; a cancelled run stops for the reason it was
// cancelled, and one whose judge may be asked later is parked.
func (r *Run) stopForError(ctx context.Context, doing string, err error) *Stop {
	if stop := stopCause(ctx); stop != nil {
		return stop
	}
	if errors.Is(err, goal.ErrPaused) {
		return r.pauseStop()
	}
	var later *goal.Unavailable
	if errors.As(err, &later) {
		return &Stop{Exit: goal.WaitingForProvider, Reason: doing + ": " + err.Error(), Until: later.Until}
	}
	return &Stop{Exit: goal.ExitError, Reason: doing + ": " + err.Error()}
}

// stopCause is the reason for which ctx was cancelled, nil while it lives.
func stopCause(ctx context.Context) *Stop {
	if ctx.Err() == nil {
		return nil
	}
	var stop *Stop
	if errors.As(context.Cause(ctx), &stop) {
		return stop
	}
	return &Stop{Exit: goal.Interrupted, Reason: "the program was closed"}
}
