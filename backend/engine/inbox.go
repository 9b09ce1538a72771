package engine

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"

	"goalpost/backend/engine/acp"
	"goalpost/backend/goal"
)

// inbox holds what the agent has sent and the loop has not decided. The caller holds Session.mu.
type inbox struct {
	piece    string // of the answer, not yet reported
	thought  string // not yet reported; it is shown and not stored
	text     strings.Builder
	requests []*request // oldest first: waiting for the loop, or given to it
	final    []goal.Call
	notes    []string            // for the agent, with the next prompt
	running  map[string]string   // titles of the agent's tools that have begun, by the id of the call
	asked    map[string]*request // permission requests of this turn
	observed map[string]bool     // calls of this turn that were reported as observed
	arrived  map[string]int      // calls of our tools in this turn that reached the host and did not yet end in the agent
}

// request is a call that waits for the loop: of one of our tools, of a permission, or observed.
type request struct {
	call  goal.Call
	given bool // to the loop

	result chan string // of our tools; has one slot
	late   bool        // the agent no longer waits for the result

	seen    acp.ToolCall        // of the agent's own tools
	answer  chan acp.Permission // of a permission; has one slot
	started bool                // it was allowed
	left    bool                // the loop did not wait for its end
	over    chan struct{}       // closed when the call has ended; nil if it had when it was reported
	isOver  bool
}

// maxOpen is how many requests may wait. An agent that makes more is answered "cancelled".
const maxOpen = 64

// maxObserved limits the steps of one turn that the agent made without asking.
const maxObserved = 2000

// reset forgets everything but the notes.
func (b *inbox) reset() {
	b.withdrawAll()
	notes := b.notes
	*b = inbox{
		running: map[string]string{}, asked: map[string]*request{}, observed: map[string]bool{}, notes: notes,
		arrived: map[string]int{},
	}
}

func (b *inbox) add(r *request) *request {
	if len(b.requests) >= maxOpen {
		r.refuse("too many calls wait")
		return r
	}
	b.requests = append(b.requests, r)
	return r
}

// addFinal replaces an earlier call of the same tool in this turn.
func (b *inbox) addFinal(c goal.Call) {
	b.final = slices.DeleteFunc(b.final, func(o goal.Call) bool { return o.Tool == c.Tool })
	b.final = append(b.final, c)
}

func (b *inbox) takeFinal() []goal.Call {
	list := b.final
	b.final = nil
	return list
}

func (b *inbox) addText(piece string) {
	if b.text.Len() < maxText {
		b.text.WriteString(piece)
		b.piece += piece
	}
}

func (b *inbox) addThought(piece string) {
	if len(b.thought) < maxText {
		b.thought += piece
	}
}

func (b *inbox) takePieces() (text, thought string) {
	text, thought = b.piece, b.thought
	b.piece, b.thought = "", ""
	return text, thought
}

func (b *inbox) takeText() string {
	t := strings.TrimSpace(b.text.String())
	b.text.Reset()
	return t
}

func (b *inbox) note(texts ...string) {
	for _, text := range texts {
		if len(b.notes) < maxOpen {
			b.notes = append(b.notes, text)
		}
	}
}

func (b *inbox) takeNotes() []string {
	n := b.notes
	b.notes = nil
	return n
}

// open returns the oldest call that the loop has not got yet. The loop gets one at a time: it skips the rest of a reply
// after a failed call, and each of these stands for itself.
func (b *inbox) open() []goal.Call {
	for _, r := range b.requests {
		if !r.given {
			r.given = true
			return []goal.Call{r.call}
		}
	}
	return nil
}

// settle gives the agent the results of the calls that the loop had. denied are the results by call.
func (b *inbox) settle(results map[string]string) {
	for _, r := range b.requests {
		if !r.given {
			continue
		}
		text := goal.UnwrapEnvelope(results[r.call.ID])
		switch {
		case r.result != nil && r.late:
			b.note("The result of " + r.call.Tool + ": " + text)
		case r.result != nil:
			r.result <- results[r.call.ID]
		case r.answer != nil && !r.started:
			r.answer <- acp.Denied
			b.note("The host refused a call of yours. " + text)
		}
	}
	b.requests = slices.DeleteFunc(b.requests, func(r *request) bool { return r.given })
}

// refuse answers a request that the loop will not decide.
func (r *request) refuse(why string) {
	switch {
	case r.result != nil && !r.late:
		select {
		case r.result <- "not executed: " + why:
		default:
		}
	case r.answer != nil && !r.started:
		select {
		case r.answer <- acp.Withdrawn:
		default:
		}
	}
}

func (b *inbox) refuseAll(why string) {
	for _, r := range b.requests {
		r.refuse(why)
	}
	b.requests, b.final = nil, nil
}

// withdrawAll answers what waits, because the turn is over or is being cancelled.
func (b *inbox) withdrawAll() {
	b.refuseAll("the turn was cancelled")
	b.endTurn()
}

// endTurn closes what waits for a tool of the agent: with the turn, all of its tools have ended.
func (b *inbox) endTurn() {
	for _, r := range b.asked {
		r.finish()
	}
	b.running, b.asked, b.observed = map[string]string{}, map[string]*request{}, map[string]bool{}
	b.arrived = map[string]int{}
}

func (r *request) finish() {
	if !r.isOver {
		r.isOver = true
		close(r.over)
	}
}

// undecided reports whether the agent waits for something besides r, or has begun something after an observed r.
func (b *inbox) undecided(r *request) bool {
	return slices.ContainsFunc(b.requests, func(o *request) bool {
		return o != r && (o.answer != nil && !o.started || r.answer == nil && !o.given)
	})
}

