package acp

import (
	"context"
	"encoding/json"
	"errors"

	sdk "github.com/coder/acp-go-sdk"
)

// errNotOffered answers methods that Goalpost does not offer. The filter stops them first.
var errNotOffered = errors.New("not offered")

// client answers the agent's requests. Files and terminals are not offered: the agent has its own in the sandbox, and
// these methods would work outside of it.
type client struct {
	conn *Conn

	// Of the updates, which come one after the other.
	message string // the id of the last message, "" for none
	wasCall bool   // a tool call began since
}

var (
	_ sdk.Client                 = (*client)(nil)
	_ sdk.ExtensionMethodHandler = (*client)(nil)
)

func (cl *client) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	c := cl.conn
	if !c.isOurs(n.SessionId) {
		return nil
	}
	switch u := n.Update; {
	case u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Text != nil:
		c.handler.Text(u.AgentMessageChunk.Content.Text.Text, cl.begins(u.AgentMessageChunk.MessageId))
	case u.AgentThoughtChunk != nil && u.AgentThoughtChunk.Content.Text != nil:
		c.handler.Thought(u.AgentThoughtChunk.Content.Text.Text)
	case u.ToolCall != nil:
		cl.wasCall = true
		if call, ok := c.mergeUpdate(updateOfStart(*u.ToolCall)); ok {
			c.handler.ToolCall(call)
		}
	case u.ToolCallUpdate != nil:
		if call, ok := c.mergeUpdate(updateOfUpdate(*u.ToolCallUpdate)); ok {
			c.handler.ToolCall(call)
		}
	}
	return nil
}

// begins reports whether a piece of text is of another message than the one before. Not all agents give messages an id;
// then a tool call ends one.
func (cl *client) begins(id *string) bool {
	another := cl.wasCall
	if id != nil && *id != "" {
		another, cl.message = *id != cl.message, *id
	}
	cl.wasCall = false
	return another
}

func (cl *client) RequestPermission(
	ctx context.Context, r sdk.RequestPermissionRequest,
) (sdk.RequestPermissionResponse, error) {
	c := cl.conn
	defer c.waiting.Add(-1) // the filter has counted it
	withdrawn := sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeCancelled()}
	if !c.isOurs(r.SessionId) {
		return withdrawn, nil
	}
	call, ok := c.mergeUpdate(updateOfRequest(r.ToolCall))
	if !ok {
		return withdrawn, nil
	}
	want := map[Permission]sdk.PermissionOptionKind{
		Allowed: sdk.PermissionOptionKindAllowOnce,
		Denied:  sdk.PermissionOptionKindRejectOnce,
	}[c.handler.Permission(ctx, call)]
	for _, o := range r.Options {
		if want != "" && o.Kind == want {
			return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(o.OptionId)}, nil
		}
	}
	return withdrawn, nil
}

func (cl *client) ReadTextFile(context.Context, sdk.ReadTextFileRequest) (r sdk.ReadTextFileResponse, err error) {
	return r, errNotOffered
}

func (cl *client) WriteTextFile(context.Context, sdk.WriteTextFileRequest) (r sdk.WriteTextFileResponse, err error) {
	return r, errNotOffered
}

func (cl *client) CreateTerminal(context.Context, sdk.CreateTerminalRequest) (r sdk.CreateTerminalResponse, err error) {
	return r, errNotOffered
}

func (cl *client) KillTerminal(context.Context, sdk.KillTerminalRequest) (r sdk.KillTerminalResponse, err error) {
	return r, errNotOffered
}

func (cl *client) TerminalOutput(context.Context, sdk.TerminalOutputRequest) (r sdk.TerminalOutputResponse, err error) {
	return r, errNotOffered
}

func (cl *client) ReleaseTerminal(
	context.Context, sdk.ReleaseTerminalRequest,
) (r sdk.ReleaseTerminalResponse, err error) {
	return r, errNotOffered
}

func (cl *client) WaitForTerminalExit(
	context.Context, sdk.WaitForTerminalExitRequest,
) (r sdk.WaitForTerminalExitResponse, err error) {
	return r, errNotOffered
}

// HandleExtensionMethod refuses methods outside the protocol. Notifications get no answer.
func (cl *client) HandleExtensionMethod(_ context.Context, _ string, _ json.RawMessage) (any, error) {
	return nil, errNotOffered
}
