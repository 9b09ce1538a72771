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
)

// Shower is a Tool that can show a person more than a call's arguments: a diff,
// what a form would send. It changes nothing.
type Shower interface {
	Show(ctx context.Context, c goal.Call) string
}

// approvals are what the person of one goal was asked and has allowed. They
// belong to the goroutine of the loop, what is allowed excepted: that may be taken
// back at any time.
type approvals struct {
	made    int             // so far, over all runs
	open    []goal.Approval // without an answer, oldest first
	allowed permitted
	waiting string   // an approval that nobody answered; the run pauses for it
	refused []string // hosts that programs were refused by the person, in this run
	notes   []string // for the agent, after this turn's calls
}

// approve asks the person. Without an answer the call waits: the run pauses, or
// was stopped.
func (r *Run) approve(ctx context.Context, a goal.Approval) (*goal.Answer, *Stop) {
	a, stop := r.request(ctx, a)
	if stop != nil {
		return nil, stop
	}
	return r.await(ctx, a)
}

func (r *Run) decide(c policy.Call) policy.Decision {
	return r.cfg.Law.Decide(c, r.goal.Policy, r.approvals.allowed.list())
}

// request journals what is asked. The same call that waits already is not asked
// a second time.
func (r *Run) request(ctx context.Context, a goal.Approval) (goal.Approval, *Stop) {
	for _, open := range r.approvals.open {
		if open.Tool == a.Tool && callKey(goal.Call{Tool: a.Tool, Arguments: open.Arguments}) == callKey(goal.Call{Tool: a.Tool, Arguments: a.Arguments}) &&
			open.Effect.Equal(withoutLine(a.Effect)) {
			return open, nil
		}
	}
	if a.Effect.Pane == "" { // else nothing is opened
		a.Why += r.hands.beside(a.Effect.Hosts)
	}
	r.approvals.made++
	a.ID = fmt.Sprintf("a%d", r.approvals.made)
	if stop := r.append(ctx, &event.ApprovalRequested{Approval: a}); stop != nil {
		return a, stop
	}
	a.Effect = withoutLine(a.Effect)
	r.approvals.open = append(r.approvals.open, a)
	return a, nil
}

// withoutLine leaves out what an approval does not keep: the line is in its arguments.
func withoutLine(e policy.Effect) policy.Effect {
	e.CommandLine, e.Commands = "", nil
	return e
}

// await waits for the answer to an approval as long as somebody is there. Then
// the goal's on_ask decides; nil means that the goal pauses, or was stopped.
func (r *Run) await(ctx context.Context, a goal.Approval) (*goal.Answer, *Stop) {
	answers, stop := r.awaitAll(ctx, []goal.Approval{a})
	return answers[a.ID], stop
}

// awaitAll is await for several that are asked at once. Waiting for a person does
// not count against the wall clock.
func (r *Run) awaitAll(ctx context.Context, asked []goal.Approval) (map[string]*goal.Answer, *Stop) {
	r.idle.begin(r.cfg.Clock.Now())
	defer func() { r.idle.end(r.cfg.Clock.Now()) }()
	from := r.cfg.Clock.Now()
	answered := map[string]*goal.Answer{}
	for {
		answers, stop := r.takeAnswers(ctx)
		maps.Copy(answered, answers)
		asked = slices.DeleteFunc(asked, func(a goal.Approval) bool { return answered[a.ID] != nil })
		if len(asked) == 0 || stop != nil {
			return answered, stop
		}
		left := r.patience() - r.cfg.Clock.Now().Sub(from)
		if left <= 0 {
			return r.nobodyFor(ctx, asked, answered)
		}
		select {
		case <-ctx.Done():
			return answered, nil
		case <-r.pause:
			return answered, nil
		case <-r.stirred:
		case <-r.cfg.Clock.After(left):
		}
	}
}

// patience is how long an approval waits for a person; 0 where nobody is there.
func (r *Run) patience() time.Duration {
	if r.cfg.Patience == nil {
		return 0
	}
	return r.cfg.Patience()
}

