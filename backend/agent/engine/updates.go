package engine

import (
	"goalpost/backend/agent/engine/acp"
	"goalpost/backend/domain/goal"
)

// listener receives what the agent sends.
type listener struct{ s *Session }

func (l listener) Text(piece string, begins bool) {
	s := l.s
	s.mu.Lock()
	s.silence.restart(s.opts.Now())
	s.inbox.addText(piece, begins)
	s.mu.Unlock()
	s.wake()
}

func (l listener) Thought(piece string) {
	s := l.s
	s.mu.Lock()
	s.silence.restart(s.opts.Now())
	s.inbox.addThought(piece)
	s.mu.Unlock()
	s.wake()
}

func (l listener) ToolCall(c acp.ToolCall) {
	s := l.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == nil { // the update came too late
		return
	}
	s.silence.restart(s.opts.Now())
	b := &s.inbox
	if c.IsOver() {
		delete(b.running, c.ID)
	} else if len(b.running) < maxOpen {
		if _, isKnown := b.running[c.ID]; !isKnown { // a running tool may be silent for longer
			s.wake()
		}
		b.running[c.ID] = c.Title
	}
	r := b.permissions[c.ID]
	if r != nil {
		r.toolCall = c
	}
	switch {
	case r != nil && c.IsOver() && !r.isOver:
		r.finish()
		if r.isUnawaited {
			b.add(&request{call: s.agentCall(c, true), toolCall: c})
			s.wake()
		}
	case r == nil && !c.IsOver() && s.isObservedFromStart(c) && !b.observed[c.ID] && len(b.observed) < maxObserved:
		b.observed[c.ID] = true
		b.permissions[c.ID] = b.add(&request{call: s.agentCall(c, true), toolCall: c, ended: make(chan struct{})})
		s.wake()
	case r == nil && c.IsOver() && !b.observed[c.ID] && len(b.observed) < maxObserved && !s.takeArrival(c):
		b.observed[c.ID] = true
		b.add(&request{call: s.agentCall(c, true), toolCall: c})
		s.wake()
	}
}

// isObservedFromStart reports whether a call that has begun is journaled now. Calls of our tools are not, because the
// host receives them; nor are calls that the agent has not described yet.
func (s *Session) isObservedFromStart(c acp.ToolCall) bool {
	return s.opts.Installed.Profile.AsksNothing && c.Status == "in_progress" && s.ourTool(c) == "" &&
		(c.Input != "" || len(c.Diffs) > 0)
}

// agentCall returns the call that an update or a permission request is about.
func (s *Session) agentCall(c acp.ToolCall, observed bool) goal.Call {
	if s.opts.Installed.Profile.CommandInTitle && c.Kind == "execute" && c.Input == "" && c.Title != "" {
		c.Input = mustJSON(map[string]string{"command": c.Title})
	}
	return agentCall(c, observed)
}

// takeArrival reports whether a call that has ended was one of our tools, which the loop journals itself. The title
// does not prove that: the call must have reached the host.
func (s *Session) takeArrival(c acp.ToolCall) bool {
	name := s.ourTool(c)
	if name == "" || s.inbox.arrived[name] == 0 {
		return false
	}
	s.inbox.arrived[name]--
	return true
}
