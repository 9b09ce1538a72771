package runner

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"goalpost/backend/core/runner/digest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// Previewer is a Tool that can show a user more than a call's arguments, such as a diff or what a form would send.
// It changes nothing.
type Previewer interface {
	Show(ctx context.Context, c goal.Call) string
}

// approvals holds the questions to the user about calls, with their answers. It belongs to the goroutine of the
// loop; its grants are also safe for the goroutine that watches the orders.
type approvals struct {
	goal     *goal.Goal
	rules    policy.RuleSet
	timeout  func(context.Context) time.Duration // how long an approval waits for a user; nil if no user is ever present
	clock    Clock
	log      *slog.Logger
	journal  *journalWriter
	messages *messageLog
	pauser   *pauser
	idle     *userWaitTimer
	orders   *orderIntake
	grants   *activeGrants
	history  ApprovalLog
	exposed  exposedSecrets
	blocked  BlockedHosts // nil if the session blocks no hosts

	count       int            // of all runs so far
	pending     []openApproval // without an answer, oldest first
	unanswered  string         // the id of an approval that nobody answered; the run pauses for it
	deniedHosts []string       // hosts that the user denied to programs in this run
	notices     []string       // for the agent, after this turn's calls
}

// openApproval is an approval without an answer.
type openApproval struct {
	goal.Approval

	key      string    // the digest.CallKey of its call
	deadline time.Time // from then on, the goal's rule for when nobody answers applies
}

// isAboutHost reports whether the request is about a host that a program contacted. Its call has ended, so that an
// answer never applies to one call.
func isAboutHost(a goal.Approval) bool {
	_, offered := a.FindOffer(policy.ScopeOnce)
	return !offered
}

// requestAnswer asks the user about a call and waits for the answer. Without an answer, the call waits: the run
// pauses or was stopped.
func (ap *approvals) requestAnswer(ctx context.Context, key string, a goal.Approval) (*goal.Answer, *Stop) {
	a, stop := ap.openRequest(ctx, key, a)
	if stop != nil {
		return nil, stop
	}
	answers, stop := ap.awaitAnswers(ctx, []goal.Approval{a})
	return answers[a.ID], stop
}

// openRequest journals the request. A call that already waits for an answer is not asked about again.
func (ap *approvals) openRequest(ctx context.Context, key string, a goal.Approval) (goal.Approval, *Stop) {
	for _, open := range ap.pending {
		if open.Tool == a.Tool && open.key == key && open.Effect.Equal(withoutCommandLine(a.Effect)) {
			return open.Approval, nil
		}
	}
	if a.Effect.Pane == "" { // otherwise nothing is opened
		a.Why += ap.exposed.warning(a.Effect.Hosts)
	}
	ap.count++
	a.ID = fmt.Sprintf("a%d", ap.count)
	if stop := ap.journal.append(ctx, &event.ApprovalRequested{Approval: a}); stop != nil {
		return a, stop
	}
	a.Effect = withoutCommandLine(a.Effect)
	ap.addPending(ctx, a, key)
	return a, nil
}

func (ap *approvals) addPending(ctx context.Context, a goal.Approval, key string) {
	ap.pending = append(ap.pending, openApproval{a, key, ap.clock.Now().Add(ap.approvalTimeout(ctx))})
}

// pendingApprovals returns what the user has not answered, oldest first.
func (ap *approvals) pendingApprovals() []goal.Approval {
	list := make([]goal.Approval, 0, len(ap.pending))
	for _, a := range ap.pending {
		list = append(list, a.Approval)
	}
	return list
}

func (ap *approvals) evaluatePolicy(c policy.Call) policy.Decision {
	return ap.rules.Decide(c, ap.goal.Policy, ap.grants.list())
}

// withoutCommandLine removes the command line, which the arguments of an approval contain.
func withoutCommandLine(e policy.Effect) policy.Effect {
	e.CommandLine, e.Commands = "", nil
	return e
}

// awaitAnswers waits for the answers to several requests at once. Waiting for a user does not count against the wall
// clock.
func (ap *approvals) awaitAnswers(ctx context.Context, requests []goal.Approval) (map[string]*goal.Answer, *Stop) {
	ap.idle.begin(ap.clock.Now())
	defer func() { ap.idle.end(ap.clock.Now()) }()
	from := ap.clock.Now()
	results := map[string]*goal.Answer{}
	for {
		answered, stop := ap.applyAnswers(ctx)
		for _, a := range answered {
			if slices.ContainsFunc(requests, func(r goal.Approval) bool { return r.ID == a.ID }) {
				results[a.ID] = a.Answer
			} else {
				ap.noteAnswer(a)
			}
		}
		requests = slices.DeleteFunc(requests, func(a goal.Approval) bool { return results[a.ID] != nil })
		if len(requests) == 0 || stop != nil {
			return results, stop
		}
		timeLeft := ap.approvalTimeout(ctx) - ap.clock.Now().Sub(from)
		if timeLeft <= 0 {
			return ap.onAllUnanswered(ctx, requests, results)
		}
		select {
		case <-ctx.Done():
			return results, nil
		case <-ap.pauser.requested():
			return results, nil
		case <-ap.orders.read:
		case <-ap.clock.After(timeLeft):
		}
	}
}

