package chats

import (
	"context"
	"slices"
	"sync"

	"goalpost/backend/domain/chat"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/store"
)

// record is an answer while it is written. It is the journal of the run that writes it: it stores what the run
// appends, and publishes it. It is safe for concurrent use.
type record struct {
	store   *store.ChatTable
	publish func(event.Body)
	chat    chat.ID

	mu      sync.Mutex
	message chat.Message
	entries []chat.Entry
	stream  int        // index of the part that grows, -1 if none does
	units   int        // length of its text in UTF-16 code units
	last    event.Step // whose result follows
	turn    int64      // tokens of the newest turn, read and written
}

// newestTurn returns how many tokens the newest turn read and wrote.
func (r *record) newestTurn() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.turn
}

// view returns the answer as it is now.
func (r *record) view(v chat.Message) chat.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.message
	m.Versions = v.Versions
	m.Parts = copyParts(m.Parts)
	return m
}

// copyParts copies parts, because their calls change.
func copyParts(parts []chat.Part) []chat.Part {
	parts = slices.Clone(parts)
	for i, p := range parts {
		if p.Call != nil {
			call := *p.Call
			parts[i].Call = &call
		}
	}
	return parts
}

// onDelta publishes streaming text.
func (r *record) onDelta(d *event.Delta) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.setWaiting("")
	if d.Text == "" {
		r.publish(&event.ChatDelta{ChatID: r.chat, Delta: chat.Delta{
			Message: r.message.ID, Part: r.nextPart(), Offset: r.units, Reasoning: d.Reasoning,
		}})
		return
	}
	if r.stream < 0 {
		r.stream, r.units = len(r.message.Parts), 0
		r.message.Parts = append(r.message.Parts, chat.Part{})
	}
	r.publish(&event.ChatDelta{ChatID: r.chat, Delta: chat.Delta{
		Message: r.message.ID, Part: r.stream, Offset: r.units, Text: d.Text,
	}})
	r.message.Parts[r.stream].Text += d.Text
	r.units += chat.UTF16Len(d.Text)
}

// nextPart returns the index of the part that streaming text belongs to.
func (r *record) nextPart() int {
	if r.stream < 0 {
		return len(r.message.Parts)
	}
	return r.stream
}

// onRetry voids what the last attempt streamed.
func (r *record) onRetry(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stream >= 0 {
		r.message.Parts[r.stream].Text, r.units = "", 0
		r.publishPart(r.stream)
	}
	r.setWaiting(why)
}

// setWaiting publishes why the answer waits, if that changed. The caller holds mu.
func (r *record) setWaiting(why string) {
	if r.message.Waiting == why {
		return
	}
	r.message.Waiting = why
	r.publishMessage()
}

func (r *record) publishMessage() {
	m := r.message
	m.Parts = copyParts(m.Parts)
	r.publish(&event.ChatMessage{ChatID: r.chat, Message: m})
}

func (r *record) publishPart(i int) {
	r.publish(&event.ChatPart{
		ChatID: r.chat, Message: r.message.ID, Index: i, Part: copyParts(r.message.Parts[i : i+1])[0],
	})
}

// Append stores and publishes what the run appends to its journal.
func (r *record) Append(ctx context.Context, _ goal.Run, bodies ...event.Body) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, b := range bodies {
		switch b := b.(type) {
		case *event.Message:
			if err := r.add(ctx, b.Message); err != nil {
				return err
			}
		case *event.Step:
			r.last = *b
		case *event.ApprovalRequested:
			r.beginAsk(b.Approval)
		case *event.ApprovalResolved:
			r.endAsk(b.Request)
		case *event.Usage:
			r.message.Usage = r.message.Usage.Plus(b.Usage)
			r.turn = b.TokensIn + b.TokensOut
			if b.Fallback != nil {
				r.message.Model = b.Fallback.Model
			}
		}
	}
	return nil
}

// add stores a message of the conversation. The caller holds mu.
func (r *record) add(ctx context.Context, m goal.Message) error {
	e := chat.Entry{Message: m}
	switch m.Role {
	case goal.Assistant:
		r.addTurn(m)
	case goal.ToolRole:
		e.State, e.Preview, e.MS = r.endCall(m)
		if r.last.StepID == m.Step {
			e.Whole = text.TruncateBytes(string(r.last.Whole), maxWhole)
		}
	case goal.User, goal.System:
	}
	n := len(r.entries)
	r.entries = append(r.entries, e)
	return r.store.AddEntry(ctx, r.chat, r.message.ID, n, e)
}

