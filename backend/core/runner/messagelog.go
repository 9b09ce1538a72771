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

// messageLog is the conversation of a goal with its model. Add and AddDeferred only change the conversation; the
// methods of messageLog also journal what they add.
type messageLog struct {
	conversation.Conversation

	journal *journalWriter
	callIDs map[string]bool // all ids in the conversation
}

// restore adds the messages of earlier runs, which are already in the journal.
func (ml *messageLog) restore(messages []goal.Message) {
	ml.Add(messages...)
	for _, m := range messages {
		for _, c := range m.Calls {
			ml.callIDs[c.ID] = true
		}
	}
}

// addUserMessage adds a user message to the conversation and journals it after the other events.
func (ml *messageLog) addUserMessage(ctx context.Context, text string, events ...event.Body) *Stop {
	return ml.addMessage(ctx, goal.Message{Role: goal.User, Text: text}, events...)
}

func (ml *messageLog) addMessage(ctx context.Context, m goal.Message, events ...event.Body) *Stop {
	ml.Add(m)
	return ml.journal.append(ctx, append(events, &event.Message{Message: m})...)
}

func (ml *messageLog) skipCalls(ctx context.Context, calls []goal.Call, why string) *Stop {
	bodies := make([]event.Body, 0, len(calls))
	for _, c := range calls {
		bodies = append(bodies, ml.addResult(c, "not executed: "+why))
	}
	if stop := ml.journal.append(ctx, bodies...); stop != nil {
		return stop
	}
	return stopCause(ctx)
}

// pendingCalls returns the calls of the last turn that have no result.
func (ml *messageLog) pendingCalls() []goal.Call {
	var open []goal.Call
	for _, m := range ml.Messages() {
		open = append(open, m.Calls...)
		open = slices.DeleteFunc(open, func(c goal.Call) bool { return m.Role == goal.ToolRole && c.ID == m.CallID })
	}
	return open
}

// addResult adds the result of a call that was not executed or not completed, and returns its event.
func (ml *messageLog) addResult(c goal.Call, text string) *event.Message {
	m := goal.Message{Role: goal.ToolRole, CallID: c.ID, Text: goal.Result{Text: text}.Envelope()}
	ml.Add(m)
	return &event.Message{Message: m}
}

// addResumeMessage adds the first message to the agent after a pause, unless the agent has not answered the same one
// yet: a goal that waits for its model resumes many times.
func (ml *messageLog) addResumeMessage(ctx context.Context) *Stop {
	text := strings.Join(append([]string{"The run continues after a pause. Terminals and browser panes that you had " +
		"opened may be gone: look before you use them."},
		ml.Deferred()...), "\n")
	if all := ml.Messages(); len(all) > 0 && all[len(all)-1].Text == text {
		return nil
	}
	return ml.addUserMessage(ctx, text)
}

// wordsBySteps returns what the agent said before each step; with the key 0, what it said after the newest one.
func (ml *messageLog) wordsBySteps() map[int]string {
	said := map[int]string{}
	var waiting []string
	for _, m := range ml.Messages() {
		switch {
		case m.Role == goal.Assistant && strings.TrimSpace(m.Text) != "":
			waiting = append(waiting, strings.TrimSpace(m.Text))
		case m.Role == goal.ToolRole && m.Step > 0:
			said[m.Step], waiting = strings.Join(waiting, "\n"), nil
		}
	}
	said[0] = strings.Join(waiting, "\n")
	return said
}

// uniqueCallIDs makes the ids of calls unique within the conversation. Some servers count from one in every turn,
// and a result must belong to one call.
func (ml *messageLog) uniqueCallIDs(calls []goal.Call, iteration int) {
	for i := range calls {
		for n := 1; calls[i].ID == "" || ml.callIDs[calls[i].ID]; n++ {
			calls[i].ID = fmt.Sprintf("call_%d_%d_%d", iteration, i, n)
		}
		ml.callIDs[calls[i].ID] = true
	}
}