// approvalTimeout returns how long an approval waits for a user; 0 if no user is present.
func (ap *approvals) approvalTimeout(ctx context.Context) time.Duration {
	if ap.timeout == nil {
		return 0
	}
	return ap.timeout(ctx)
}

// answerByRule answers a request according to the goal's options for when nobody does. A nil answer means that they
// leave it to the user.
func (ap *approvals) answerByRule(ctx context.Context, a goal.Approval) (*goal.Answer, *Stop) {
	least, offered := a.FindOffer(policy.ScopeOnce)
	if !offered { // its call has ended, so an approval can only apply to the goal
		least, offered = a.FindOffer("goal")
	}
	switch {
	case ap.goal.Options.OnAsk == goal.OnAskDeny:
		return ap.resolveApproval(ctx, a, goal.Answer{
			By:  "policy",
			Why: "nobody answered, and this goal denies such calls",
		})
	case ap.goal.Options.OnAsk == goal.OnAskAllow && !a.Always && offered:
		return ap.resolveApproval(ctx, a, goal.Answer{
			Allowed: true,
			Grant:   least,
			By:      "policy",
			Why:     "nobody answered, and this goal allows such calls",
		})
	}
	return nil, nil
}

// onAllUnanswered handles each request without an answer, until one pauses the goal.
func (ap *approvals) onAllUnanswered(
	ctx context.Context, requests []goal.Approval, results map[string]*goal.Answer,
) (map[string]*goal.Answer, *Stop) {
	for _, a := range requests {
		answer, stop := ap.answerByRule(ctx, a)
		if stop != nil {
			return results, stop
		}
		if answer == nil {
			ap.unanswered = a.ID
			return results, nil
		}
		results[a.ID] = answer
	}
	return results, nil
}

