package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/runner/loopguard"
	"goalpost/backend/runner/stall"
)

// Run is the loop of one run of one goal. It belongs to one goroutine. A second one, the
// watch of the orders, uses only what says that it is safe: orders, grants, journal, the
// clock side of budget, and of goal what never changes during a run.
type Run struct {
	cfg    Config
	goal   goal.Goal
	id     goal.Run
	active *active
	gate   *pauseGate

	lifecycle Lifecycle
	history   History
	session   Session // nil until it is open

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
	dispatcher   *dispatcher
	reporter     *reporter

	turns runTurns
	// ended is what the run leaves when it stops.
	ended runEnd
}

// runTurns counts the turns of the model.
type runTurns struct {
	silent int // without a tool call, in a row, over all runs
	// uncounted reports that the journal has an iteration whose model did not answer: it is
	// not counted, and a pause takes it back.
	uncounted    bool
	stateSavedAt time.Time // when the loop state was saved last
}

// runEnd is what is written when a run stops.
type runEnd struct {
	finalStatement string   // the agent's last word, on a limit or when it was stuck
	report         []string // the host's report
}

// newRun returns a run without its session. Its parts know each other from the start;
// attachSession gives them what they need of the session.
func newRun(c Config, g goal.Goal, id goal.Run, a *active) *Run {
	r := &Run{cfg: c, goal: g, id: id, active: a, gate: a.pausing, lifecycle: c.Journal, history: c.Journal}
	r.gate.attachRun()
	r.journal = &journalWriter{log: c.Journal, run: id}
	r.messages = &messageLog{journal: r.journal, callIDs: map[string]bool{}}
	r.budget = &budget{
		goal:        &r.goal,
		clock:       c.Clock,
		journal:     r.journal,
		startedAt:   c.Clock.Now(),
		spentBefore: g.Spent.WallClock,
	}
	r.plan = &plan{journal: r.journal}
	r.requests = &agentRequests{}
	r.recent = newRecentSteps(g.Options.CriticEvery)
	r.secrets = &callSecrets{exposed: exposedSecrets{}}
	r.addApprovals()
	r.addVerification()
	r.addDispatcher()
	r.id.Control = &runControl{
		agentRequests: r.requests,
		plan:          r.plan,
		goal:          g.ID,
		clock:         c.Clock,
		gate:          r.gate,
		history:       c.Journal,
		calls:         r.dispatcher,
	}
	return r
}

// addApprovals adds what asks the user and takes their orders.
func (r *Run) addApprovals() {
	grants := &activeGrants{journal: r.journal}
	r.orders = &orderIntake{
		goal:   r.goal.ID,
		store:  r.cfg.Journal,
		grants: grants,
		gate:   r.gate,
		cancel: r.active.cancel,
		log:    r.cfg.Log,
		polled: make(chan struct{}, 1),
	}
	r.approvals = &approvals{
		goal:     &r.goal,
		rules:    r.cfg.Law,
		patience: r.cfg.Patience,
		clock:    r.cfg.Clock,
		log:      r.cfg.Log,
		journal:  r.journal,
		messages: r.messages,
		gate:     r.gate,
		idle:     &r.budget.idle,
		orders:   r.orders,
		grants:   grants,
		history:  r.cfg.Journal,
		exposed:  r.secrets.exposed,
	}
}

// addVerification adds what decides whether the goal is reached, and whether it moves.
func (r *Run) addVerification() {
	claims := newClaims(r.goal.Spent.Claims)
	r.progress = &progressWatch{
		goal:     &r.goal,
		journal:  r.journal,
		gate:     r.gate,
		claims:   claims,
		detector: stall.New(r.goal.Spent.USD), // what earlier runs spent is no standstill of this one
	}
	r.integrity = &integrity{
		goal:     &r.goal,
		log:      r.cfg.Log,
		journal:  r.journal,
		messages: r.messages,
		gate:     r.gate,
		freeDisk: r.cfg.Disk,
	}
	r.verification = &verification{
		goal:      &r.goal,
		clock:     r.cfg.Clock,
		journal:   r.journal,
		messages:  r.messages,
		gate:      r.gate,
		budget:    r.budget,
		plan:      r.plan,
		recent:    r.recent,
		progress:  r.progress,
		integrity: r.integrity,
		requests:  r.requests,
		claims:    claims,
	}
	r.critic = &critic{
		goal:     &r.goal,
		journal:  r.journal,
		messages: r.messages,
		gate:     r.gate,
		budget:   r.budget,
		plan:     r.plan,
		recent:   r.recent,
		decide:   r.verification.decideClaim,
	}
	r.reporter = &reporter{goal: &r.goal, claims: claims, budget: r.budget, plan: r.plan, requests: r.requests}
}