// listener receives what the agent sends.
type listener struct{ s *Session }

func (l listener) Text(piece string) {
	s := l.s
	s.mu.Lock()
	s.silence.end(s.opts.Now())
	s.inbox.addText(piece)
	s.mu.Unlock()
	s.wake()
}

func (l listener) Thought(piece string) {
	s := l.s
	s.mu.Lock()
	s.silence.end(s.opts.Now())
	s.inbox.addThought(piece)
	s.mu.Unlock()
	s.wake()
}

func (l listener) ToolCall(c acp.ToolCall) {
	s := l.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == nil { // an update that comes too late
		return
	}
	s.silence.end(s.opts.Now())
	b := &s.inbox
	if c.IsOver() {
		delete(b.running, c.ID)
	} else if len(b.running) < maxOpen {
		if _, known := b.running[c.ID]; !known { // it may be silent for longer from now on
			s.wake()
		}
		b.running[c.ID] = c.Title
	}
	r := b.asked[c.ID]
	if r != nil {
		r.seen = c
	}
	switch {
	case r != nil && c.IsOver() && !r.isOver:
		r.finish()
		if r.left {
			b.add(&request{call: s.agentCall(c, true), seen: c})
			s.wake()
		}
	case r == nil && !c.IsOver() && s.isObservedFromStart(c) && !b.observed[c.ID] && len(b.observed) < maxObserved:
		b.observed[c.ID] = true
		b.asked[c.ID] = b.add(&request{call: s.agentCall(c, true), seen: c, over: make(chan struct{})})
		s.wake()
	case r == nil && c.IsOver() && !b.observed[c.ID] && len(b.observed) < maxObserved && !s.takeArrival(c):
		b.observed[c.ID] = true
		b.add(&request{call: s.agentCall(c, true), seen: c})
		s.wake()
	}
}

func (l listener) Permission(ctx context.Context, c acp.ToolCall) acp.Permission {
	s := l.s
	s.mu.Lock()
	if s.turn == nil || s.inbox.asked[c.ID] != nil && !s.inbox.asked[c.ID].started {
		s.mu.Unlock()
		return acp.Withdrawn
	}
	s.silence.end(s.opts.Now())
	if s.ourTool(c) != "" && len(c.Diffs) == 0 { // the host decides about it when the call arrives
		s.mu.Unlock()
		return acp.Allowed
	}
	r := s.inbox.add(&request{
		call: s.agentCall(c, false), seen: c, answer: make(chan acp.Permission, 1), over: make(chan struct{}),
	})
	s.inbox.asked[c.ID] = r
	s.mu.Unlock()
	s.wake()
	select {
	case p := <-r.answer:
		return p
	case <-ctx.Done():
		return acp.Withdrawn
	}
}

// isObservedFromStart reports whether a call that has begun is journaled now. Calls of our tools are not: they come to
// the host. Nor are those of which the agent says nothing yet.
func (s *Session) isObservedFromStart(c acp.ToolCall) bool {
	return s.opts.Installed.Profile.AsksNothing && c.Status == "in_progress" && s.ourTool(c) == "" &&
		(c.Input != "" || len(c.Diffs) > 0)
}

// agentCall is the call of the agent's own tools that an update or a permission request is about.
func (s *Session) agentCall(c acp.ToolCall, observed bool) goal.Call {
	if s.opts.Installed.Profile.CommandInTitle && c.Kind == "execute" && c.Input == "" && c.Title != "" {
		c.Input = mustJSON(map[string]string{"command": c.Title})
	}
	return agentCall(c, observed)
}

// ourTool is the name of the tool of ours that a call of the agent is one of, by its title or its id, "" if it is none.
func (s *Session) ourTool(c acp.ToolCall) string {
	for _, form := range []struct{ before, after string }{
		{before: serverName + "_"},
		{before: "mcp__" + serverName + "__"},
		{before: "mcp_" + serverName + "_"},
		{before: "mcp." + serverName + "."},
		{after: " (" + serverName + " MCP Server)"},
	} {
		name, begins := strings.CutPrefix(c.Title, form.before)
		name, ends := strings.CutSuffix(name, form.after)
		if begins && ends && slices.ContainsFunc(s.opts.Tools, func(t goal.ToolSpec) bool { return t.Name == name }) {
			return name
		}
	}
	if rest, ours := strings.CutPrefix(c.ID, "mcp_"+serverName+"_"); ours { // of Gemini, whose title may be an argument
		for _, t := range s.opts.Tools {
			if strings.HasPrefix(rest, t.Name+"__") {
				return t.Name
			}
		}
	}
	return ""
}

// takeArrival reports whether a call that has ended was one of our tools, which the loop journals itself. The title
// alone does not count: the call must have reached the host.
func (s *Session) takeArrival(c acp.ToolCall) bool {
	name := s.ourTool(c)
	if name == "" || s.inbox.arrived[name] == 0 {
		return false
	}
	s.inbox.arrived[name]--
	return true
}

// settle gives the agent the results of its calls, which are in the conversation.
func (s *Session) settle(messages []goal.Message) {
	results := map[string]string{}
	for _, m := range slices.Backward(messages) {
		if m.Role == goal.Assistant {
			break
		}
		if m.Role == goal.ToolRole {
			results[m.CallID] = m.Text
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbox.settle(results)
}

// newUserTexts are the messages for the agent since its last answer.
func newUserTexts(messages []goal.Message) (texts []string) {
	for _, m := range slices.Backward(messages) {
		if m.Role == goal.Assistant {
			break
		}
		if m.Role == goal.User {
			texts = append(texts, m.Text)
		}
	}
	slices.Reverse(texts)
	return texts
}

func newCallID() string { return "engine_" + rand.Text() }
