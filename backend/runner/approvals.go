package runner

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/runner/digest"
	"goalpost/backend/runner/excerpt"
)

// approvalRequests asks the user.
type approvalRequests struct {
	run *Run

	approvalLog ApprovalLog
	approvals   approvalState
}

// Previewer is a Tool that can show a user more than a call's arguments: a diff,
// what a form would send. It changes nothing.
type Previewer interface {
	Show(ctx context.Context, c goal.Call) string
}

// approvalState are what the user of one goal was asked and has allowed. They
// belong to the goroutine of the loop, what is allowed excepted: that may be taken
// back at any time.
type approvalState struct {
	count           int             // so far, over all runs
	pending         []goal.Approval // without an answer, oldest first
	grants          activeGrants
	unanswered      string   // an approval that nobody answered; the run pauses for it
	deniedHosts     []string // hosts that programs were refused by the user, in this run
	noticesForAgent []string // for the agent, after this turn's calls
}

// requestApproval asks the user. Without an answer the call waits: the run pauses, or
// was stopped.
func (q *approvalRequests) requestApproval(ctx context.Context, a goal.Approval) (*goal.Answer, *Stop) {
	a, stop := q.openApproval(ctx, a)
	if stop != nil {
		return nil, stop
	}
	return q.awaitAnswer(ctx, a)
}

func (q *approvalRequests) evaluatePolicy(c policy.Call) policy.Decision {
	return q.run.cfg.Law.Decide(c, q.run.goal.Policy, q.approvals.grants.list())
}

// openApproval journals what is asked. The same call that waits already is not asked
// a second time.
func (q *approvalRequests) openApproval(ctx context.Context, a goal.Approval) (goal.Approval, *Stop) {
	for _, open := range q.approvals.pending {
		if open.Tool == a.Tool && digest.CallKey(goal.Call{Tool: a.Tool, Arguments: open.Arguments}) == digest.CallKey(goal.Call{Tool: a.Tool, Arguments: a.Arguments}) &&
			open.Effect.Equal(withoutCommandLine(a.Effect)) {
			return open, nil
		}
	}
	if a.Effect.Pane == "" { // otherwise nothing is opened
		a.Why += q.run.secrets.exposedSecrets.warning(a.Effect.Hosts)
	}
	q.approvals.count++
	a.ID = fmt.Sprintf("a%d", q.approvals.count)
	if stop := q.run.journal_.journal(ctx, &event.ApprovalRequested{Approval: a}); stop != nil {
		return a, stop
	}
	a.Effect = withoutCommandLine(a.Effect)
	q.approvals.pending = append(q.approvals.pending, a)
	return a, nil
}

// withoutCommandLine leaves out what an approval does not keep: the line is in its arguments.
func withoutCommandLine(e policy.Effect) policy.Effect {
	e.CommandLine, e.Commands = "", nil
	return e
}

// awaitAnswer waits for the answer to an approval as long as somebody is there. Then
// the goal's on_ask decides; nil means that the goal pauses, or was stopped.
func (q *approvalRequests) awaitAnswer(ctx context.Context, a goal.Approval) (*goal.Answer, *Stop) {
	answers, stop := q.awaitAnswers(ctx, []goal.Approval{a})
	return answers[a.ID], stop
}

// awaitAnswers is await for several that are asked at once. Waiting for a user does
// not count against the wall clock.
func (q *approvalRequests) awaitAnswers(ctx context.Context, asked []goal.Approval) (map[string]*goal.Answer, *Stop) {
	q.run.budget.idle.begin(q.run.cfg.Clock.Now())
	defer func() { q.run.budget.idle.end(q.run.cfg.Clock.Now()) }()
	from := q.run.cfg.Clock.Now()
	answered := map[string]*goal.Answer{}
	for {
		answers, stop := q.applyAnswers(ctx)
		maps.Copy(answered, answers)
		asked = slices.DeleteFunc(asked, func(a goal.Approval) bool { return answered[a.ID] != nil })
		if len(asked) == 0 || stop != nil {
			return answered, stop
		}
		left := q.approvalTimeout() - q.run.cfg.Clock.Now().Sub(from)
		if left <= 0 {
			return q.onAllUnanswered(ctx, asked, answered)
		}
		select {
		case <-ctx.Done():
			return answered, nil
		case <-q.run.pause:
			return answered, nil
		case <-q.run.intake.ordersPolled:
		case <-q.run.cfg.Clock.After(left):
		}
	}
}