// nobody answered: the goal's options say what then.
func (r *Run) nobody(ctx context.Context, a goal.Approval) (*goal.Answer, *Stop) {
	least, offered := a.FindOffer(policy.ScopeOnce)
	if !offered { // its call is over, so a yes can only hold for the goal
		least, offered = a.FindOffer("goal")
	}
	switch {
	case r.goal.Options.OnAsk == goal.OnAskDeny:
		return r.resolve(ctx, a, goal.Answer{By: "policy", Why: "nobody was there to allow it, and this goal refuses then"})
	case r.goal.Options.OnAsk == goal.OnAskAllow && !a.Always && offered:
		return r.resolve(ctx, a, goal.Answer{Allowed: true, Grant: least, By: "policy", Why: "nobody was there, and this goal goes on then"})
	}
	r.approvals.waiting = a.ID
	return nil, nil
}

// nobodyFor is nobody for each, until the goal pauses.
func (r *Run) nobodyFor(ctx context.Context, asked []goal.Approval, answered map[string]*goal.Answer) (map[string]*goal.Answer, *Stop) {
	for _, a := range asked {
		answer, stop := r.nobody(ctx, a)
		if answer == nil || stop != nil {
			return answered, stop
		}
		answered[a.ID] = answer
	}
	return answered, nil
}

// answered says whether a goal that has just paused for its person goes on at once: they
// answered all that is open while its run, which had given up waiting, came to its end.
// Who answers later lets it go on themselves.
func (r *Runner) answered(ctx context.Context, g goal.Goal, open []goal.Approval) ([]event.Body, bool) {
	orders, err := r.cfg.Journal.Orders(ctx, g.ID, goal.OrderApprove, goal.OrderDeny)
	if err != nil && ctx.Err() == nil {
		r.cfg.Log.Warn("answers", "goal", g.ID, "error", err)
	}
	for _, a := range open {
		if !slices.ContainsFunc(orders, func(o goal.Order) bool { return o.Request == a.ID }) {
			return nil, false
		}
	}
	return []event.Body{&event.Resumed{Note: "the person answered as it paused"}}, true
}

// unanswered pauses the run: it goes on when the person has answered.
func (r *Run) unanswered() *Stop {
	for _, a := range r.approvals.open {
		if a.ID == r.approvals.waiting {
			return &Stop{Exit: goal.NeedsUser, Reason: fmt.Sprintf("%s waits for an approval (%s): %s", a.Tool, a.ID, a.Why)}
		}
	}
	return &Stop{Exit: goal.NeedsUser, Reason: "an approval was not answered"}
}

// takeAnswers takes what the person has answered and taken back, from any
// process. What answers no open approval is left out.
func (r *Run) takeAnswers(ctx context.Context) (map[string]*goal.Answer, *Stop) {
	r.approvals.allowed.taking.Lock()
	defer r.approvals.allowed.taking.Unlock()
	orders, err := r.cfg.Journal.Orders(ctx, r.goal.ID, goal.OrderApprove, goal.OrderDeny, goal.OrderRevoke)
	if err != nil {
		if ctx.Err() == nil {
			r.cfg.Log.Warn("answers", "goal", r.goal.ID, "error", err)
		}
		return nil, nil
	}
	answers := map[string]*goal.Answer{}
	for _, o := range orders {
		if o.Kind == goal.OrderRevoke {
			if stop := r.revoke(ctx, o); stop != nil {
				return answers, stop
			}
			continue
		}
		i := slices.IndexFunc(r.approvals.open, func(a goal.Approval) bool { return a.ID == o.Request })
		if i < 0 { // answered already
			r.dropOrder(ctx, o)
			continue
		}
		answer := goal.Answer{Why: o.Text, By: "person"}
		if o.Kind == goal.OrderApprove {
			if answer.Grant, answer.Allowed = r.approvals.open[i].FindOffer(o.Scope); !answer.Allowed {
				r.cfg.Log.Warn("an answer of a scope that was not offered", "goal", r.goal.ID, "request", o.Request, "scope", o.Scope)
				r.dropOrder(ctx, o)
				continue
			}
		}
		given, stop := r.resolve(ctx, r.approvals.open[i], answer)
		if stop != nil {
			return answers, stop
		}
		answers[o.Request] = given
	}
	return answers, nil
}

