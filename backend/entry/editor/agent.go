// Package editor makes Goalpost an agent of the Agent Client Protocol, so that an editor can start a goal, watch it,
// and answer it. The same engine drives the goal, and the same checks decide it, as in the window.
package editor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/access"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/goals/lifecycle"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// Deps are what an Agent needs.
type Deps struct {
	Version string
	Log     *slog.Logger
	Store   *store.Store
	Broker  *event.Broker
	Access  *access.Rules
	Goals   *lifecycle.Service
	Changes *calls.ChangesAPI
	State   string      // the folder for the list of sessions
	Risk    policy.Risk // of new goals, unless a prompt names a lower one
	Engine  string      // of new goals; "" means that of the settings
}

// Agent is Goalpost as an editor sees it. Its methods may be called concurrently.
type Agent struct {
	deps     Deps
	conn     connection
	sessions *sessionList

	life context.Context // ends with Serve; it has the values of the program that serves the editor
	gone <-chan struct{} // closed when the editor has closed its end

	mu      sync.Mutex
	working map[sdk.SessionId]bool // sessions whose prompt is being answered
	prompts sync.WaitGroup         // of working
}

// connection sends the agent's messages to the editor.
type connection interface {
	SessionUpdate(ctx context.Context, n sdk.SessionNotification) error
	RequestPermission(ctx context.Context, r sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error)
}

// Serve speaks with an editor until the editor closes its end, or ctx ends. Then it pauses the goals whose prompts are
// not answered as interrupted.
func Serve(ctx context.Context, deps Deps, in io.Reader, out io.Writer) error {
	sessions, err := openSessions(filepath.Join(deps.State, "editor-sessions.json"))
	if err != nil {
		return err
	}
	life, end := context.WithCancel(ctx)
	defer end()
	a := &Agent{deps: deps, sessions: sessions, life: life, working: map[sdk.SessionId]bool{}}
	ready := make(chan struct{})
	answers := newOwedAnswers(in, out)
	conn := sdk.NewAgentSideConnection(deferredAgent{a, ready}, answers, answers)
	conn.SetLogger(slog.New(slog.DiscardHandler)) // the SDK logs whole messages
	a.conn, a.gone = conn, conn.Done()
	close(ready)
	select {
	case <-conn.Done():
	case <-ctx.Done():
	}
	a.mu.Lock()
	end()
	a.mu.Unlock()
	a.prompts.Wait()
	return nil
}

// promptContext is the context of a prompt. It has the values of the program that serves the editor, which the protocol
// does not know, and ends with the connection.
type promptContext struct {
	context.Context // of the request
	life            context.Context
}

func (p promptContext) Value(key any) any {
	if v := p.Context.Value(key); v != nil {
		return v
	}
	return p.life.Value(key)
}

// hasEnded reports whether the editor or the program that serves it has ended.
func (a *Agent) hasEnded() bool {
	select {
	case <-a.gone:
		return true
	default:
		return a.life.Err() != nil
	}
}

