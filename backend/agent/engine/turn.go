package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/agent/engine/acp"
	"goalpost/backend/domain/goal"
)

// Turn lets the agent work until the host must decide something. An error that wraps goal.Unavailable parks the goal.
func (s *Session) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	err := s.advance(ctx, t)
	reply := goal.Reply{}
	if err == nil {
		reply, err = s.awaitDecision(ctx, t, delta)
	}
	if err != nil {
		s.Interrupt(context.WithoutCancel(ctx))
		return goal.Reply{}, s.adviseSignIn(ctx, err)
	}
	reply.Usage = s.relay.TakeUsage()
	return reply, nil
}

// adviseSignIn adds to the refusal of the agent's provider what the user has to do.
func (s *Session) adviseSignIn(ctx context.Context, err error) error {
	if s.opts.Login == nil || !errors.Is(err, acp.ErrSignIn) {
		return err
	}
	s.closeProgram(ctx) // it reads the sign-in when it starts again
	return fmt.Errorf("%w. Its sign-in is no longer accepted: %s, then resume the goal", err,
		s.opts.Installed.Profile.Login.Advice())
}

// advance gives the agent the results of its calls, and a prompt if it is idle or if there are new messages for it.
func (s *Session) advance(ctx context.Context, t goal.Turn) error {
	s.loadState()
	s.deliverResults(t.Messages)
	if len(t.Tools) == 0 { // the run ends, so a claim of the agent is not decided
		s.dropFinal()
	}
	texts := newUserTexts(t.Messages)
	if !s.advanced { // the agent may not know the results of the calls that an earlier process made
		texts = append(failedResults(t.Messages), texts...)
	}
	if s.deferTexts(texts) {
		return nil
	}
	fresh, err := s.ensureStarted(ctx)
	if err != nil {
		return err
	}
	s.advanced = true
	s.mu.Lock()
	working := s.turn != nil
	s.mu.Unlock()
	if working && len(texts) == 0 {
		return nil
	}
	if working { // the protocol cannot add a message to a turn
		s.Interrupt(ctx)
		if s.deferTexts(texts) { // the agent has claimed in the meantime
			return nil
		}
		if fresh, err = s.ensureStarted(ctx); err != nil { // Interrupt may have ended the agent
			return err
		}
	}
	if fresh {
		texts = []string{firstPrompt(t)}
	}
	return s.beginPrompt(ctx, texts...)
}

// deferTexts keeps texts for a later prompt if the agent has claimed, asked or given up. The host decides first. The
// prompt with its answer then also contains the texts.
func (s *Session) deferTexts(texts []string) bool {
	s.mu.Lock()
	claimed := len(s.inbox.final) > 0
	if claimed {
		s.inbox.addNotes(texts...)
	}
	s.mu.Unlock()
	if claimed && len(texts) > 0 {
		s.state.Notes = append(s.state.Notes, texts...)
		s.saveState()
	}
	return claimed
}

func (s *Session) dropFinal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbox.final = nil
}

// beginPrompt begins a turn of the agent.
func (s *Session) beginPrompt(ctx context.Context, texts ...string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.agent == nil {
		return errors.New("the agent's program has ended")
	}
	texts = append(texts, s.inbox.takeNotes()...)
	if len(s.state.Notes)+len(s.state.Final) > 0 {
		s.state.Notes, s.state.Final = nil, nil
		s.saveState()
	}
	if len(texts) == 0 {
		texts = []string{"Continue."}
	}
	t := &turn{done: make(chan struct{})}
	conn := s.agent.conn
	s.turn = t
	s.silence.restart(s.opts.Now())
	text := strings.Join(texts, "\n\n")
	ctx = context.WithoutCancel(ctx) // only Interrupt ends it, so that the agent is notified
	s.agent.work.Go(func() {
		t.stop, t.err = conn.Prompt(ctx, text)
		close(t.done)
	})
	return nil
}

