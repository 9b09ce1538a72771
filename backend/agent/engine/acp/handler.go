package acp

import (
	"context"
)

// Handler receives the agent's messages in the session. Updates call its methods one after the other, permission
// requests concurrently.
type Handler interface {
	// Text receives a piece of the agent's answer, and whether another message begins with it. It must not block.
	Text(piece string, begins bool)
	// Thought receives a piece of the agent's thinking. It must not block.
	Thought(piece string)
	// ToolCall receives the state of a tool call after each update. It must not block.
	ToolCall(c ToolCall)
	// Permission decides a request. It may block; ctx ends when the agent exits or withdraws the request.
	Permission(ctx context.Context, c ToolCall) Permission
}

// Permission is the answer to a permission request.
type Permission int

// Stop is why the agent ended its turn.
type Stop string

// MCPServer is a server that is offered to the agent.
type MCPServer struct {
	Name, URL, Token string // Token is sent as a bearer token
}