// withLife returns the context of a prompt, which the caller ends.
func (a *Agent) withLife(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(promptContext{ctx, a.life})
	stop := context.AfterFunc(a.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// deferredAgent delays the first call of the editor until the agent has its connection.
type deferredAgent struct {
	*Agent
	ready <-chan struct{}
}

// Initialize reports the abilities of this agent.
func (d deferredAgent) Initialize(ctx context.Context, r sdk.InitializeRequest) (sdk.InitializeResponse, error) {
	<-d.ready
	return d.Agent.Initialize(ctx, r)
}

// Initialize reports the abilities of this agent.
func (a *Agent) Initialize(context.Context, sdk.InitializeRequest) (sdk.InitializeResponse, error) {
	return sdk.InitializeResponse{
		ProtocolVersion: sdk.ProtocolVersionNumber,
		AgentInfo:       &sdk.Implementation{Name: "goalpost", Title: sdk.Ptr("Goalpost"), Version: a.deps.Version},
		AuthMethods:     []sdk.AuthMethod{},
		AgentCapabilities: sdk.AgentCapabilities{
			LoadSession:         true,
			PromptCapabilities:  sdk.PromptCapabilities{EmbeddedContext: true},
			SessionCapabilities: sdk.SessionCapabilities{Resume: &sdk.SessionResumeCapabilities{}},
		},
	}, nil
}

// NewSession begins a session in a folder. It ignores the editor's MCP servers: goals use those of the settings.
func (a *Agent) NewSession(ctx context.Context, r sdk.NewSessionRequest) (sdk.NewSessionResponse, error) {
	dir, err := a.deps.Access.ValidateExistingDir(r.Cwd)
	if err != nil {
		return sdk.NewSessionResponse{}, requestError(err)
	}
	id := sdk.SessionId("goalpost-" + store.NewID())
	if err := a.sessions.put(savedSession{ID: id, Dir: dir}); err != nil {
		return sdk.NewSessionResponse{}, requestError(err)
	}
	a.offerCommandsAfter(ctx, id)
	return sdk.NewSessionResponse{SessionId: id}, nil
}

// LoadSession continues a session and sends the editor what its goal has done so far.
func (a *Agent) LoadSession(ctx context.Context, r sdk.LoadSessionRequest) (sdk.LoadSessionResponse, error) {
	s, err := a.findSession(r.SessionId)
	if err != nil {
		return sdk.LoadSessionResponse{}, err
	}
	a.offerCommandsAfter(ctx, r.SessionId)
	if s.Goal == "" {
		return sdk.LoadSessionResponse{}, nil
	}
	row, err := a.deps.Store.Goals.Get(ctx, s.Goal)
	if errors.Is(err, goal.ErrNotFound) {
		return sdk.LoadSessionResponse{}, nil // the goal was deleted: the next prompt begins another
	}
	if err != nil {
		return sdk.LoadSessionResponse{}, requestError(err)
	}
	const maxEvents = 5000
	events, err := a.deps.Store.History.Events(ctx, row.ID, 0, maxEvents)
	if err != nil {
		return sdk.LoadSessionResponse{}, requestError(err)
	}
	a.update(ctx, r.SessionId, sdk.UpdateUserMessageText(row.Objective))
	for _, e := range events {
		for _, u := range describeEvent(row.Policy.Dir, e.Body) {
			a.update(ctx, r.SessionId, u)
		}
	}
	return sdk.LoadSessionResponse{}, nil
}

// ResumeSession continues a session whose history the editor already has.
func (a *Agent) ResumeSession(ctx context.Context, r sdk.ResumeSessionRequest) (sdk.ResumeSessionResponse, error) {
	_, err := a.findSession(r.SessionId)
	if err == nil {
		a.offerCommandsAfter(ctx, r.SessionId)
	}
	return sdk.ResumeSessionResponse{}, err
}

// findSession returns a session that an editor began, in this process or in another one.
func (a *Agent) findSession(id sdk.SessionId) (savedSession, error) {
	s, ok := a.sessions.get(id)
	if !ok {
		return s, requestError(fault.Kind(fault.NotFound, "", fmt.Sprintf("there is no session %q", id),
			"begin a new session"))
	}
	return s, nil
}

// Cancel does nothing: the connection cancels the context of the prompt, which pauses the goal.
func (a *Agent) Cancel(context.Context, sdk.CancelNotification) error { return nil }

// Authenticate does nothing: the user connects models in Goalpost.
func (a *Agent) Authenticate(context.Context, sdk.AuthenticateRequest) (sdk.AuthenticateResponse, error) {
	return sdk.AuthenticateResponse{}, nil
}

// CloseSession returns an error, because this agent does not support it.
func (a *Agent) CloseSession(context.Context, sdk.CloseSessionRequest) (sdk.CloseSessionResponse, error) {
	return sdk.CloseSessionResponse{}, methodNotFoundError(sdk.AgentMethodSessionClose)
}

// ListSessions returns an error, because this agent does not support it.
func (a *Agent) ListSessions(context.Context, sdk.ListSessionsRequest) (sdk.ListSessionsResponse, error) {
	return sdk.ListSessionsResponse{}, methodNotFoundError(sdk.AgentMethodSessionList)
}

// SetSessionConfigOption returns an error, because this agent does not support it.
func (a *Agent) SetSessionConfigOption(
	context.Context, sdk.SetSessionConfigOptionRequest,
) (sdk.SetSessionConfigOptionResponse, error) {
	return sdk.SetSessionConfigOptionResponse{}, methodNotFoundError(sdk.AgentMethodSessionSetConfigOption)
}

// SetSessionMode returns an error, because this agent does not support it.
func (a *Agent) SetSessionMode(context.Context, sdk.SetSessionModeRequest) (sdk.SetSessionModeResponse, error) {
	return sdk.SetSessionModeResponse{}, methodNotFoundError(sdk.AgentMethodSessionSetMode)
}

// offerCommandsAfter sends the editor the commands once the request of ctx has been answered.
func (a *Agent) offerCommandsAfter(ctx context.Context, id sdk.SessionId) {
	context.AfterFunc(ctx, func() { a.offerCommands(context.WithoutCancel(ctx), id) })
}

// offerCommands sends the editor the commands that a prompt may contain.
func (a *Agent) offerCommands(ctx context.Context, id sdk.SessionId) {
	hint := func(text string) *sdk.AvailableCommandInput {
		return &sdk.AvailableCommandInput{Unstructured: &sdk.UnstructuredCommandInput{Hint: text}}
	}
	a.update(ctx, id, sdk.SessionUpdate{AvailableCommandsUpdate: &sdk.SessionAvailableCommandsUpdate{
		SessionUpdate: "available_commands_update",
		AvailableCommands: []sdk.AvailableCommand{
			{Name: "check", Description: "A command that must pass for the goal to be done", Input: hint("go test ./...")},
			{Name: "worktree", Description: "Work in a new git worktree, on a branch of its own"},
			{Name: "risk", Description: "What the goal may do at most", Input: hint(policy.RiskNames())},
		},
	}})
}

// update sends the editor an update. If it fails, the editor has closed the connection, which ends the prompt anyway.
func (a *Agent) update(ctx context.Context, id sdk.SessionId, u sdk.SessionUpdate) {
	if err := a.conn.SessionUpdate(ctx, sdk.SessionNotification{SessionId: id, Update: u}); err != nil {
		a.deps.Log.Info("an update did not reach the editor", "session", id, "error", err)
	}
}

// door explains errors to the user of an editor, whose words are the lines of a prompt.
var door = api.Door{
	Hints: map[string]string{
		"criterion": "write another line with /check, whose command runs and fails until the goal is reached",
		"risk":      "leave out /risk, or raise --risk in the command with which the editor starts Goalpost",
		"engine":    "choose another one with --engine in the command with which the editor starts Goalpost",
		"limits":    "raise the limit in Goalpost's window, and write again",
	},
	Other: "change this in Goalpost's window, and write again",
}

// requestError converts an error to one of the protocol, with the hint for the user of the editor.
func requestError(err error) error {
	if err == nil {
		return nil
	}
	return &sdk.RequestError{Code: sdk.NewInvalidParams(nil).Code, Message: door.Explain(err)}
}

// methodNotFoundError refuses a method that Initialize does not offer.
func methodNotFoundError(method string) error {
	return &sdk.RequestError{Code: sdk.NewMethodNotFound(method).Code, Message: method + " is not offered"}
}
