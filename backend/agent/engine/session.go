package engine

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"goalpost/backend/agent/engine/acp"
	"goalpost/backend/agent/engine/relay"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
)

// Options describes an agent and its environment. All fields but one of Login and Model are required.
type Options struct {
	Installed Installation // the agent
	Launcher  process.Launcher
	Env       []string // of the goal's programs
	Dir       string   // the goal's folder, absolute
	Version   string   // of this program

	// Login is the user's sign-in, with which the agent asks its own provider. nil lets it ask Model.
	Login     *Credentials
	Model     relay.Model // answers the agent's requests to its model; nil with a Login
	ModelName string      // as its provider calls it
	Window    int         // of the model, in tokens; 0 if it is not known

	// Tools are offered to the agent over MCP; ServeTools makes the server for them, which passes calls to call.
	Tools      []goal.ToolSpec
	ServeTools func(tools []goal.ToolSpec, call CallFunc) http.Handler
	Effects    Effects
	// Reach lets the agent connect to a port of the host's loopback, as long as the sandbox exists.
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

// Limits of an agent.
const (
	startTimeout    = 2 * time.Minute  // until its session is ready
	cancelTimeout   = 5 * time.Second  // to end a cancelled turn
	toolCallTimeout = 45 * time.Second // for a call of our tools, because some agents give up after 60 s
	maxRestarts     = 3                // after the program has ended, in one run
	maxText         = 256 << 10        // bytes of text between two calls
)

// Session drives a goal with an external agent. To the loop it is a model: a turn ends when the agent calls a tool,
// asks for permission, has used its own tool, or ends its turn. One goroutine calls Turn; all other methods may be
// called concurrently.
type Session struct {
	opts    Options
	relay   *relay.Relay
	gateway *gateway // nil until the agent is first started

	// Only Turn uses these.
	restarts int
	advanced bool // this process has sent it a prompt
	loaded   bool // state was read from the file
	state    agentState

	mu       sync.Mutex
	warn     func(what, text string)
	agent    *program // nil while none runs
	turn     *turn    // nil while the agent is idle
	inbox    inbox
	modelErr error
	changed  chan struct{} // something was added; has one slot
	silence  silence
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
	s.silence.quiet = silenceTimeout
	if o.Login != nil {
		s.silence.quiet = loginSilenceTimeout
	}
	s.relay = relay.New(o.Model, o.ModelName, s.modelFailed)
	return s
}

// Profile returns the agent's profile.
func (s *Session) Profile() Profile { return s.opts.Installed.Profile }

// OwnHosts returns the hosts that the agent's program itself tries to reach.
func (s *Session) OwnHosts() []string { return s.opts.Installed.Profile.OwnHosts }

// BeginRun prepares the session for another run of its goal.
func (s *Session) BeginRun(m relay.Model, warn func(what, text string)) {
	s.relay.SetModel(m)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warn, s.restarts, s.modelErr = warn, 0, nil
}

func (s *Session) modelFailed(err error) {
	s.mu.Lock()
	s.modelErr = err
	s.mu.Unlock()
	s.wake()
}

// wake makes Turn check for changes.
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

// serverName is the name of our MCP server for agents.
const serverName = "goalpost"
