package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// restore brings back what earlier runs left: conversation, plan, counters and
// the person's answer. A step with an intent and no result is in doubt: the host
// never repeats it, and the agent is told to look before it does.
func (r *Run) restore(ctx context.Context) *Stop {
	messages, err := r.cfg.Journal.Conversation(ctx, r.goal.ID)
	if err != nil {
		return r.fault(ctx, "reading the conversation", err)
	}
	r.conversation.add(messages...)
	for _, m := range messages {
		for _, c := range m.Calls {
			r.callIDs[c.ID] = true
		}
	}
	if len(messages) == 0 {
		r.warned.recall(nil)
		return r.inOrder(ctx, r.foresee, func(ctx context.Context) *Stop { return r.say(ctx, r.opening()) })
	}
	past, err := r.cfg.Journal.Past(ctx, r.goal.ID, r.mostRecent())
	if err != nil {
		return r.fault(ctx, "reading the runs before", err)
	}
	r.todos, r.recent = past.Todos, past.Steps
	r.warned.recall(past.Warned)
	r.claims.restore(past, len(r.goal.Criterion.Checks))
	r.critic.restore(past)
	r.recollect(past.Memory)
	r.regive(ctx, past.Filled)
	r.told(messages)
	continued := func(ctx context.Context) *Stop { return r.say(ctx, r.continued()) }
	answered := func(ctx context.Context) *Stop { return r.answered(ctx, past.Last) }
	return r.inOrder(ctx, r.doubt, r.answer, continued, answered)
}

// foresee stops a goal that has waited for its first turn, where its checks are not
// any more what they were when it was made. Whom the person resumes goes on.
func (r *Run) foresee(ctx context.Context) *Stop {
	f, ok := r.room.(Foreseer)
	if !ok || r.goal.Exit != "" {
		return nil
	}
	if r.intact(ctx) != nil { // the first iteration says that, and better
		return stopOf(ctx)
	}
	why, err := f.Foresee(ctx, r.goal)
	if err != nil {
		return r.fault(ctx, "trying the checks before the first turn", err)
	}
	if stop := stopOf(ctx); stop != nil { // what was cut says nothing about the checks
		return stop
	}
	if why != "" {
		return &Stop{Exit: goal.NeedsUser, Reason: why}
	}
	return nil
}

// continued is what the agent is told first after a pause.
func (r *Run) continued() string {
	return strings.Join(append([]string{"The run continues after a pause. Terminals and browser panes that you had opened may be gone: look before you use them."},
		r.conversation.waiting...), "\n")
}

// answered takes the person's word about a claim that waited for it.
func (r *Run) answered(ctx context.Context, last goal.ClaimRecord) *Stop {
	orders, err := r.cfg.Journal.Orders(ctx, r.goal.ID, goal.OrderAccept, goal.OrderReject)
	if err != nil {
		return r.fault(ctx, "reading the person's answer", err)
	}
	if len(orders) > 0 && last.N > 0 { // it waits until the claim is decided: a run that is cut before loses nothing
		o := orders[len(orders)-1]
		yes := o.Kind == goal.OrderAccept
		if rv := last.Review; rv != nil { // of the same work, and paid
			r.claims.review = &goal.Review{Confirmed: rv.Confirmed, Reason: rv.Reason, Reply: rv.Reply}
		}
		r.claim = &claim{rationale: last.Rationale, result: last.Result, by: "person", of: last.Of, accepted: &yes, note: o.Text}
		return nil
	}
	if r.claimCut() {
		return r.say(ctx, "Your last claim was not decided before the pause, and counts for nothing: look whether it is still right, and claim again.")
	}
	return nil
}

// told brings back which reminders were given, and the step that was open.
func (r *Run) told(messages []goal.Message) {
	results := map[string]bool{}
	for _, m := range messages {
		switch {
		case m.Role == goal.ToolRole:
			results[m.CallID] = strings.HasPrefix(m.Text, `{"ok":true`)
		case m.Role == goal.User && strings.HasPrefix(m.Text, todosMark):
			r.claims.told["todos"] = true
		case m.Role == goal.User && strings.HasPrefix(m.Text, lookMark):
			r.claims.told["look"] = true
		}
	}
	for _, m := range messages {
		for _, c := range m.Calls {
			var s goal.StepDeclaration
			switch {
			case !results[c.ID]:
			case c.Tool == "verify_step":
				r.declared = nil
			case c.Tool == opensStep && json.Unmarshal([]byte(c.Arguments), &struct {
				N *int    `json:"step_number"`
				T *string `json:"title"`
			}{&s.Number, &s.Title}) == nil:
				r.declared, r.covered = &s, true // a call may have been made in it
			}
		}
	}
}

// claimCut says whether the run before was stopped while the host verified.
func (r *Run) claimCut() bool {
	if !r.goal.Exit.Interrupted() { // it was decided, or waits for the person
		return false
	}
	for _, m := range slices.Backward(r.conversation.messages) {
		switch {
		case m.Role == goal.User && slices.ContainsFunc([]string{failureMark, todosMark, lookMark}, func(mark string) bool { return strings.HasPrefix(m.Text, mark) }):
			return false // it was answered
		case m.Role == goal.Assistant:
			return slices.ContainsFunc(m.Calls, func(c goal.Call) bool { return c.Tool == "claim_complete" })
		}
	}
	return false
}

func (r *Run) doubt(ctx context.Context) *Stop {
	steps, err := r.cfg.Journal.Unfinished(ctx, r.goal.ID)
	if err != nil {
		return r.fault(ctx, "reading the steps", err)
	}
	for _, open := range steps {
		text := "the program ended before this call answered: its outcome is unknown"
		if stop := r.append(ctx, &event.Step{StepID: open.StepID, Tool: open.Tool, Outcome: event.OutcomeUnknown, Preview: text, Result: text}); stop != nil {
			return stop
		}
	}
	return nil
}

// answer gives every call of the last turn that has no result one that says so.
func (r *Run) answer(ctx context.Context) *Stop {
	answered := map[string]bool{}
	var open []goal.Call
	for _, m := range r.conversation.messages {
		if m.Role == goal.ToolRole {
			answered[m.CallID] = true
		}
	}
	for _, m := range r.conversation.messages {
		for _, c := range m.Calls {
			if !answered[c.ID] {
				open = append(open, c)
			}
		}
	}
	for _, c := range open {
		m := goal.Message{
			Role: goal.ToolRole, CallID: c.ID,
			Text: goal.Result{Text: fmt.Sprintf("the program ended before %s answered: its outcome is unknown. Look before you repeat it.", c.Tool)}.Envelope(),
		}
		r.conversation.add(m)
		if stop := r.append(ctx, &event.Message{Message: m}); stop != nil {
			return stop
		}
	}
	return nil
}
