package acp

import (
	"context"
)

// Handler receives what the agent sends in the session. Its methods are called one after the other for updates, and
// concurrently for permission requests.
type Handler interface {
	// Text receives a piece of the agent's answer. It must not block.
	Text(piece string)
	// Thought receives a piece of what the agent thinks. It must not block.
	Thought(piece string)
	// ToolCall receives what is known of a tool call after each update. It must not block.
	ToolCall(c ToolCall)
	// Permission decides a request. It may block; ctx ends when the agent is gone or has withdrawn the request.
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
