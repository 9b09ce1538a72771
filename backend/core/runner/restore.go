package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/core/runner/conversation"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// restoreRun restores what earlier runs left: conversation, plan, counters and the user's answer. A step with an
// intent and no result has an unknown outcome: the host never repeats it, and the agent is instructed to check
// before it does.
func (r *Run) restoreRun(ctx context.Context) *Stop {
	messages, err := r.cfg.Store.History.Conversation(ctx, r.goal.ID)
	if err != nil {
		return r.pauser.stopForError(ctx, "reading the conversation", err)
	}
	r.messages.restore(messages)
	for _, m := range messages {
		r.dispatcher.offer.NoteCalls(m.Calls)
	}
	if len(messages) == 0 {
		r.budget.warned.restore(nil)
		return runSteps(ctx, r.recheckPreflight, func(ctx context.Context) *Stop {
			return r.messages.addMessage(ctx, r.firstMessage(ctx))
		})
	}
	past, err := r.cfg.Store.History.RunHistory(ctx, r.goal.ID, maxRecent)
	if err != nil {
		return r.pauser.stopForError(ctx, "reading the earlier runs", err)
	}
	r.messages.Calibrate(past.TokensIn, r.bytesBesides(r.systemPrompt()))
	r.plan.todos, r.plan.notes, r.recent.steps = past.Todos, past.Notes, past.Steps
	r.budget.warned.restore(past.Warned)
	r.verification.claims.restore(past, len(r.goal.Criterion.Checks))
	r.critic.restore(past, messages)
	r.restoreLoopState(past.Memory)
	r.secrets.restoreExposed(ctx, r.dispatcher.tools, past.Filled)
	r.restoreReminders(messages)
	resumeCheck := func(ctx context.Context) *Stop { return r.resumeManualCheck(ctx, past.Last) }
	return runSteps(ctx, r.inDoubtNotice, r.answerPendingCalls, r.addResumeMessage, resumeCheck)
}

// addResumeMessage tells the agent about the pause. The result of a wait says it itself.
func (r *Run) addResumeMessage(ctx context.Context) *Stop {
	if r.goal.Exit != goal.WaitingForCondition {
		return r.messages.addResumeMessage(ctx)
	}
	text := strings.Join(r.messages.Deferred(), "\n")
	if text == "" {
		return nil
	}
	return r.messages.addUserMessage(ctx, text)
}

// missingResult returns the result and the outcome of a call whose run ended before it had one.
func (r *Run) missingResult(tool string) (string, event.Outcome) {
	if _, waits := r.dispatcher.tools[tool].(Waiter); waits {
		return "the wait ended before its condition was met, because the goal was paused or resumed. Programs that you had " +
			"started may be gone. Look how it is now, and wait again if you still need to.", event.Failed
	}
	return fmt.Sprintf("the program ended before %s answered: its outcome is unknown. Look before you repeat it.", tool),
		event.OutcomeUnknown
}

// answerPendingCalls adds a result to every call of the last turn that has none.
func (r *Run) answerPendingCalls(ctx context.Context) *Stop {
	for _, c := range r.messages.pendingCalls() {
		text, _ := r.missingResult(c.Tool)
		if stop := r.journal.append(ctx, r.messages.addResult(c, text)); stop != nil {
			return stop
		}
	}
	return nil
}

// recheckPreflight stops a goal that waited for its first turn if its checks now give other results than when it
// was created. A goal that the user resumes continues.
func (r *Run) recheckPreflight(ctx context.Context) *Stop {
	f, ok := r.session.(Preflighter)
	if !ok || r.goal.Exit != "" {
		return nil
	}
	if r.integrity.checkIntegrity(ctx) != nil { // the first iteration reports this, in more detail
		return stopCause(ctx)
	}
	why, err := f.RecheckPreflight(ctx, r.goal)
	if err != nil {
		return r.pauser.stopForError(ctx, "running the checks before the first turn", err)
	}
	if stop := stopCause(ctx); stop != nil { // an interrupted check says nothing
		return stop
	}
	if why != "" {
		return &Stop{Exit: goal.NeedsUser, Reason: why}
	}
	return nil
}

