package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/engine/acp"
	"goalpost/backend/goal"
)

// Turn lets the agent work until the host must decide something. An error that says goal.Unavailable parks the goal.
func (s *Session) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	if err := s.advance(ctx, t); err != nil {
		s.Interrupt(context.WithoutCancel(ctx))
		return goal.Reply{}, err
	}
	reply, err := s.await(ctx, t, delta)
	if err != nil {
		s.Interrupt(context.WithoutCancel(ctx))
		return goal.Reply{}, err
	}
	reply.Usage = s.relay.TakeUsage()
	return reply, nil
}

// advance gives the agent the results of its calls, and a prompt if there is something new for it or if it is idle.
func (s *Session) advance(ctx context.Context, t goal.Turn) error {
	s.settle(t.Messages)
	fresh, err := s.ensureStarted(ctx)
	if err != nil {
		return err
	}
	texts := newUserTexts(t.Messages)
	switch {
	case fresh:
		texts = []string{firstPrompt(t)}
	case !s.advanced: // it continues the session of an earlier process, whose end it may not have noticed
		texts = append(failedResults(t.Messages), texts...)
	}
	s.advanced = true
	s.mu.Lock()
	working := s.turn != nil
	claimed := working && len(s.inbox.final) > 0
	if claimed { // the host decides first, and these are in the prompt with its answer
		s.inbox.note(texts...)
	}
	s.mu.Unlock()
	if claimed && len(texts) > 0 {
		s.state.Notes = append(s.state.Notes, texts...)
		s.saveState()
	}
	switch {
	case claimed, working && len(texts) == 0:
		return nil
	case working: // the protocol has no way to add something to a turn
		s.Interrupt(ctx)
		if fresh, err = s.ensureStarted(ctx); err != nil { // it may have ended the agent
			return err
		}
		if fresh {
			texts = []string{firstPrompt(t)}
		}
	}
	return s.prompt(ctx, texts...)
}

// prompt begins a turn of the agent.
func (s *Session) prompt(ctx context.Context, texts ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.agent == nil {
		return errors.New("the agent's program has ended")
	}
	texts = append(texts, s.inbox.takeNotes()...)
	if len(s.state.Notes) > 0 {
		s.state.Notes = nil
		s.saveState()
	}
	if len(texts) == 0 {
		texts = []string{"Continue."}
	}
	t := &turn{done: make(chan struct{})}
	conn := s.agent.conn
	s.turn = t
	s.silence.end(s.opts.Now())
	text := strings.Join(texts, "\n\n")
	ctx = context.WithoutCancel(ctx) // Interrupt ends it, so that the agent knows
	s.agent.work.Go(func() {
		t.stop, t.err = conn.Prompt(ctx, text)
		close(t.done)
	})
	return nil
}

// await waits until the host must decide something.
func (s *Session) await(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	for {
		s.mu.Lock()
		agent, turn, modelErr := s.agent, s.turn, s.modelErr
		s.modelErr = nil
		piece, thought := s.inbox.takePieces()
		var calls []goal.Call
		if len(t.Tools) == 0 {
			s.inbox.refuseAll("the run ends: answer without a tool")
		} else {
			calls = s.inbox.open()
		}
		s.mu.Unlock()
		if thought != "" && t.OnReasoning != nil {
			t.OnReasoning(thought)
		}
		if piece != "" {
			delta(piece)
		}
		if modelErr != nil {
			return goal.Reply{}, modelErr
		}
		if len(calls) > 0 {
			return s.reply(calls), nil
		}
		select {
		case <-turn.done:
			reply, again, err := s.endTurn(ctx, t, agent, turn)
			if !again || err != nil {
				return reply, err
			}
			continue
		default:
		}
		select {
		case <-ctx.Done():
			return goal.Reply{}, fmt.Errorf("asking the agent: %w", context.Cause(ctx))
		case <-turn.done:
		case <-s.changed:
		case <-agent.conn.Done():
			agent.disconnect()
			<-turn.done // fails with the connection
		case <-agent.process.Done():
			agent.disconnect()
			<-turn.done
		case <-s.opts.After(s.silenceLeft(false)):
			if err := s.parkSilent(agent); err != nil {
				return goal.Reply{}, err
			}
		}
	}
}

func (s *Session) reply(calls []goal.Call) goal.Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	return goal.Reply{Text: s.inbox.takeText(), Calls: calls}
}

// endTurn handles the end of the agent's turn. again means that the agent works on a new prompt.
func (s *Session) endTurn(
	ctx context.Context, asked goal.Turn, a *program, t *turn,
) (reply goal.Reply, again bool, err error) {
	s.mu.Lock()
	s.inbox.endTurn()
	calls := s.inbox.open()
	if len(calls) == 0 { // otherwise the next turn takes these
		s.turn = nil
		calls = s.inbox.takeFinal()
	}
	denied := len(s.inbox.notes) > 0
	s.mu.Unlock()
	if errors.Is(t.err, acp.ErrPartEnded) {
		a.lost.Store(true)
	}
	switch {
	case len(calls) > 0:
		return s.reply(calls), false, nil
	case t.err == nil && denied: // some agents end their turn when they are refused something
		return reply, true, s.prompt(ctx)
	case t.err == nil:
		return s.reply(nil), false, nil
	case s.opts.Installed.Profile.isExit(t.err):
		a.end()
	case !a.hasEnded():
		return reply, false, t.err
	}
	return reply, true, s.advance(ctx, asked) // its program has ended
}

// Interrupt ends the agent's turn, if it works on one. Requests that wait are withdrawn. An agent that does not stop
// in time is killed; the next turn starts it again.
func (s *Session) Interrupt(ctx context.Context) {
	s.mu.Lock()
	agent, turn := s.agent, s.turn
	s.turn = nil
	s.inbox.withdrawAll()
	s.mu.Unlock()
	if agent == nil || turn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cancelTimeout)
	defer cancel()
	if err := agent.conn.Cancel(ctx); err == nil {
		select {
		case <-turn.done:
			s.mu.Lock()
			s.inbox.reset()
			s.mu.Unlock()
			if s.opts.Installed.Profile.ForgetsCancelled {
				s.closeProgram(context.WithoutCancel(ctx)) // the next turn begins a session with a summary
			}
			return
		case <-ctx.Done():
		}
	}
	s.journalWarning("engine", s.opts.Installed.Profile.Name+" did not stop when it was asked to, and was ended")
	s.closeProgram(context.WithoutCancel(ctx))
}

// Close ends the agent. What its own programs left running ends with the sandbox.
func (s *Session) Close(ctx context.Context) error {
	s.closeProgram(ctx)
	if s.gate == nil {
		return nil
	}
	return s.gate.close(ctx)
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