// addDispatcher adds what executes the agent's calls.
func (r *Run) addDispatcher() {
	r.dispatcher = &dispatcher{
		goal:      &r.goal,
		clock:     r.cfg.Clock,
		log:       r.cfg.Log,
		journal:   r.journal,
		messages:  r.messages,
		gate:      r.gate,
		budget:    r.budget,
		plan:      r.plan,
		requests:  r.requests,
		orders:    r.orders,
		grants:    r.approvals.grants,
		approvals: r.approvals,
		secrets:   r.secrets,
		steps: &stepRecorder{
			clock:    r.cfg.Clock,
			plan:     r.plan,
			claims:   r.verification.claims,
			critic:   r.critic,
			recent:   r.recent,
			progress: r.progress,
		},
		guard: loopguard.New(),
	}
}

// attachSession gives the parts what they need of the open session. What a session does
// not offer stays nil.
func (r *Run) attachSession(s Session) {
	r.session = s
	blocked, _ := s.(BlockedHosts)
	r.approvals.blocked = blocked
	r.approvals.grants.attach(blocked)
	r.secrets.store, _ = s.(SecretStore)
	r.secrets.addEnvironmentSecrets()
	r.budget.children, _ = s.(ChildSpender)
	r.integrity.readiness, _ = s.(ReadinessChecker)
	r.progress.output, _ = s.(OutputSource)
	r.reporter.leftovers, _ = s.(LeftoverReporter)
	workspace := s.World()
	r.integrity.workspace, r.progress.workspace, r.reporter.workspace = workspace, workspace, workspace
	r.verification.judge = s.Judge()
	r.critic.attach(s.Models())
	r.dispatcher.attach(s)
}

// endState is the goal as this run leaves it after a stop, for the next one.
func (r *Run) endState(stop *Stop) goal.Goal {
	g := r.goal
	g.Spent.WallClock, g.Spent.Claims, g.RunID = r.budget.elapsed(), r.verification.claims.made, r.id.ID
	g.Status, g.Exit, g.Report, g.Account = goal.StatusForExit(stop.Exit), stop.Exit, r.ended.report, r.ended.finalStatement
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
	if stop.Exit == goal.PausedByUser && r.gate.isShut() { // the user's pause is not lifted by anybody else
		stop = r.gate.stop()
	}
	cancel(stop)
	<-watched
	r.progress.wait()
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
	if stop := runSteps(ctx, r.openSession, r.approvals.restoreApprovals, r.restore, r.verification.verifyClaim); stop != nil {
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
		return r.gate.stopForError(ctx, "looking at the goals that must be done first", err)
	}
	if stop := r.checkDependency(ctx, unmet); stop != nil {
		return stop
	}
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
	if stop := r.integrity.restoreProtected(ctx); stop != nil {
		return stop
	}
	r.progress.beginFirstFingerprint(ctx)
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
	return r.journal.append(ctx, &event.Warning{What: "after", Text: unmet + "; this one continues without it, because it was resumed"})
}

// iterate is one pass of the loop, in the order of the contract.
func (r *Run) iterate(ctx context.Context) *Stop {
	if stop := runSteps(ctx, r.budget.enforceLimits, r.applyOrders, r.integrity.checkIntegrity, r.startIteration); stop != nil {
		return stop
	}
	reply, stop := r.askModelOnce(ctx)
	r.progress.collectOutput()
	if stop != nil || reply == nil {
		return stop
	}
	if len(reply.Calls) == 0 {
		return runSteps(ctx, r.requireToolCall, r.progress.checkProgress, r.saveLoopState)
	}
	r.turns.silent = 0
	dispatch := func(ctx context.Context) *Stop { return r.dispatcher.dispatch(ctx, reply.Calls) }
	return runSteps(ctx,
		r.progress.awaitFirstFingerprint,
		dispatch,
		r.progress.discardOutput,
		r.approvals.flushNotes,
		r.checkVoluntaryStop,
		r.verification.verifyClaim,
		r.critic.runCritic,
		r.progress.checkProgress,
		r.saveLoopState,
	)
}

// runSteps takes the steps one after the other until one of them stops the run.
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

// requireToolCall answers a turn without a tool call. Three in a row are stuck.
func (r *Run) requireToolCall(ctx context.Context) *Stop {
	const most = 3
	if r.turns.silent++; r.turns.silent >= most {
		return &Stop{Exit: goal.Stuck, Reason: fmt.Sprintf("the model made %d turns in a row without calling a tool", most)}
	}
	return r.messages.addUserMessage(ctx, "You called no tool. The run continues until claim_complete is verified or you call abort_with_report. "+
		"Take the next step now with a tool call.")
}

// checkVoluntaryStop stops the run when the agent gave up or asked its user. What it claimed
// before it asked is decided first.
func (r *Run) checkVoluntaryStop(ctx context.Context) *Stop {
	if r.requests.gaveUp != nil {
		return &Stop{Exit: goal.GaveUp, Reason: r.requests.gaveUp.reason}
	}
	if r.requests.question != "" || r.approvals.unanswered != "" {
		if stop := r.verification.verifyClaim(ctx); stop != nil {
			return stop
		}
	}
	switch {
	case r.requests.question != "":
		return &Stop{Exit: goal.NeedsUser, Reason: goal.QuestionPrefix + r.requests.question, Pane: r.requests.questionPane}
	case r.approvals.unanswered != "":
		return r.approvals.pauseForApproval()
	}
	return stopCause(ctx)
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