// resumeManualCheck applies the user's decision about a claim that waited for it.
func (r *Run) resumeManualCheck(ctx context.Context, last goal.ClaimRecord) *Stop {
	orders, err := r.orders.store.List(ctx, r.goal.ID, goal.OrderAccept, goal.OrderReject)
	if err != nil {
		return r.pauser.stopForError(ctx, "reading the user's answer", err)
	}
	if len(orders) > 0 && last.N > 0 { // the order stays until the claim is decided, so an interrupted run loses nothing
		o := orders[len(orders)-1]
		yes := o.Kind == goal.OrderAccept
		if rv := last.Review; rv != nil { // of the same work, and already paid for
			r.verification.claims.review = &goal.Review{
				Confirmed: rv.Confirmed, Reason: rv.Reason, Reply: rv.Reply, Error: rv.Error,
			}
		}
		r.requests.claim = &pendingClaim{
			rationale: last.Rationale,
			result:    last.Result,
			by:        "user",
			accepted:  &yes,
			note:      o.Text,
			unjudged:  last.Unjudged(),
		}
		return nil
	}
	if r.goal.Exit == goal.NeedsUser && last.IsJudgeFailed() && r.lastTurnClaimed() {
		return r.askJudgeAgain(ctx, last)
	}
	if r.wasVerificationInterrupted() {
		return r.messages.addUserMessage(ctx, "Your last claim was not decided before the pause, and counts for nothing: "+
			"look whether it is still right, and claim again.")
	}
	return nil
}

// askJudgeAgain decides the last claim again, which no judge decided, unless the user added a note for the agent.
func (r *Run) askJudgeAgain(ctx context.Context, last goal.ClaimRecord) *Stop {
	notes, err := r.orders.store.List(ctx, r.goal.ID, goal.OrderSteer)
	if err != nil {
		return r.pauser.stopForError(ctx, "reading the user's notes", err)
	}
	if len(notes) > 0 {
		return r.messages.addUserMessage(ctx, "Your last claim was not decided, because no judge gave an answer that could "+
			"be read. That was not your fault. Claim again when you have done what the user wants.")
	}
	r.requests.claim = &pendingClaim{rationale: last.Rationale, result: last.Result}
	return nil
}

// restoreReminders restores which reminders were given, and the open step.
func (r *Run) restoreReminders(messages []goal.Message) {
	results := map[string]bool{}
	for _, m := range messages {
		switch {
		case m.Role == goal.ToolRole:
			results[m.CallID] = strings.HasPrefix(m.Text, `{"ok":true`)
		case m.Role == goal.User && strings.HasPrefix(m.Text, reviewWorkPrefix):
			r.verification.claims.lookReminded = true
		}
	}
	r.plan.restoreStep(messages, results)
}

// wasVerificationInterrupted reports whether the previous run stopped during a verification.
func (r *Run) wasVerificationInterrupted() bool {
	return r.goal.Exit.Interrupted() && r.lastTurnClaimed() // otherwise it was decided, or waits for the user
}

// lastTurnClaimed reports whether the agent's last turn has a claim that was not answered.
func (r *Run) lastTurnClaimed() bool {
	for _, m := range slices.Backward(r.messages.Messages()) {
		switch {
		case m.Role == goal.User && (strings.HasPrefix(m.Text, conversation.FailurePrefix) ||
			strings.HasPrefix(m.Text, reviewWorkPrefix)):
			return false // it was answered
		case m.Role == goal.Assistant:
			return slices.ContainsFunc(m.Calls, func(c goal.Call) bool { return c.Tool == "claim_complete" })
		}
	}
	return false
}

func (r *Run) inDoubtNotice(ctx context.Context) *Stop {
	steps, err := r.cfg.Store.History.IntentsWithoutResult(ctx, r.goal.ID)
	if err != nil {
		return r.pauser.stopForError(ctx, "reading the steps", err)
	}
	for _, open := range steps {
		text, outcome := r.missingResult(open.Tool)
		if stop := r.journal.append(ctx, &event.Step{
			StepID:  open.StepID,
			Tool:    open.Tool,
			Outcome: outcome,
			Preview: text,
			Result:  text,
		}); stop != nil {
			return stop
		}
	}
	return nil
}
