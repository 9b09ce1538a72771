package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// Run is the loop of one run of one goal. It belongs to one goroutine. A second goroutine watches the orders and
// uses only the parts that are documented as safe for it: orders, grants, journal, the clock of budget, and the
// fields of goal that never change during a run.
type Run struct {
	cfg    Config
	goal   goal.Goal
	id     goal.Run
	active *active
	pauser *pauser

	session Session // nil until it is open
	rules   string  // the system prompt of an answer; "" in the run of a goal

	journal      *journalWriter
	messages     *messageLog
	budget       *budget
	plan         *plan
	requests     *agentRequests
	orders       *orderIntake
	approvals    *approvals
	secrets      *callSecrets
	recent       *recentSteps
	progress     *progressWatch
	integrity    *integrity
	verification *verification
	critic       *critic
	compactor    *compactor
	dispatcher   *dispatcher
	reporter     *reporter

	turns runTurns
	// ended is recorded when the run stops.
	ended runEnd
}

// runTurns tracks the turns of the model.
type runTurns struct {
	silent int // turns without a tool call in a row, over all runs
	// mistake describes why the model's last reply could not be used, "" if it could.
	mistake string
	// uncounted says that the journal has an iteration whose model did not answer. It does not count, and a pause
	// removes it.
	uncounted    bool
	stateSavedAt time.Time // when the loop state was saved last
}

// runEnd is recorded when a run stops.
type runEnd struct {
	finalStatement string   // the agent's summary, at a limit or when it was stuck
	report         []string // the host's report
}

// endState returns the goal as this run leaves it for the next one.
func (r *Run) endState(stop *Stop) goal.Goal {
	g := r.goal
	g.Spent.WallClock, g.Spent.Claims, g.RunID = r.budget.elapsed(), r.verification.claims.total, r.id.ID
	g.Status, g.Exit, g.Report, g.Account = goal.StatusForExit(stop.Exit), stop.Exit, r.ended.report,
		r.ended.finalStatement
	return g
}

// run runs the loop until it stops, and then records the stop. Everything that the goal started ends with it,
// except after done and in a pause. An error means that the stop could not be recorded.
func (r *Run) run(ctx context.Context) (*Stop, error) {
	ctx = goal.WithRun(ctx, r.id)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := make(chan struct{})
	sleep := r.cfg.watchSleep()
	go func() { defer close(watched); r.watchOrders(ctx, cancel, sleep) }()

	stop := r.loop(ctx)
	if stop.Exit == goal.PausedByUser && r.pauser.isPaused() { // only the user can end the user's pause
		stop = r.pauser.stop()
	}
	cancel(stop)
	<-watched
	r.progress.wait()
	r.critic.close(context.WithoutCancel(ctx))
	stop = r.limitModelWait(context.WithoutCancel(ctx), stop)
	r.budget.stoppedAt = r.cfg.Clock.Now()
	finishErr := r.finishRun(context.WithoutCancel(ctx), stop)
	if stop.Exit != goal.WaitingForCondition || finishErr != nil {
		r.closeSession(context.WithoutCancel(ctx), stop.Exit)
	} else if agent, ok := r.session.(AgentInterrupter); ok { // its session looks at the condition
		agent.InterruptAgent(context.WithoutCancel(ctx))
	}
	return stop, finishErr
}

// closeSession only logs an error: a goal whose session was slow to close continues like any other.
func (r *Run) closeSession(ctx context.Context, exit goal.Exit) {
	if r.session == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := r.session.Close(ctx, exit); err != nil {
		r.cfg.Log.Error("close session", "goal", r.goal.ID, "error", err)
	}
}

// loop opens the session, restores what earlier runs left, and iterates.
func (r *Run) loop(ctx context.Context) (stop *Stop) {
	defer func() {
		if p := recover(); p != nil {
			stop = &Stop{Exit: goal.ExitError, Reason: fmt.Sprintf("the loop panicked: %v", p)}
			r.cfg.Log.Error("panic in run", "goal", r.goal.ID, "panic", p)
		}
	}()
	if stop := runSteps(ctx, r.openSession, r.approvals.restoreApprovals, r.restoreRun,
		r.verification.verifyClaim); stop != nil {
		return stop
	}
	for {
		if stop := r.iterate(ctx); stop != nil {
			return r.askFinalStatement(ctx, r.approvals.pauseInstead(stop))
		}
	}
}

func (r *Run) openSession(ctx context.Context) *Stop {
	dependency, err := r.cfg.Store.Queue.FailedDependency(ctx, r.goal.ID)
	if err != nil {
		return r.pauser.stopForError(ctx, "checking the goals that must be done first", err)
	}
	if stop := runSteps(ctx, func(ctx context.Context) *Stop { return r.checkDependency(ctx, dependency) },
		r.openEnvironment); stop != nil {
		return stop
	}
	r.progress.beginFirstFingerprint(ctx)
	return nil
}

// openEnvironment opens the session and gives the parts what they need from it.
func (r *Run) openEnvironment(ctx context.Context) *Stop {
	session, err := r.cfg.Open(ctx, r.goal, r.id, func(what, text string) {
		if stop := r.journal.append(ctx, &event.Warning{What: what, Text: text}); stop != nil {
			r.cfg.Log.Warn("journal", "goal", r.goal.ID, "error", stop.Reason)
		}
	})
	if err != nil {
		if stop := stopCause(ctx); stop != nil {
			return stop
		}
		return unusableSession(err)
	}
	r.attachSession(session)
	return nil
}