// approvalTimeout is how long an approval waits for a user; 0 where nobody is there.
func (q *approvalRequests) approvalTimeout() time.Duration {
	if q.run.cfg.Patience == nil {
		return 0
	}
	return q.run.cfg.Patience()
}

// onUnanswered answered: the goal's options say what then.
func (q *approvalRequests) onUnanswered(ctx context.Context, a goal.Approval) (*goal.Answer, *Stop) {
	least, offered := a.FindOffer(policy.ScopeOnce)
	if !offered { // its call is over, so an approval can only hold for the goal
		least, offered = a.FindOffer("goal")
	}
	switch {
	case q.run.goal.Options.OnAsk == goal.OnAskDeny:
		return q.resolveApproval(ctx, a, goal.Answer{By: "policy", Why: "nobody was there to allow it, and this goal refuses then"})
	case q.run.goal.Options.OnAsk == goal.OnAskAllow && !a.Always && offered:
		return q.resolveApproval(ctx, a, goal.Answer{Allowed: true, Grant: least, By: "policy", Why: "nobody was there, and this goal continues then"})
	}
	q.approvals.unanswered = a.ID
	return nil, nil
}

// onAllUnanswered is nobody for each, until the goal pauses.
func (q *approvalRequests) onAllUnanswered(ctx context.Context, asked []goal.Approval, answered map[string]*goal.Answer) (map[string]*goal.Answer, *Stop) {
	for _, a := range asked {
		answer, stop := q.onUnanswered(ctx, a)
		if answer == nil || stop != nil {
			return answered, stop
		}
		answered[a.ID] = answer
	}
	return answered, nil
}

// approvalsAnswered says whether a goal that has just paused for its user continues at once: they
// approvalsAnswered all that is open while its run, which had given up waiting, came to its end.
// Who answers later lets it continue themselves.
func (r *Runner) approvalsAnswered(ctx context.Context, g goal.Goal, open []goal.Approval) ([]event.Body, bool) {
	orders, err := r.cfg.Journal.Orders(ctx, g.ID, goal.OrderApprove, goal.OrderDeny)
	if err != nil && ctx.Err() == nil {
		r.cfg.Log.Warn("answers", "goal", g.ID, "error", err)
	}
	for _, a := range open {
		if !slices.ContainsFunc(orders, func(o goal.Order) bool { return o.Request == a.ID }) {
			return nil, false
		}
	}
	return []event.Body{&event.Resumed{Note: "the user answered as it paused"}}, true
}

// pauseForApproval pauses the run: it continues when the user has answered.
func (q *approvalRequests) pauseForApproval() *Stop {
	for _, a := range q.approvals.pending {
		if a.ID == q.approvals.unanswered {
			return &Stop{Exit: goal.NeedsUser, Reason: fmt.Sprintf("%s waits for an approval (%s): %s", a.Tool, a.ID, a.Why)}
		}
	}
	return &Stop{Exit: goal.NeedsUser, Reason: "an approval was not answered"}
}

// applyAnswers takes what the user has answered and taken back, from any
// process. What answers no open approval is left out.
func (q *approvalRequests) applyAnswers(ctx context.Context) (map[string]*goal.Answer, *Stop) {
	q.approvals.grants.taking.Lock()
	defer q.approvals.grants.taking.Unlock()
	orders, err := q.run.intake.orders.Orders(ctx, q.run.goal.ID, goal.OrderApprove, goal.OrderDeny, goal.OrderRevoke)
	if err != nil {
		if ctx.Err() == nil {
			q.run.cfg.Log.Warn("answers", "goal", q.run.goal.ID, "error", err)
		}
		return nil, nil
	}
	answers := map[string]*goal.Answer{}
	for _, o := range orders {
		if o.Kind == goal.OrderRevoke {
			if stop := q.run.intake.revoke(ctx, o); stop != nil {
				return answers, stop
			}
			continue
		}
		i := slices.IndexFunc(q.approvals.pending, func(a goal.Approval) bool { return a.ID == o.Request })
		if i < 0 { // answered already
			q.run.intake.settleOrder(ctx, o)
			continue
		}
		answer := goal.Answer{Why: o.Text, By: "person"}
		if o.Kind == goal.OrderApprove {
			if answer.Grant, answer.Allowed = q.approvals.pending[i].FindOffer(o.Scope); !answer.Allowed {
				q.run.cfg.Log.Warn("an answer of a scope that was not offered", "goal", q.run.goal.ID, "request", o.Request, "scope", o.Scope)
				q.run.intake.settleOrder(ctx, o)
				continue
			}
		}
		given, stop := q.resolveApproval(ctx, q.approvals.pending[i], answer)
		if stop != nil {
			return answers, stop
		}
		answers[o.Request] = given
	}
	return answers, nil
}