const maxWhole = 1 << 20 // bytes of a stored result

// copyEntries returns what was said so far.
func (r *record) copyEntries() []chat.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.entries)
}

// addTurn shows a turn of the model. The caller holds mu.
func (r *record) addTurn(m goal.Message) {
	switch {
	case r.stream >= 0 && r.message.Parts[r.stream].Text != m.Text:
		r.message.Parts[r.stream].Text = m.Text
		r.publishPart(r.stream)
	case r.stream < 0 && m.Text != "":
		r.message.Parts = append(r.message.Parts, chat.Part{Text: m.Text})
		r.publishPart(len(r.message.Parts) - 1)
	}
	r.stream = -1
	for _, c := range m.Calls {
		r.message.Parts = append(r.message.Parts, chat.Part{Call: &chat.Call{
			ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, State: chat.CallRunning,
		}})
		r.publishPart(len(r.message.Parts) - 1)
	}
}

// endCall shows the result of a call. The caller holds mu.
func (r *record) endCall(m goal.Message) (state chat.CallState, preview string, ms int64) {
	state, preview = chat.CallFailed, firstLine(goal.UnwrapEnvelope(m.Text))
	if step := r.last; step.StepID == m.Step && m.Step > 0 {
		preview, ms = step.Preview, step.MS
		switch step.Outcome {
		case event.OK:
			state = chat.CallOK
		case event.Denied:
			state = chat.CallDenied
		case event.Failed, event.OutcomeUnknown:
		}
	}
	for i, p := range r.message.Parts {
		if p.Call != nil && p.Call.ID == m.CallID {
			p.Call.State, p.Call.Preview, p.Call.MS, p.Call.Ask = state, preview, ms, nil
			r.publishPart(i)
		}
	}
	return state, preview, ms
}

// beginAsk shows that a call waits for the user: calls are executed in their order, so it is the first that has not
// ended. The caller holds mu.
func (r *record) beginAsk(a goal.Approval) {
	for i, p := range r.message.Parts {
		if p.Call != nil && p.Call.State == chat.CallRunning {
			p.Call.State = chat.CallAsking
			p.Call.Ask = &chat.Ask{Request: a.ID, Arguments: a.Arguments, Hosts: append([]string{}, a.Effect.Hosts...)}
			r.publishPart(i)
			return
		}
	}
}

// endAsk shows that a call no longer waits for the user. The caller holds mu.
func (r *record) endAsk(request string) {
	for i, p := range r.message.Parts {
		if p.Call != nil && p.Call.Ask != nil && p.Call.Ask.Request == request {
			p.Call.State, p.Call.Ask = chat.CallRunning, nil
			r.publishPart(i)
		}
	}
}

// takeAsk returns what the user is asked, once: after it, the call no longer waits.
func (r *record) takeAsk(request string) (ask chat.Ask, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.message.Parts {
		if p.Call != nil && p.Call.Ask != nil && p.Call.Ask.Request == request {
			ask, ok = *p.Call.Ask, true
		}
	}
	r.endAsk(request)
	return ask, ok
}

// finish stores how the answer ended. What was streamed and not completed stays as text.
func (r *record) finish(ctx context.Context, state chat.State, problem, hint string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var failed error
	if r.stream >= 0 && r.message.Parts[r.stream].Text != "" {
		failed = r.add(ctx, goal.Message{Role: goal.Assistant, Text: r.message.Parts[r.stream].Text})
	}
	for _, c := range openCalls(r.entries) {
		m := goal.Message{Role: goal.ToolRole, CallID: c.ID, Text: goal.Result{Text: notExecuted}.Envelope()}
		if err := r.add(ctx, m); failed == nil {
			failed = err
		}
	}
	r.message.State, r.message.Problem, r.message.Hint, r.message.Waiting = state, problem, hint, ""
	stored := r.message
	stored.Text = chat.TextOf(r.message.Parts)
	if err := r.store.SaveAnswer(ctx, r.chat, stored); failed == nil {
		failed = err
	}
	r.publishMessage()
	return failed
}

const notExecuted = "not executed: the answer ended before"

// openCalls returns the calls that have no result.
func openCalls(entries []chat.Entry) []goal.Call {
	var open []goal.Call
	for _, e := range entries {
		open = append(open, e.Message.Calls...)
		if e.Message.Role == goal.ToolRole {
			open = slices.DeleteFunc(open, func(c goal.Call) bool { return c.ID == e.Message.CallID })
		}
	}
	return open
}
