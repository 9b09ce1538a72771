package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"goalpost/backend/engine/acp"
	"goalpost/backend/engine/relay"
	"goalpost/backend/goal"
	"goalpost/backend/process"
)

// Options say what an agent works with. All fields are required.
type Options struct {
	Installed Installed // the agent
	Launcher  process.Launcher
	Env       []string // of the goal's programs
	Dir       string   // the goal's folder, absolute
	Version   string   // of this program

	Model     relay.Model // answers what the agent asks its model
	ModelName string      // as its provider calls it
	Window    int         // of the model, in tokens; 0 if it is not known

	// Tools are offered to the agent over MCP; ServeTools makes the server for them, which passes calls to call.
	Tools      []goal.ToolSpec
	ServeTools func(tools []goal.ToolSpec, call CallFunc) http.Handler
	Effects    Effects
	// Reach lets the agent connect to a port of the host's loopback. It closes with the sandbox.
	Reach func(ctx context.Context, port int) error
	// StateFile stores the id of the agent's session.
	StateFile string
	Warn      func(what, text string)
	Log       *slog.Logger
	After     func(time.Duration) <-chan time.Time
	Now       func() time.Time
}

// CallFunc executes a call of one of our tools by the agent, and returns the result as the agent reads it.
type CallFunc func(ctx context.Context, tool, arguments string) (text string, ok bool)

// How long an agent may take.
const (
	startTimeout    = 2 * time.Minute  // until its session is ready
	cancelTimeout   = 5 * time.Second  // to end a turn that was cancelled
	silenceTimeout  = 3 * time.Minute  // without an update, a running tool or a question to the model
	silentPark      = 5 * time.Minute  // until a silent agent is asked again
	toolCallTimeout = 45 * time.Second // for a call of our tools: some agents give up after 60 s
	maxRestarts     = 3                // after the program has ended, in one run
	maxText         = 256 << 10        // bytes of what it says between two calls
)

// Session drives a goal with an external agent. To the loop it is a model: a turn ends when the agent calls a tool,
// asks for a permission, has used a tool of its own, or ends its turn. One goroutine calls Turn; all other methods may
// be called concurrently.
type Session struct {
	opts  Options
	relay *relay.Relay
	gate  *gateway // nil until the agent is first started

	restarts int // by Turn alone

	mu       sync.Mutex
	warn     func(what, text string)
	agent    *program // nil while none runs
	turn     *turn    // nil while the agent is idle
	inbox    inbox
	modelErr error
	changed  chan struct{} // something was added; has one slot
	activity time.Time     // of the last update
}

// turn is one prompt that the agent works on.
type turn struct {
	done chan struct{} // closed when stop and err are set
	stop acp.Stop
	err  error
}

// New returns a session. The agent starts with the first turn.
func New(o Options) *Session {
	s := &Session{opts: o, warn: o.Warn, changed: make(chan struct{}, 1)}
	s.inbox.reset()
	s.relay = relay.New(o.Model, o.ModelName, s.modelFailed)
	return s
}

// BeginRun prepares the session for another run of its goal.
func (s *Session) BeginRun(m relay.Model, warn func(what, text string)) {
	s.relay.SetModel(m)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warn, s.restarts, s.modelErr = warn, 0, nil
}

// Turn lets the agent work until the host must decide something. An error that says goal.Unavailable parks the goal.
func (s *Session) Turn(ctx context.Context, t goal.Turn, delta func(string)) (goal.Reply, error) {
	if err := s.advance(ctx, t); err != nil {
		s.Interrupt(context.WithoutCancel(ctx))
		return goal.Reply{}, err
	}
	reply, err := s.await(ctx, len(t.Tools) == 0, delta)
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
	if fresh {
		texts = []string{firstPrompt(t)}
	}
	s.mu.Lock()
	working := s.turn != nil
	s.mu.Unlock()
	switch {
	case working && len(texts) == 0:
		return nil
	case working: // the protocol has no way to add something to a turn
		s.Interrupt(ctx)
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
	if len(texts) == 0 {
		texts = []string{"Continue."}
	}
	t := &turn{done: make(chan struct{})}
	conn := s.agent.conn
	s.turn, s.activity = t, s.opts.Now()
	text := strings.Join(texts, "\n\n")
	ctx = context.WithoutCancel(ctx) // Interrupt ends it, so that the agent knows
	s.agent.work.Go(func() {
		t.stop, t.err = conn.Prompt(ctx, text)
		close(t.done)
	})
	return nil
}

// await waits until the host must decide something.
func (s *Session) await(ctx context.Context, textOnly bool, delta func(string)) (goal.Reply, error) {
	for {
		s.mu.Lock()
		agent, turn, modelErr := s.agent, s.turn, s.modelErr
		s.modelErr = nil
		piece := s.inbox.takePiece()
		var calls []goal.Call
		if textOnly {
			s.inbox.refuseAll("the run ends: answer without a tool")
		} else {
			calls = s.inbox.open()
		}
		s.mu.Unlock()
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
			reply, again, err := s.endTurn(ctx, agent, turn)
			if !again {
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
		case <-s.opts.After(s.silenceLeft()):
			if err := s.silence(agent); err != nil {
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
func (s *Session) endTurn(ctx context.Context, a *program, t *turn) (reply goal.Reply, again bool, err error) {
	s.mu.Lock()
	s.inbox.endTurn()
	calls := s.inbox.open()
	if len(calls) == 0 { // otherwise the next turn takes these
		s.turn = nil
		calls = s.inbox.takeFinal()
	}
	denied := len(s.inbox.notes) > 0
	s.mu.Unlock()
	switch {
	case len(calls) > 0:
		return s.reply(calls), false, nil
	case t.err == nil && denied: // some agents end their turn when they are refused something
		return reply, true, s.prompt(ctx)
	case t.err == nil:
		return s.reply(nil), false, nil
	case !a.hasEnded():
		return reply, false, t.err
	}
	return s.reply(nil), false, nil // the next turn starts it again
}

// noteCrash reports that the agent's program has ended unexpectedly, to the user and to the agent that is started next.
func (s *Session) noteCrash(p *program) error {
	name := s.opts.Installed.Profile.Name
	if s.restarts++; s.restarts > maxRestarts {
		return fmt.Errorf("%s ended %d times. %s", name, s.restarts, p.lastWords())
	}
	s.journalWarning("engine", name+" ended unexpectedly and is started again. "+p.lastWords())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbox.note("Your program ended unexpectedly and was started again. What you did last may be incomplete: look " +
		"before you repeat it.")
	return nil
}

// silenceLeft is how long the agent may still be silent.
func (s *Session) silenceLeft() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(time.Second, silenceTimeout-s.opts.Now().Sub(s.activity))
}

// silence returns an error if the agent has been silent for too long.
func (s *Session) silence(a *program) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.relay.IsBusy() || s.inbox.toolRuns() {
		s.activity = s.opts.Now()
	}
	if s.opts.Now().Sub(s.activity) < silenceTimeout {
		return nil
	}
	return &goal.Unavailable{
		Until: s.opts.Now().Add(silentPark),
		Err: fmt.Errorf("%s has sent nothing for %s. %s", s.opts.Installed.Profile.Name,
			goal.FormatDuration(silenceTimeout), a.lastWords()),
	}
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

func (s *Session) modelFailed(err error) {
	s.mu.Lock()
	s.modelErr = err
	s.mu.Unlock()
	s.wake()
}

// wake makes Turn look at what has changed.
func (s *Session) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *Session) journalWarning(what, text string) {
	s.mu.Lock()
	warn := s.warn
	s.mu.Unlock()
	warn(what, text)
}
