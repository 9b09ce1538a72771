package runner

import (
	"context"
	"fmt"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// restore brings back the conversation of earlier runs. A step with an intent
// and no result is in doubt: the host never repeats it, and the agent is told
// to look before it does.
func (r *Run) restore(ctx context.Context) *Stop {
	messages, err := r.cfg.Journal.Conversation(ctx, r.goal.ID)
	if err != nil {
		return r.fault(ctx, "reading the conversation", err)
	}
	r.messages = messages
	for _, m := range messages {
		for _, c := range m.Calls {
			r.callIDs[c.ID] = true
		}
	}
	if len(messages) == 0 {
		return r.say(ctx, r.opening())
	}
	if stop := r.doubt(ctx); stop != nil {
		return stop
	}
	if stop := r.answer(ctx); stop != nil {
		return stop
	}
	return r.say(ctx, "The run continues after a pause. Terminals and browser panes that you had opened may be gone: look before you use them.")
}

func (r *Run) doubt(ctx context.Context) *Stop {
	steps, err := r.cfg.Journal.Unfinished(ctx, r.goal.ID)
	if err != nil {
		return r.fault(ctx, "reading the steps", err)
	}
	for _, open := range steps {
		text := "the program ended before this call answered: its outcome is unknown"
		if stop := r.append(ctx, &event.Step{StepID: open.StepID, Tool: open.Tool, Outcome: event.InDoubt, Preview: text, Result: text}); stop != nil {
			return stop
		}
	}
	return nil
}

// answer gives every call of the last turn that has no result one that says so.
func (r *Run) answer(ctx context.Context) *Stop {
	answered := map[string]bool{}
	var open []goal.Call
	for _, m := range r.messages {
		if m.Role == goal.ToolRole {
			answered[m.CallID] = true
		}
	}
	for _, m := range r.messages {
		for _, c := range m.Calls {
			if !answered[c.ID] {
				open = append(open, c)
			}
		}
	}
	for _, c := range open {
		m := goal.Message{
			Role: goal.ToolRole, CallID: c.ID,
			Text: fmt.Sprintf("the program ended before %s answered: its outcome is unknown. Look before you repeat it.", c.Tool),
		}
		r.messages = append(r.messages, m)
		if stop := r.append(ctx, &event.Message{Message: m}); stop != nil {
			return stop
		}
	}
	return nil
}
