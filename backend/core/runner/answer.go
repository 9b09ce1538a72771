package runner

import (
	"context"
	"fmt"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// Answer is what a chat needs of a run: its turns and its calls, without a criterion, a plan, claims and a critic. It
// ends with the first turn that calls no tool.
type Answer struct {
	// Goal has the policy, the model and the options that apply.
	Goal     goal.Goal
	Session  Session
	System   string
	Messages []goal.Message // the conversation; the last one is the user's message to answer
	Rounds   int            // turns with tools before the model must answer
	Events   EventLog
	Evidence EvidenceReader
	Publish  func(event.Event) // for streaming text
	Grants   []policy.Grant    // what the user allowed before
	Asks     *Asks             // nil if nobody answers approvals: what needs one is then refused
}

// Asks says how the user answers the approvals of an Answer.
type Asks struct {
	Orders  Orders
	Changed chan struct{} // receives after an order was added; its buffer has room for one
	Timeout time.Duration // how long an approval waits before Goal.Options.OnAsk applies
}

// AnswerUser lets the model answer. It returns why the answer ended: done; limit_reached, if it used tools as often as
// it may; or what ended the turn of a run. The cause of a cancelled ctx is a *Stop.
func AnswerUser(ctx context.Context, c Config, a Answer) *Stop {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.Publish, c.ApprovalTimeout = a.Publish, nil
	c.Store = Store{
		Events:    a.Events,
		Orders:    noOrders{},
		History:   answerHistory{messages: a.Messages},
		Evidence:  a.Evidence,
		Approvals: noApprovals{},
	}
	if a.Asks != nil {
		c.Store.Orders = a.Asks.Orders
		c.ApprovalTimeout = func(context.Context) time.Duration { return a.Asks.Timeout }
	}
	r := newRun(c, a.Goal, goal.Run{Goal: a.Goal.ID}, &active{cancel: cancel, pauser: newPauser()})
	if a.Asks != nil {
		r.orders.read = a.Asks.Changed
	}
	r.rules = a.System
	ctx = goal.WithRun(ctx, r.id)
	r.attachSession(a.Session)
	r.approvals.grants.restore(a.Grants)
	r.approvals.grants.apply()
	r.dispatcher.offer.OfferAll()
	r.messages.restore(a.Messages)
	return r.answer(ctx, a.Rounds)
}

// answer asks the model until it calls no tool. What it says is journaled before the function returns.
func (r *Run) answer(ctx context.Context, rounds int) (stop *Stop) {
	defer func() { stop = firstStop(r.journal.append(ctx), stop) }()
	for round := 0; ; round++ {
		if stop := runSteps(ctx, r.budget.enforceLimits, r.startIteration); stop != nil {
			return stop
		}
		reply, stop := r.askModelOnce(ctx)
		switch {
		case stop != nil:
			return stop
		case reply == nil:
			return firstStop(stopCause(ctx), &Stop{Exit: goal.Interrupted, Reason: goal.ErrPaused.Error()})
		case len(reply.Calls) > 0 && round > rounds:
			return firstStop(r.messages.skipCalls(ctx, reply.Calls, "no round of tools is left"), outOfRounds(rounds))
		case len(reply.Calls) > 0:
			r.turns.silent = 0
			if stop := r.dispatcher.dispatchTurn(ctx, reply.Calls); stop != nil {
				return stop
			}
		case r.turns.mistake != "":
			if stop := r.repeatAnswer(ctx); stop != nil {
				return stop
			}
		case round > rounds:
			return outOfRounds(rounds)
		default:
			return &Stop{Exit: goal.Done}
		}
		if round == rounds {
			if stop := r.messages.addUserMessage(ctx, lastRoundText); stop != nil {
				return stop
			}
		}
	}
}

// lastRoundText asks for an answer after the last round of tools.
const lastRoundText = "A word from the host: you have used tools as often as you may before the user writes again. " +
	"Answer now from what you know, without calling a tool, and say what is still open."

func outOfRounds(rounds int) *Stop {
	return &Stop{Exit: goal.LimitReached, Reason: "the answer used tools " + goal.FormatCount(rounds, "time")}
}

// repeatAnswer asks for a reply that can be used. Three that cannot are the end of the answer.
func (r *Run) repeatAnswer(ctx context.Context) *Stop {
	const maxMistakes = 3
	if r.turns.silent++; r.turns.silent >= maxMistakes {
		return &Stop{Exit: goal.Stuck, Reason: fmt.Sprintf("%d replies of the model in a row could not be used; the last "+
			"time %s", maxMistakes, r.turns.mistake)}
	}
	return r.messages.addUserMessage(ctx, "A word from the host: your last reply could not be used: "+r.turns.mistake+
		"\nAnswer again, or call one tool with a well-formed call.")
}

// noOrders are the orders of an answer that asks for nothing: its user stops it through its context.
type noOrders struct{}

func (noOrders) Take(context.Context, goal.ID, ...goal.OrderKind) ([]goal.Order, error) {
	return nil, nil
}

func (noOrders) List(context.Context, goal.ID, ...goal.OrderKind) ([]goal.Order, error) {
	return nil, nil
}
func (noOrders) Settle(context.Context, ...goal.Order) error { return nil }

// noApprovals are the stored approvals of an answer: those before it have ended with their answers.
type noApprovals struct{}

func (noApprovals) List(context.Context, goal.ID) ([]goal.Approval, error) { return nil, nil }
func (noApprovals) UnreportedApprovals(context.Context, goal.ID) ([]goal.Approval, error) {
	return nil, nil
}
func (noApprovals) Grants(context.Context, goal.ID) ([]policy.Grant, error) { return nil, nil }

// answerHistory is what a compaction must keep of a chat: the words of the user.
type answerHistory struct {
	History // nil: an answer has no earlier runs, and asks for nothing else

	messages []goal.Message
}

func (h answerHistory) Background(context.Context, goal.ID) (b goal.Background, err error) {
	for _, m := range h.messages {
		if m.Role == goal.User && m.Compaction == nil {
			b.Words = append(b.Words, goal.UserWord{Text: m.Text})
		}
	}
	return b, nil
}