// resolveApproval journals an answer and keeps what it allows.
func (q *approvalRequests) resolveApproval(ctx context.Context, a goal.Approval, answer goal.Answer) (*goal.Answer, *Stop) {
	q.approvals.grants.mu.Lock() // who sees it in the journal may take it back at once
	defer q.approvals.grants.mu.Unlock()
	if stop := q.run.journal_.journal(ctx, &event.ApprovalResolved{Request: a.ID, Answer: answer}); stop != nil {
		return nil, stop
	}
	q.approvals.pending = slices.DeleteFunc(q.approvals.pending, func(o goal.Approval) bool { return o.ID == a.ID })
	if answer.Allowed {
		q.approvals.grants.grants = append(q.approvals.grants.grants, answer.Grant)
		q.run.granted.syncBlockedHosts()
	}
	return &answer, nil
}

// restoreApprovals brings back what earlier runs asked, and takes the answers that came
// during the pause. The agent is told: a call that waited was not executed, and
// the host never executes it by itself, since the world may have changed.
func (q *approvalRequests) restoreApprovals(ctx context.Context) *Stop {
	list, err := q.approvalLog.Approvals(ctx, q.run.goal.ID)
	if err != nil {
		return q.run.stopForError(ctx, "reading the approvals", err)
	}
	grants, err := q.approvalLog.Grants(ctx, q.run.goal.ID)
	if err != nil {
		return q.run.stopForError(ctx, "reading what the user allowed", err)
	}
	unheard, err := q.approvalLog.UnreportedApprovals(ctx, q.run.goal.ID)
	if err != nil {
		return q.run.stopForError(ctx, "reading what the user answered", err)
	}
	q.approvals.grants.mu.Lock()
	q.approvals.grants.grants = grants
	q.approvals.grants.mu.Unlock()
	q.approvals.count = len(list)
	for _, a := range list {
		if a.Answer == nil {
			q.approvals.pending = append(q.approvals.pending, a)
		}
	}
	waited := slices.Clone(q.approvals.pending)
	answers, stop := q.applyAnswers(ctx)
	if stop != nil {
		return stop
	}
	for _, a := range waited {
		if a.Answer = answers[a.ID]; a.Answer != nil {
			unheard = append(unheard, a)
		}
	}
	q.reportAnswers(unheard)
	q.approvals.grants.mu.Lock()
	defer q.approvals.grants.mu.Unlock()
	q.run.granted.syncBlockedHosts()
	return nil
}

// reportAnswers says in the run's first message what became of calls that waited.
func (q *approvalRequests) reportAnswers(settled []goal.Approval) {
	var closed []string
	for _, a := range settled {
		if a.Answer.By == goal.AnsweredByGoalEnd {
			closed = append(closed, a.Tool+" "+excerpt.Truncate(a.Arguments, 100))
		} else {
			q.run.messages.conversation.AddDeferred(describeAnswer(a, *a.Answer))
		}
	}
	if len(closed) > 0 {
		q.run.messages.conversation.AddDeferred("Nobody answered this before the goal ended, and it was not executed: " + strings.Join(closed, "; ") + ". Call what is still needed again: the user is asked again.")
	}
}

func describeAnswer(a goal.Approval, answer goal.Answer) string {
	call := a.Tool + " " + excerpt.Truncate(a.Arguments, 300)
	if _, once := a.FindOffer(policy.ScopeOnce); answer.Allowed && !once { // it ran, and was stopped at the border
		return fmt.Sprintf("The user allowed (%s), which stopped this call: %s. Repeat it if it is still wanted.", answer.Grant.Describe(), call)
	}
	if answer.Allowed {
		return fmt.Sprintf("The user allowed (%s): %s. It was not executed; look whether it is still right, and then call it again.", answer.Grant.Describe(), call)
	}
	return fmt.Sprintf("The user refused: %s.%s Find another way.", call, reasonSuffix(answer.Why))
}

func reasonSuffix(why string) string {
	if why == "" {
		return ""
	}
	return " The reason: " + strings.TrimSuffix(why, ".") + "."
}

// flushNotes says after the calls of a turn what came of asking.
func (q *approvalRequests) flushNotes(ctx context.Context) *Stop {
	if len(q.approvals.noticesForAgent) == 0 {
		return nil
	}
	text := strings.Join(q.approvals.noticesForAgent, "\n")
	q.approvals.noticesForAgent = nil
	return q.run.messages.addUserMessage(ctx, text)
}
