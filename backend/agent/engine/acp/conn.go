// Package acp speaks the Agent Client Protocol with an external agent that runs as a program: it starts a session,
// sends prompts, and reports what the agent does. It is the only home of the protocol's SDK. Everything that the agent
// sends is untrusted.
package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	sdk "github.com/coder/acp-go-sdk"

	"goalpost/backend/lib/text"
)

// The answers to permission requests. Withdrawn is for requests of a turn that was cancelled. "Always" is never chosen:
// it would bypass the host for the rest of the session.
const (
	Withdrawn Permission = iota
	Allowed
	Denied
)

// The reasons why a turn ended, in the protocol's words.
const (
	StopEndTurn   Stop = "end_turn"
	StopMaxTokens Stop = "max_tokens" // the model's output limit
	StopCancelled Stop = "cancelled"
	StopRefusal   Stop = "refusal"
)

// Conn is the connection to one agent with one session. Its methods may be called concurrently, except that only one
// Prompt may run at a time.
type Conn struct {
	sdk     *sdk.ClientSideConnection
	handler Handler
	opts    Options
	mcp     []sdk.McpServer

	Agent   string // the agent's name and version, as it reports them
	canLoad bool
	resumes bool

	waiting atomic.Int32 // open permission requests

	mu      sync.Mutex
	problem string // why the host ended the connection
	session sdk.SessionId
	replays bool                // the agent replays an old session: updates are dropped
	calls   map[string]ToolCall // of this turn
}

// NewSession begins a session and returns its id.
func (c *Conn) NewSession(ctx context.Context) (string, error) {
	got, err := c.sdk.NewSession(ctx, sdk.NewSessionRequest{Meta: c.opts.Meta, Cwd: c.opts.Dir, McpServers: c.mcp})
	if err != nil {
		return "", describeError("begin a session", err)
	}
	c.mu.Lock()
	c.session = got.SessionId
	c.mu.Unlock()
	return string(got.SessionId), c.setOptions(ctx, got.SessionId)
}

// setOptions sets the options of a session that is ready.
func (c *Conn) setOptions(ctx context.Context, id sdk.SessionId) error {
	for _, option := range slices.Sorted(maps.Keys(c.opts.Options)) {
		_, err := c.sdk.SetSessionConfigOption(ctx, sdk.SetSessionConfigOptionRequest{
			ValueId: &sdk.SetSessionConfigOptionValueId{
				SessionId: id,
				ConfigId:  sdk.SessionConfigId(option),
				Value:     sdk.SessionConfigValueId(c.opts.Options[option]),
			},
		})
		if err != nil {
			return describeError("set its "+option, err)
		}
	}
	return nil
}

// LoadSession continues the session with an id. It reports false if the agent cannot continue sessions.
func (c *Conn) LoadSession(ctx context.Context, id string) (bool, error) {
	c.mu.Lock()
	c.session, c.replays = sdk.SessionId(id), true
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		c.replays, c.calls = false, map[string]ToolCall{}
		c.mu.Unlock()
	}()
	var err error
	switch {
	case c.resumes:
		_, err = c.sdk.ResumeSession(ctx, sdk.ResumeSessionRequest{
			Meta:       c.opts.Meta,
			Cwd:        c.opts.Dir,
			McpServers: c.mcp,
			SessionId:  sdk.SessionId(id),
		})
	case c.canLoad:
		_, err = c.sdk.LoadSession(ctx, sdk.LoadSessionRequest{
			Meta:       c.opts.Meta,
			Cwd:        c.opts.Dir,
			McpServers: c.mcp,
			SessionId:  sdk.SessionId(id),
		})
	default:
		return false, nil
	}
	if err != nil {
		return false, describeError("continue the session", err)
	}
	if err := c.setOptions(ctx, sdk.SessionId(id)); err != nil {
		return false, err
	}
	return true, nil
}

// Prompt sends a prompt and waits until the agent ends its turn.
func (c *Conn) Prompt(ctx context.Context, text string) (Stop, error) {
	c.mu.Lock()
	c.calls = map[string]ToolCall{}
	session := c.session
	c.mu.Unlock()
	got, err := c.sdk.Prompt(ctx, sdk.PromptRequest{SessionId: session, Prompt: []sdk.ContentBlock{sdk.TextBlock(text)}})
	if err != nil {
		return "", describeError("answer", err)
	}
	return Stop(got.StopReason), nil
}

// Cancel asks the agent to end its turn. Prompt returns when it has.
func (c *Conn) Cancel(ctx context.Context) error {
	c.mu.Lock()
	session := c.session
	c.mu.Unlock()
	if err := c.sdk.Cancel(ctx, sdk.CancelNotification{SessionId: session}); err != nil {
		return describeError("cancel the turn", err)
	}
	return nil
}

// Done is closed when the connection has ended: the agent exited, or violated the protocol.
func (c *Conn) Done() <-chan struct{} { return c.sdk.Done() }

// Problem returns why the host ended the connection, "" if it did not.
func (c *Conn) Problem() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.problem
}

// ErrPartEnded means that a program of the agent has ended while the agent itself still runs.
var ErrPartEnded = errors.New("a program of the agent ended")

// ErrSignIn means that the agent's own provider does not accept its sign-in.
var ErrSignIn = errors.New("the agent is not signed in")

// authRequired is the protocol's code of an error for which the user has to sign in.
const authRequired = -32000

// describeError returns a protocol error in one line, with the agent's own message.
func describeError(doing string, err error) error {
	var requestError *sdk.RequestError
	if !errors.As(err, &requestError) {
		return fmt.Errorf("the agent did not %s: %w", doing, err)
	}
	message := requestError.Message
	if data, ok := requestError.Data.(map[string]any); ok && data["restartable"] == true {
		return fmt.Errorf("%w: %s", ErrPartEnded, text.TruncateBytes(message, 500))
	}
	if data, err := json.Marshal(requestError.Data); err == nil && requestError.Data != nil {
		message += " " + string(data)
	}
	message = text.TruncateBytes(message, 500)
	if requestError.Code == authRequired {
		return fmt.Errorf("%w: it did not %s: %s", ErrSignIn, doing, message)
	}
	return fmt.Errorf("the agent did not %s: %s", doing, message)
}

// mergeUpdate merges an update into the stored call, and returns the result; false if there are too many calls.
func (c *Conn) mergeUpdate(u update) (ToolCall, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	call, isKnown := c.calls[u.id]
	if c.replays || !isKnown && len(c.calls) >= maxToolCalls {
		return ToolCall{}, false
	}
	u.mergeInto(&call)
	if c.calls[u.id] = call; call.IsOver() {
		delete(c.calls, u.id)
	}
	return call, true
}

// isOurs reports whether a message belongs to this connection's session.
func (c *Conn) isOurs(id sdk.SessionId) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return id == c.session && !c.replays
}