// approvalsAnswered reports whether a goal that has just paused for its user continues at once, because the user
// answered everything while the run was ending. A later answer resumes the goal itself.
func (r *Runner) approvalsAnswered(ctx context.Context, g goal.Goal, open []goal.Approval) ([]event.Body, bool) {
	orders, err := r.cfg.Store.Orders.List(ctx, g.ID, goal.OrderApprove, goal.OrderDeny)
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
func (ap *approvals) pauseForApproval() *Stop {
	for _, a := range ap.pending {
		if a.ID == ap.unanswered {
			return &Stop{Exit: goal.NeedsUser, Reason: "it waits for an approval: " + a.Why}
		}
	}
	return &Stop{Exit: goal.NeedsUser, Reason: "an approval was not answered"}
}

// applyAnswers applies the user's answers and revocations, from any process. It returns the answered requests. An
// answer to a request that is not open is ignored.
func (ap *approvals) applyAnswers(ctx context.Context) ([]goal.Approval, *Stop) {
	ap.grants.taking.Lock()
	defer ap.grants.taking.Unlock()
	orders, err := ap.orders.store.List(ctx, ap.goal.ID, goal.OrderApprove, goal.OrderDeny, goal.OrderRevoke)
	if err != nil {
		if ctx.Err() == nil {
			ap.log.Warn("answers", "goal", ap.goal.ID, "error", err)
		}
		return nil, nil
	}
	var answered []goal.Approval
	for _, o := range orders {
		if o.Kind == goal.OrderRevoke {
			if stop := ap.orders.revokeGrant(ctx, o); stop != nil {
				return answered, stop
			}
			continue
		}
		i := slices.IndexFunc(ap.pending, func(a openApproval) bool { return a.ID == o.Request })
		if i < 0 { // answered already
			ap.orders.settleOrder(ctx, o)
			continue
		}
		answer := goal.Answer{Why: o.Text, By: "user"}
		if o.Kind == goal.OrderApprove {
			if answer.Grant, answer.Allowed = ap.pending[i].FindOffer(o.Scope); !answer.Allowed {
				ap.log.Warn("answer with a scope that was not offered", "goal", ap.goal.ID, "request", o.Request, "scope", o.Scope)
				ap.orders.settleOrder(ctx, o)
				continue
			}
		}
		a := ap.pending[i].Approval
		var stop *Stop
		if a.Answer, stop = ap.resolveApproval(ctx, a, answer); stop != nil {
			return answered, stop
		}
		answered = append(answered, a)
	}
	return answered, nil
}

// noteAnswer records, for the agent, an answer for which no call waits.
func (ap *approvals) noteAnswer(a goal.Approval) {
	if isAboutHost(a) {
		ap.noteBlockedHost(a, a.Answer)
	} else {
		ap.notices = append(ap.notices, describeAnswer(a, *a.Answer))
	}
}

// takeAnswers applies the answers that came while the agent worked.
func (ap *approvals) takeAnswers(ctx context.Context) *Stop {
	answered, stop := ap.applyAnswers(ctx)
	for _, a := range answered {
		ap.noteAnswer(a)
	}
	return stop
}

// resolveApproval journals an answer and stores the grant.
func (ap *approvals) resolveApproval(ctx context.Context, a goal.Approval, answer goal.Answer) (*goal.Answer, *Stop) {
	if stop := ap.grants.recordAnswer(ctx, a.ID, answer); stop != nil {
		return nil, stop
	}
	ap.pending = slices.DeleteFunc(ap.pending, func(o openApproval) bool { return o.ID == a.ID })
	return &answer, nil
}

// restoreApprovals restores the requests of earlier runs and applies the answers that came during the pause. It
// tells the agent which waiting calls were not executed. The host never executes them later, because files and
// pages may have changed.
func (ap *approvals) restoreApprovals(ctx context.Context) *Stop {
	if stop := ap.restoreRequests(ctx); stop != nil {
		return stop
	}
	unreported, err := ap.history.UnreportedApprovals(ctx, ap.goal.ID)
	if err != nil {
		return ap.pauser.stopForError(ctx, "reading the user's answers", err)
	}
	answered, stop := ap.applyAnswers(ctx)
	if stop != nil {
		return stop
	}
	ap.reportAnswers(append(unreported, answered...))
	ap.grants.apply()
	return nil
}

// restoreRequests restores the requests and the grants of earlier runs.
func (ap *approvals) restoreRequests(ctx context.Context) *Stop {
	list, err := ap.history.List(ctx, ap.goal.ID)
	if err != nil {
		return ap.pauser.stopForError(ctx, "reading the approval requests", err)
	}
	grants, err := ap.history.Grants(ctx, ap.goal.ID)
	if err != nil {
		return ap.pauser.stopForError(ctx, "reading the grants", err)
	}
	ap.grants.restore(grants)
	ap.count = len(list)
	for _, a := range list {
		if a.Answer == nil {
			ap.addPending(ctx, a, digest.CallKey(goal.Call{Tool: a.Tool, Arguments: a.Arguments}))
		}
	}
	return nil
}

// reportAnswers tells the agent in the run's first message what happened to calls that waited.
func (ap *approvals) reportAnswers(settled []goal.Approval) {
	var closed []string
	for _, a := range settled {
		if a.Answer.By == goal.AnsweredByGoalEnd {
			closed = append(closed, a.Tool+" "+text.Truncate(a.Arguments, 100))
		} else {
			ap.messages.AddDeferred(describeAnswer(a, *a.Answer))
		}
	}
	if len(closed) > 0 {
		ap.messages.AddDeferred("Nobody answered this before the goal ended, and it was not executed: " +
			strings.Join(closed, "; ") + ". Call what is still needed again: the user is asked again.")
	}
}

func describeAnswer(a goal.Approval, answer goal.Answer) string {
	call := a.Tool + " " + text.Truncate(a.Arguments, 300)
	if answer.Allowed && isAboutHost(a) { // it ran, and its connection was blocked
		return fmt.Sprintf("The user allowed (%s), which stopped this call: %s. Repeat it if it is still wanted.",
			answer.Grant.Describe(), call)
	}
	if answer.Allowed {
		return fmt.Sprintf(
			"The user allowed (%s): %s. It was not executed; look whether it is still right, and then call it again.",
			answer.Grant.Describe(), call)
	}
	return fmt.Sprintf("The user refused: %s.%s Find another way.", call, reasonSuffix(answer.Why))
}

func reasonSuffix(why string) string {
	if why == "" {
		return ""
	}
	return " The reason: " + strings.TrimSuffix(why, ".") + "."
}

// sendNotices tells the agent the results of approvals after the calls of a turn.
func (ap *approvals) sendNotices(ctx context.Context) *Stop {
	if len(ap.notices) == 0 {
		return nil
	}
	text := strings.Join(ap.notices, "\n")
	ap.notices = nil
	return ap.messages.addUserMessage(ctx, text)
}