// resolve journals an answer and keeps what it allows.
func (r *Run) resolve(ctx context.Context, a goal.Approval, answer goal.Answer) (*goal.Answer, *Stop) {
	r.approvals.allowed.mu.Lock() // who sees it in the journal may take it back at once
	defer r.approvals.allowed.mu.Unlock()
	if stop := r.append(ctx, &event.ApprovalResolved{Request: a.ID, Answer: answer}); stop != nil {
		return nil, stop
	}
	r.approvals.open = slices.DeleteFunc(r.approvals.open, func(o goal.Approval) bool { return o.ID == a.ID })
	if answer.Allowed {
		r.approvals.allowed.grants = append(r.approvals.allowed.grants, answer.Grant)
		r.tellBorder()
	}
	return &answer, nil
}

// recall brings back what earlier runs asked, and takes the answers that came
// during the pause. The agent is told: a call that waited was not executed, and
// the host never executes it by itself, since the world may have changed.
func (r *Run) recall(ctx context.Context) *Stop {
	list, err := r.cfg.Journal.Approvals(ctx, r.goal.ID)
	if err != nil {
		return r.fault(ctx, "reading the approvals", err)
	}
	grants, err := r.cfg.Journal.Grants(ctx, r.goal.ID)
	if err != nil {
		return r.fault(ctx, "reading what the person allowed", err)
	}
	unheard, err := r.cfg.Journal.Unheard(ctx, r.goal.ID)
	if err != nil {
		return r.fault(ctx, "reading what the person answered", err)
	}
	r.approvals.allowed.mu.Lock()
	r.approvals.allowed.grants = grants
	r.approvals.allowed.mu.Unlock()
	r.approvals.made = len(list)
	for _, a := range list {
		if a.Answer == nil {
			r.approvals.open = append(r.approvals.open, a)
		}
	}
	waited := slices.Clone(r.approvals.open)
	answers, stop := r.takeAnswers(ctx)
	if stop != nil {
		return stop
	}
	for _, a := range waited {
		if a.Answer = answers[a.ID]; a.Answer != nil {
			unheard = append(unheard, a)
		}
	}
	r.tellAnswers(unheard)
	r.approvals.allowed.mu.Lock()
	defer r.approvals.allowed.mu.Unlock()
	r.tellBorder()
	return nil
}

// tellAnswers says in the run's first message what became of calls that waited.
func (r *Run) tellAnswers(settled []goal.Approval) {
	var closed []string
	for _, a := range settled {
		if a.Answer.By == goal.AnsweredByGoalEnd {
			closed = append(closed, a.Tool+" "+clip(a.Arguments, 100))
		} else {
			r.conversation.later(answerWords(a, *a.Answer))
		}
	}
	if len(closed) > 0 {
		r.conversation.later("Nobody answered this before the goal ended, and it was not executed: " + strings.Join(closed, "; ") + ". Call what is still needed again: the person is asked anew.")
	}
}

func answerWords(a goal.Approval, answer goal.Answer) string {
	call := a.Tool + " " + clip(a.Arguments, 300)
	if _, once := a.FindOffer(policy.ScopeOnce); answer.Allowed && !once { // it ran, and was stopped at the border
		return fmt.Sprintf("The person allowed (%s), which stopped this call: %s. Repeat it if it is still wanted.", answer.Grant.Describe(), call)
	}
	if answer.Allowed {
		return fmt.Sprintf("The person allowed (%s): %s. It was not executed; look whether it is still right, and then call it again.", answer.Grant.Describe(), call)
	}
	return fmt.Sprintf("The person refused: %s.%s Find another way.", call, because(answer.Why))
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return " The reason: " + strings.TrimSuffix(why, ".") + "."
}

// tellNotes says after the calls of a turn what came of asking meanwhile.
func (r *Run) tellNotes(ctx context.Context) *Stop {
	if len(r.approvals.notes) == 0 {
		return nil
	}
	text := strings.Join(r.approvals.notes, "\n")
	r.approvals.notes = nil
	return r.say(ctx, text)
}