// checkDependency stops a goal, once, if the goal that it depends on did not become done. If the user then resumes
// it, it continues with a warning. A goal that was aborted in the queue, or stopped as it began, may not have
// recorded the warning.
func (r *Run) checkDependency(ctx context.Context, dependency string) *Stop {
	needsReport := r.goal.Exit == "" || r.goal.Exit == goal.AbortedByUser || r.goal.Exit == goal.Interrupted
	switch {
	case dependency == "":
		return nil
	case needsReport && r.goal.Spent.Iterations == 0:
		return &Stop{Exit: goal.NeedsUser, Reason: dependency + "; resume this one to continue without it"}
	}
	return r.journal.append(ctx, &event.Warning{
		What: "after",
		Text: dependency + "; this one continues without it, because it was resumed",
	})
}

// iterate is one pass of the loop; the order of its steps matters.
func (r *Run) iterate(ctx context.Context) *Stop {
	if stop := runSteps(ctx, r.budget.enforceLimits, r.applyOrders, r.integrity.checkIntegrity,
		r.approvals.reportAnswersSoFar, r.startIteration); stop != nil {
		return stop
	}
	reply, stop := r.askModelOnce(ctx)
	r.progress.collectOutput()
	if stop != nil || reply == nil {
		return stop
	}
	if len(reply.Calls) == 0 && r.turns.mistake == "" && len(r.approvals.openHosts()) > 0 {
		return r.approvals.awaitHosts(ctx)
	}
	if len(reply.Calls) == 0 {
		return runSteps(ctx, r.requireToolCall, r.progress.checkProgress, r.saveLoopState)
	}
	r.turns.silent = 0
	dispatch := func(ctx context.Context) *Stop { return r.dispatcher.dispatchTurn(ctx, reply.Calls) }
	return runSteps(ctx,
		r.progress.awaitFirstFingerprint,
		dispatch,
		r.progress.discardOutput,
		r.approvals.sendNotices,
		r.integrity.checkSession, // a check must not decide about another folder
		r.checkVoluntaryStop,
		r.verification.verifyClaim,
		r.critic.finishTurn,
		r.progress.checkProgress,
		r.saveLoopState,
	)
}

// runSteps runs the steps in order until one of them stops the run.
func runSteps(ctx context.Context, steps ...func(context.Context) *Stop) *Stop {
	for _, step := range steps {
		if stop := step(ctx); stop != nil {
			return stop
		}
	}
	return nil
}

func (r *Run) startIteration(ctx context.Context) *Stop {
	r.goal.Spent.Iterations++
	r.turns.uncounted = false
	return r.journal.append(ctx, &event.Iteration{N: r.goal.Spent.Iterations})
}

// requireToolCall answers a turn without a tool call. Three such turns in a row are stuck.
func (r *Run) requireToolCall(ctx context.Context) *Stop {
	const maxSilentTurns = 3
	if r.turns.silent++; r.turns.silent >= maxSilentTurns {
		reason := fmt.Sprintf("the model made %d turns in a row without calling a tool", maxSilentTurns)
		if r.turns.mistake != "" {
			reason += "; the last time " + r.turns.mistake
		}
		if r.turns.mistake == printedCall {
			reason += missingParser
		}
		return &Stop{Exit: goal.Stuck, Reason: reason}
	}
	warning := ""
	if r.turns.silent == maxSilentTurns-1 {
		warning = " With one more such reply the host stops this goal as stuck."
	}
	if r.turns.mistake != "" {
		return r.messages.addUserMessage(ctx, "Your last reply could not be used, and nothing was done: "+r.turns.mistake+
			"\nTake the next step now with one well-formed tool call, and think less before it."+warning)
	}
	return r.messages.addUserMessage(ctx,
		"You called no tool. The run continues until claim_complete is verified or you call abort_with_report. "+
			"Take the next step now with a tool call."+warning)
}

// checkVoluntaryStop stops the run when the agent gave up, asked its user or waits for a condition. A claim that it
// made before it asked is decided first.
func (r *Run) checkVoluntaryStop(ctx context.Context) *Stop {
	if r.requests.gaveUp != nil {
		return &Stop{Exit: goal.GaveUp, Reason: r.requests.gaveUp.reason}
	}
	if r.requests.question.Text != "" || r.approvals.unanswered != "" {
		if stop := r.verification.verifyClaim(ctx); stop != nil {
			return stop
		}
	}
	switch {
	case r.requests.question.Text != "":
		q := r.requests.question
		return &Stop{Exit: goal.NeedsUser, Reason: goal.QuestionPrefix + q.Text, Question: q}
	case r.approvals.unanswered != "":
		return r.approvals.pauseForApproval()
	}
	if stop := stopCause(ctx); stop != nil || r.requests.wait == nil {
		return stop
	}
	w := r.requests.wait
	return &Stop{Exit: goal.WaitingForCondition, Reason: w.Describe(), Until: w.Until, Wait: w}
}

// stopCause returns why ctx was cancelled, nil if it was not.
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