// awaitDecision waits until the host must decide something.
func (s *Session) awaitDecision(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	if calls := s.takeKeptFinal(); len(calls) > 0 {
		return s.reply(calls), nil
	}
	for {
		s.mu.Lock()
		agent, turn, modelErr := s.agent, s.turn, s.modelErr
		s.modelErr = nil
		piece, thought := s.inbox.takePieces()
		var calls []goal.Call
		if len(t.Tools) == 0 {
			s.inbox.refuseAll("the run ends: answer without a tool")
			s.inbox.final = nil
		} else {
			calls = s.inbox.takeNext()
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
			reply, hasNewPrompt, err := s.endTurn(ctx, t, agent, turn)
			if !hasNewPrompt || err != nil {
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
			<-turn.done // the prompt fails with the connection
		case <-agent.process.Done():
			agent.disconnect()
			<-turn.done
		case <-s.opts.After(s.silenceLeft(false)):
			if err := s.parkSilent(ctx, agent); err != nil {
				return goal.Reply{}, err
			}
		}
	}
}

// takeKeptFinal returns the claim or question that the agent had made when its turn was cancelled.
func (s *Session) takeKeptFinal() []goal.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn != nil {
		return nil
	}
	if len(s.state.Final) > 0 {
		s.state.Final = nil
		s.saveState()
	}
	return s.inbox.takeFinal()
}

func (s *Session) reply(calls []goal.Call) goal.Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	return goal.Reply{Text: s.inbox.takeText(), Calls: calls}
}

// endTurn handles the end of the agent's turn. hasNewPrompt means that the agent works on a new prompt.
func (s *Session) endTurn(
	ctx context.Context, request goal.Turn, a *program, t *turn,
) (reply goal.Reply, hasNewPrompt bool, err error) {
	s.mu.Lock()
	s.inbox.endTurn()
	calls := s.inbox.takeNext()
	if len(calls) == 0 { // otherwise the next turn handles the rest
		s.turn = nil
		calls = s.inbox.takeFinal()
	}
	denied := len(s.inbox.notes) > 0
	s.mu.Unlock()
	if errors.Is(t.err, acp.ErrPartEnded) {
		a.isLost.Store(true)
	}
	switch {
	case len(calls) > 0:
		return s.reply(calls), false, nil
	case t.err == nil && denied: // some agents end their turn after a refusal
		return reply, true, s.beginPrompt(ctx)
	case t.err == nil:
		reply = s.reply(nil)
		reply.IsCutOff = t.stop == acp.StopMaxTokens
		return reply, false, nil
	case s.opts.Installed.Profile.isExit(t.err):
		a.end()
	case !a.hasEnded():
		return reply, false, t.err
	}
	return reply, true, s.advance(ctx, request) // the agent's program has ended
}

// Interrupt ends the agent's turn if it works on one. Waiting requests are withdrawn; a claim or a question is decided
// in the next turn of the loop, even in another process. An agent that does not stop in time is killed; the next turn
// starts it again.
func (s *Session) Interrupt(ctx context.Context) {
	s.mu.Lock()
	agent, turn := s.agent, s.turn
	s.turn = nil
	s.inbox.withdrawAll()
	final := s.inbox.final
	s.mu.Unlock()
	if agent == nil || turn == nil {
		return
	}
	if len(final) > 0 {
		s.state.Final = final
		s.saveState()
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
				s.closeProgram(context.WithoutCancel(ctx)) // the next turn begins a new session with a summary
			}
			return
		case <-ctx.Done():
		}
	}
	s.journalWarning("engine", s.opts.Installed.Profile.Name+" did not stop in time and was ended")
	s.closeProgram(context.WithoutCancel(ctx))
}

// Close ends the agent. Programs that it left running end with the sandbox.
func (s *Session) Close(ctx context.Context) error {
	s.closeProgram(ctx)
	if s.gateway == nil {
		return nil
	}
	return s.gateway.close(ctx)
}

// deliverResults gives the agent the results of its calls, taken from the conversation.
func (s *Session) deliverResults(messages []goal.Message) {
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
	s.inbox.deliver(results)
}
